import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { statsKeys } from '../stats-keys.ts';
import { followLog, type RecentLog } from './follow-log.ts';

let server: TestRedis;
let reader: Redis;
let log: RecentLog;
let come = Promise.withResolvers<void>();

beforeAll(async () => {
  server = await startTestRedis();
  server.client.on('error', () => undefined);
  reader = connectPatient(server.url, 'log');
  reader.on('error', () => undefined);
  await reader.connect();
  log = followLog(
    reader,
    { now: () => redisTime(Date.now()) } as never,
    () => come.resolve(),
    createLogger('test', 'silent'),
  );
});
afterAll(async () => {
  await log.stop();
  reader.disconnect();
  await server.stop();
});

async function addRow(id: string): Promise<void> {
  await server.client.xadd(statsKeys.log, '*', 'row', JSON.stringify({ id }));
}
const ids = () => log.rows.map(({ id }) => id);
async function readings(): Promise<number> {
  const stats = await server.client.info('commandstats');
  return [...stats.matchAll(/cmdstat_x(?:rev|)(?:range|read):calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}

test('rows that nobody looks at are not read; who comes gets all of them, and then each as it comes', async () => {
  await addRow('one');
  expect(await readings()).toBe(0);
  const leave = await log.follow();
  expect(ids()).toEqual(['one']);
  const second = await log.follow();
  come = Promise.withResolvers();
  await addRow('two');
  await come.promise;
  expect(ids()).toEqual(['one', 'two']);
  leave();
  leave();
  // One is left, however often another leaves.
  come = Promise.withResolvers();
  await addRow('three');
  await come.promise;
  expect(ids()).toEqual(['one', 'two', 'three']);
  second();
});

test('who comes while Redis is away waits for a while, and gets the rows when it is back', async () => {
  const seen = (event: 'close' | 'ready') => new Promise((resolve) => reader.once(event, resolve));
  const gone = seen('close');
  await server.kill();
  await gone;
  const leave = await log.follow();
  const back = seen('ready');
  await server.start();
  await back;
  await addRow('after');
  while (ids().at(-1) !== 'after') await new Promise(setImmediate);
  leave();
});
