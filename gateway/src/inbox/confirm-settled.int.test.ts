import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '@lontar/shared/logger.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { confirmFirst } from './confirm-settled.ts';
import { createWaiters } from './waiters.ts';

const logger = createLogger('test', 'silent');

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const refused: Settlement = { v: 1, outcome: 'failed', error: 'content_blocked' };
const lost: Settlement = { v: 1, outcome: 'failed', error: 'service_unavailable' };
const inRedis = async (id: string) => String(await server.client.hget(redisKeys.request(id), 'result'));

async function settled(id: string): Promise<void> {
  await reserve(server.client, id, 'k');
  await settle(server.client, { requestId: id, keyId: 'k', settlement: refused });
}

/** Waits whose replicas are late once, from when it is called until it is ended. */
function lateOnce() {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let waits = 0;
  const held = () => {
    begun.resolve();
    return waits++ === 0 ? ended.promise : Promise.resolve();
  };
  const end = () => ended.reject(new RedisAwayError('too few replicas have it', { replied: true }));
  return { replication: { held }, hasBegun: begun.promise, end };
}

test('a settlement that replicas lack is asked about again', async () => {
  const waiters = createWaiters(logger);
  const { replication, hasBegun, end } = lateOnce();
  const { deliver } = confirmFirst({ redis, replication, waiters, logger });
  const { reply } = waiters.wait('req_1');
  await settled('req_1');
  deliver('req_1', await inRedis('req_1'));
  await hasBegun;
  end();
  expect(await reply).toMatchObject(refused);
});

test('one that the server before has given is not told in the place of the one that the next has', async () => {
  const waiters = createWaiters(logger);
  const { replication, hasBegun, end } = lateOnce();
  const { deliver } = confirmFirst({ redis, replication, waiters, logger });
  const { reply } = waiters.wait('req_2');
  deliver('req_2', JSON.stringify(lost));
  await hasBegun;
  const ready = once(redis, 'ready');
  redis.stream.destroy();
  await ready;
  await settled('req_2');
  end();
  // Longer than until it would be asked about again.
  await new Promise((resolve) => setTimeout(resolve, 300));
  deliver('req_2', await inRedis('req_2'));
  expect(await reply).toMatchObject(refused);
});
