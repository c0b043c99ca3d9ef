import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import type { Caller } from '../admission/check-key.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { receiveUpload, type StoreContent, type UploadDeps } from './receive-upload.ts';

let server: TestRedis;
let redis: Redis;
/** Failures in the order in which they were reported, by whose they are. */
let reported: string[];

beforeEach(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  reported = [];
});
afterEach(async () => {
  redis.disconnect();
  await server.stop();
});

function receive(write: () => Promise<void>, store: StoreContent, spooled: ByteBudget = createByteBudget(1e6, 1e6)) {
  const deps = {
    redis,
    clock: { now: Date.now },
    metrics: gatewayMetrics(createRegistry('gateway', 'test')),
    logger: createLogger('test', 'silent'),
    storage: { write },
    sweeper: { hold: () => undefined, letGo: () => undefined, discard: async () => undefined },
    uploadsPerDay: 1,
    maxFileBytes: 1,
    maxStorageBytes: 1,
    spooled,
    onRedisFailure: () => reported.push('redis'),
    onStorageFailure: () => reported.push('storage'),
  } as unknown as UploadDeps;
  const address = { used: 1, limit: 1, resetAt: 1 };
  const caller = { keyId: 'k', admission: { address } } as unknown as Caller;
  const announced = { caller, origin: 'http://localhost', size: 0, mostBytes: 0 };
  return receiveUpload(deps, { address: '127.0.0.1' } as RequestContext, announced, store);
}

const store: StoreContent = async (write) => {
  await write(Readable.from([]), new AbortController().signal);
  return { form: 'code', name: 'a', contentType: 'a/b', visibility: 'public' };
};

test.each([
  ['storage', 503, () => Promise.reject(new Error('the disk is broken'))],
  ['storage', 507, () => Promise.reject(Object.assign(new Error('the disk is full'), { code: 'ENOSPC' }))],
  ['storage', 507, () => Promise.reject(Object.assign(new Error('too much'), { code: 'EDQUOT' }))],
  ['storage', 507, () => Promise.reject(Object.assign(new Error('too much'), { name: 'QuotaExceeded' }))],
  ['storage', 507, () => Promise.reject(Object.assign(new Error('x'), { $metadata: { httpStatusCode: 507 } }))],
  ['redis', 503, () => server.kill()],
])('a failure of the %s is reported as its own, with %i', async (whose, status, write) => {
  expect(await receive(write, store)).toMatchObject({ status });
  expect(reported).toEqual([whose]);
});

test('while too much is on its way, an upload is refused and takes nothing', async () => {
  const answer = await receive(() => Promise.resolve(), store, createByteBudget(1_000, 1_000));
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '2' },
    body: { message: expect.stringContaining('Too many uploads are on their way') },
  });
  expect(await redis.keys('*')).toEqual([]);
});
