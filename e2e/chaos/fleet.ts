import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { startTestSentinels, type TestSentinels } from '@lontar/shared/testing/redis-sentinels.ts';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';

/** A primary with two replicas and three Sentinels, as an operator is told to run them, and what of a write is on replicas. */
export interface FleetOptions {
  readonly ack: 0 | 1 | 2;
  /** Seconds that the clock of each server is ahead of the machine's. */
  readonly clockOffsets?: readonly number[];
}

/** Servers and Sentinels, each server behind a proxy of its own, which Sentinels, replicas and clients go through. */
export interface Fleet extends TestSentinels {
  readonly proxies: readonly TcpProxy[];
}

/** Whether a connection is a client's by its first bytes: replicas and Sentinels begin another way. */
export function isClients(first: Buffer): boolean {
  const text = first.toString('latin1').toLowerCase();
  return !text.includes('sentinel-') && !text.startsWith('*1\r\n$4\r\nping\r\n');
}

/** Starts it, and waits until all know each other. @throws Error where a server does not start */
export async function startFleet(clockOffsets: readonly number[] = []): Promise<Fleet> {
  const proxies: TcpProxy[] = [];
  const library = clockOffsets.length > 0 ? await buildShiftedClock() : '';
  // A thread of its allocator waits until a moment of the clock; where that is behind, each wait is over at once, for ever.
  const allocator = library === '' ? [] : ['--jemalloc-bg-thread', 'no'];
  const fleet = await startTestSentinels({
    replicas: 2,
    downAfterMs: 3_000,
    args: ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2', '--appendfsync', 'everysec', ...allocator],
    wrapper: (server) => {
      const offset = clockOffsets[server] ?? 0;
      return offset === 0 ? undefined : ['env', `LD_PRELOAD=${library}`, `CLOCK_SHIFT_SECONDS=${offset}`];
    },
    announced: async (port) => {
      const proxy = await startTcpProxy(port);
      proxies.push(proxy);
      return proxy.port;
    },
  });
  return {
    ...fleet,
    proxies,
    async stop() {
      await fleet.stop();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}

/** What looks like one Redis: its client goes to whichever server is the primary. Never throws. */
export function asOneRedis(fleet: Fleet): TestRedis {
  const client = connectPatient(fleet.url, 'tester');
  client.on('error', () => undefined);
  return {
    ...(fleet.servers[0] as TestRedis),
    url: fleet.url,
    client,
    async stop() {
      client.disconnect();
      await fleet.stop();
    },
  };
}

/** libfaketime does not get on with Redis's allocator. @returns the path of the library */
async function buildShiftedClock(): Promise<string> {
  const library = join(await mkdtemp(join(tmpdir(), 'lontar-clock-')), 'shifted-clock.so');
  const source = join(import.meta.dirname, 'shifted-clock.c');
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source]);
  return library;
}
