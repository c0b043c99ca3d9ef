import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort, redisBinary, startTestRedis, type TestRedis } from './redis-server.ts';

/** A real primary with replicas and Sentinels of a test's own, on free loopback ports. */
export interface TestSentinels {
  readonly url: string;
  /** Under which the Sentinels know the primary. */
  readonly name: string;
  /** The first of them is the primary, until there is a failover. */
  readonly servers: readonly TestRedis[];
  readonly sentinels: readonly TestSentinel[];
  /** The server that the first Sentinel that answers names. */
  primary(): Promise<TestRedis>;
  /** Waits until another server than this one is named by all living Sentinels, and has become the primary. */
  untilSwitched(from: TestRedis): Promise<TestRedis>;
  /** `SENTINEL FAILOVER`: swaps the primary in good order. */
  failover(): Promise<TestRedis>;
  stop(): Promise<void>;
}

export interface TestSentinel {
  readonly port: number;
  readonly client: Redis;
  /** Ends it at once; it does not come back. */
  kill(): Promise<void>;
}

interface Options {
  readonly replicas?: number;
  readonly sentinels?: number;
  readonly downAfterMs?: number;
  /** A command that runs the server of this number, such as faketime. */
  readonly wrapper?: (server: number) => string[] | undefined;
  /** Further options of each server. */
  readonly args?: string[];
  /** What clients of the servers sign in with, where `args` say so. */
  readonly password?: string;
  /** Further lines of each Sentinel's configuration. */
  readonly sentinelLines?: string[];
  /** Where clients and Sentinels reach the server of this number, where that is a proxy. */
  readonly announced?: (port: number, server: number) => Promise<number>;
}

const NAME = 'lontar';

/** Starts a primary, replicas of it and Sentinels, and waits until all know each other. */
export async function startTestSentinels(options: Options = {}): Promise<TestSentinels> {
  const { replicas = 1, sentinels: count = 3, downAfterMs = 1_000 } = options;
  const ports = await portsOf(replicas + 1);
  const announced: number[] = [];
  for (const [number, port] of ports.entries()) announced.push((await options.announced?.(port, number)) ?? port);
  const start = (number: number) => startServer(options, number, ports[number] as number, announced);
  const first = await start(0);
  const servers = [first, ...(await Promise.all(ports.slice(1).map((_port, index) => start(index + 1))))];
  await until(() => haveAll(first, replicas));
  const directory = await mkdtemp(join(tmpdir(), 'lontar-sentinels-'));
  const nodes = (await portsOf(count)).map((port) => ({ port, id: randomBytes(20).toString('hex') }));
  const sentinels = await Promise.all(
    nodes.map((node) =>
      startSentinel(join(directory, `${node.port}.conf`), node, { ...options, downAfterMs, nodes, announced }),
    ),
  );
  await until(async () =>
    (await Promise.all(sentinels.map((sentinel) => knows(sentinel, count, replicas)))).every(Boolean),
  );
  const living = () => sentinels.filter(({ client }) => client.status === 'ready');
  const named = async (sentinel: TestSentinel) => {
    const answer = (await sentinel.client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string];
    return servers[announced.indexOf(Number(answer[1]))] as TestRedis;
  };
  const primary = async () => named(living()[0] as TestSentinel);
  const untilSwitched = async (from: TestRedis) => {
    await until(async () => {
      const all = await Promise.all(living().map((sentinel) => named(sentinel)));
      const [first] = all;
      if (first === undefined || first === from || all.some((one) => one !== first)) return false;
      return (await first.client.info('replication')).includes('role:master');
    });
    return primary();
  };
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    name: NAME,
    servers,
    sentinels,
    primary,
    untilSwitched,
    async failover() {
      const before = await primary();
      // One that was the primary a moment ago may not have what the new one has got since.
      await until(() => haveAll(before, replicas));
      // Refused while a replica is not known well yet, or right after another failover.
      await until(async () => {
        const refused = await living()[0]
          ?.client.call('SENTINEL', 'FAILOVER', NAME)
          .catch((error: Error) => error);
        return !(refused instanceof Error) || refused.message.includes('INPROG');
      });
      return untilSwitched(before);
    },
    async stop() {
      await Promise.all(sentinels.map((sentinel) => sentinel.kill()));
      await Promise.all(servers.map((server) => server.stop()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Whether so many replicas get what is written: one that is called online at offset 0 has nothing of it yet. */
async function haveAll({ client }: TestRedis, replicas: number): Promise<boolean> {
  const info = await client.info('replication');
  return [...info.matchAll(/state=online,offset=[1-9]\d*,lag=[01]\b/g)].length >= replicas;
}

/** Different ones: that of a server that is not up yet is free for others. */
async function portsOf(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

function startServer(options: Options, number: number, port: number, announced: readonly number[]): Promise<TestRedis> {
  const wrapper = options.wrapper?.(number);
  return startTestRedis({
    durable: true,
    port,
    args: [
      ...['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'],
      ...['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(announced[number])],
      ...(number === 0 ? [] : ['--replicaof', `127.0.0.1 ${announced[0]}`]),
      ...(options.args ?? []),
    ],
    ...(wrapper && { wrapper }),
    ...(options.password !== undefined && { password: options.password }),
  });
}

interface SentinelNode {
  readonly port: number;
  readonly id: string;
}

interface SentinelSetup extends Omit<Options, 'announced'> {
  readonly downAfterMs: number;
  /** All Sentinels. */
  readonly nodes: readonly SentinelNode[];
  /** Where the primary and its replicas are. */
  readonly announced: readonly number[];
}

/** It knows the others from the start; it would hear of them within some seconds. */
async function startSentinel(
  file: string,
  { port, id }: SentinelNode,
  { downAfterMs, nodes, announced: [primary, ...replicas], sentinelLines = [] }: SentinelSetup,
): Promise<TestSentinel> {
  const quorum = Math.floor(nodes.length / 2) + 1;
  const others = nodes.filter((node) => node.port !== port);
  const lines = [
    ...[`port ${port}`, 'bind 127.0.0.1', 'protected-mode no', 'loglevel warning', `sentinel myid ${id}`],
    `sentinel monitor ${NAME} 127.0.0.1 ${primary} ${quorum}`,
    `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${NAME} 6000`,
    ...sentinelLines,
    ...replicas.map((replica) => `sentinel known-replica ${NAME} 127.0.0.1 ${replica}`),
    ...others.map((other) => `sentinel known-sentinel ${NAME} 127.0.0.1 ${other.port} ${other.id}`),
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const process: ChildProcess = spawn(redisBinary(), [file, '--sentinel'], { stdio: 'ignore' });
  const password = sentinelLines.map((line) => /^requirepass (\S+)/.exec(line)?.[1]).find(Boolean);
  const client = new Redis(port, '127.0.0.1', {
    maxRetriesPerRequest: null,
    retryStrategy: () => 50,
    protocol: 2,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => undefined);
  await client.ping();
  return {
    port,
    client,
    async kill() {
      client.disconnect();
      if (process.exitCode !== null || process.signalCode !== null) return;
      const gone = once(process, 'exit');
      process.kill('SIGKILL');
      await gone;
    },
  };
}

async function knows({ client }: TestSentinel, sentinels: number, replicas: number): Promise<boolean> {
  const fields = (await client.call('SENTINEL', 'MASTER', NAME)) as string[];
  const valueOf = (name: string) => fields[fields.indexOf(name) + 1];
  return (
    valueOf('num-other-sentinels') === String(sentinels - 1) &&
    valueOf('num-slaves') === String(replicas) &&
    valueOf('flags') === 'master'
  );
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
