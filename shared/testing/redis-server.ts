import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A real Redis of a test's own, on a free loopback port; nothing else uses it. */
export interface TestRedis {
  readonly url: string;
  /** Path of its Unix socket. */
  readonly socket: string;
  readonly port: number;
  /** Where its files are: those that it appends to in `appendonlydir`. */
  readonly directory: string;
  readonly process: () => ChildProcess;
  /** A plain client for looking into the database. */
  readonly client: Redis;
  /** Kills the server at once (SIGKILL); its files stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port and files. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a private redis-server (or valkey-server); append-only when `durable`; `wrapper` is a command that runs it. */
export async function startTestRedis(
  options: { durable?: boolean; args?: string[]; wrapper?: string[]; port?: number; password?: string } = {},
): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'lontar-redis-'));
  const socket = join(directory, 'redis.sock');
  const port = options.port ?? (await freePort());
  let server: ChildProcess;
  const start = async () => {
    const [wrapper, ...words] = options.wrapper ?? [];
    server = spawn(wrapper ?? redisBinary(), [
      ...(wrapper === undefined ? [] : [...words, redisBinary()]),
      ...['--port', String(port), '--bind', '127.0.0.1', '--unixsocket', socket, '--unixsocketperm', '700'],
      ...['--dir', directory, '--save', ''],
      ...['--appendonly', options.durable ? 'yes' : 'no', '--appendfsync', 'always'],
      ...['--maxmemory-policy', 'noeviction', '--loglevel', 'warning', ...(options.args ?? [])],
    ]);
    await waitUntilUp(port, server, options.password);
  };
  await start();
  const login = options.password === undefined ? {} : { password: options.password };
  const client = new Redis(port, '127.0.0.1', { ...login, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    socket,
    port,
    directory,
    process: () => server,
    client,
    kill,
    start,
    async stop() {
      client.disconnect();
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A port of the loopback interface that was free a moment ago. Below those that systems give to outgoing connections,
 * one of which could otherwise take it before its server does, or while that one is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** @throws Error where no server is on PATH */
export function redisBinary(): string {
  for (const name of ['redis-server', 'valkey-server']) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return name;
    } catch {
      // Not this one.
    }
  }
  throw new Error('Tests need redis-server on PATH; `npm test` installs it (Debian package redis-server).');
}

async function waitUntilUp(port: number, server: ChildProcess, password?: string): Promise<void> {
  const login = password === undefined ? {} : { password };
  const probe = new Redis(port, '127.0.0.1', { ...login, retryStrategy: () => 20, maxRetriesPerRequest: null });
  probe.on('error', () => undefined);
  const died = once(server, 'exit').then(() => {
    throw new Error(`redis-server on port ${port} ended before it was ready`);
  });
  died.catch(() => undefined);
  try {
    await Promise.race([untilServing(probe), died]);
  } finally {
    probe.disconnect();
  }
}

/** One that was the primary may be made a replica as soon as it is there: it loads what the primary sends, and refuses meanwhile. */
async function untilServing(probe: Redis): Promise<void> {
  for (;;) {
    const refused = await probe.ping().then(
      () => undefined,
      (error: Error) => error,
    );
    if (refused === undefined) return;
    if (!refused.message.startsWith('LOADING')) throw refused;
    await delay(20);
  }
}
