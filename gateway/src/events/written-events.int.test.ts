import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type EventLog, openEventLog } from './event-log.ts';

const REPORTER = fileURLToPath(new URL('../../testing/killed-reporter.ts', import.meta.url));

let server: TestRedis;
let redis: Redis;
let child: ChildProcess | undefined;
let events: EventLog;
let reduced: number;

const event = (number: number): RequestEvent => ({
  ...{ v: 1, id: `req_${number}`, at: 1, route: '/api/ai', method: 'GET', status: 200, outcome: 'success' },
  ...{ responseMs: 1, address: '192.0.2.1' },
});

beforeAll(async () => {
  server = await startTestRedis({ durable: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  reduced = 0;
  const logger = createLogger('test', 'silent');
  const onReduced = () => void reduced++;
  events = openEventLog({ gateway: 'g', redis, logger, onReduced, onDropped: () => undefined });
});
afterEach(() => {
  child?.kill('SIGKILL');
  redis.disconnect();
});

/** Whether a caller gets the answer of this event while Redis does nothing at all. */
async function isAnsweredWhileRedisStands(number: number): Promise<boolean> {
  server.process().kill('SIGSTOP');
  let isAnswered = false;
  const answered = events.append(event(number)).then(() => (isAnswered = true));
  // Written in the first of these, where it is.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  const before = isAnswered;
  server.process().kill('SIGCONT');
  await answered;
  await events.stop(10_000);
  return before;
}

test.each(['TCP', 'its Unix socket'])(
  'what a caller is answered is counted though the process is killed the moment after: Redis by %s',
  async (way) => {
    const url = way === 'TCP' ? server.url : `unix://${server.socket}`;
    child = spawn(process.execPath, [REPORTER, url, JSON.stringify(event(1))], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdin, stdout } = child as ChildProcess & { stdin: NonNullable<ChildProcess['stdin']> };
    await once(stdout as NonNullable<typeof stdout>, 'data');
    server.process().kill('SIGSTOP');
    stdin.write('req_2\n');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    server.process().kill('SIGCONT');
    // It may read this connection before the one of a process that is gone.
    while ((await server.client.xlen(redisKeys.events)) < 2) {
      await server.client.xread('BLOCK', 100, 'STREAMS', redisKeys.events, '$');
    }
    const stored = await server.client.xrange(redisKeys.events, '-', '+');
    expect(stored.map(([, fields]) => (JSON.parse(fields[1] ?? '') as RequestEvent).id)).toEqual(['req_1', 'req_2']);
  },
);

test('an answer waits for Redis where the connection is new, and for no more than the writing after that', async () => {
  expect(await isAnsweredWhileRedisStands(1)).toBe(false);
  expect(await isAnsweredWhileRedisStands(2)).toBe(true);
  const again = new Promise((resolve) => redis.once('ready', resolve));
  redis.stream.destroy();
  await again;
  expect(await isAnsweredWhileRedisStands(3)).toBe(false);
  expect(await isAnsweredWhileRedisStands(4)).toBe(true);
});

test('an answer waits for Redis where Redis has not taken the batch before as it came', async () => {
  expect(await isAnsweredWhileRedisStands(1)).toBe(false);
  await server.client.set(redisKeys.eventBytes, String(2 ** 40));
  await events.append(event(2));
  await events.stop(10_000);
  expect(reduced).toBeGreaterThan(0);
  expect(await isAnsweredWhileRedisStands(3)).toBe(false);
});
