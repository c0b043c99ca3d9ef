import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { endWithUs } from '../../harness/launch.ts';

/**
 * A Redis as `npm start` configures it: append-only, written to the disk every second, never evicting. Services reach it by its
 * Unix socket, as there.
 *
 * @throws when Redis does not start
 */
export async function startBenchRedis(): Promise<TestRedis> {
  const args = ['--appendfsync', 'everysec', '--rdbcompression', 'no', '--auto-aof-rewrite-percentage', '200'];
  const redis = await startTestRedis({ durable: true, args });
  endWithUs(redis.process());
  return redis;
}

/**
 * Counts what clients send: Redis's own counters mix it with what scripts call inside.
 *
 * @returns a function that ends the watching and gives how often each command was sent
 */
export async function watchCommands(redis: TestRedis): Promise<() => Record<string, number>> {
  const sent: Record<string, number> = {};
  const socket = connect(redis.port, '127.0.0.1');
  await once(socket, 'connect');
  // Lines of MONITOR: +1769846400.123456 [0 127.0.0.1:40000] "evalsha" "…", and [0 lua] for calls of scripts.
  createInterface({ input: socket }).on('line', (line) => {
    const [, source, name = ''] = /^\+[\d.]+ \[\d+ ([^\]]+)\] "(\w+)"/.exec(line) ?? [];
    if (source !== undefined && source !== 'lua') sent[name.toLowerCase()] = (sent[name.toLowerCase()] ?? 0) + 1;
  });
  socket.write('MONITOR\r\n');
  return () => {
    socket.destroy();
    return sent;
  };
}
