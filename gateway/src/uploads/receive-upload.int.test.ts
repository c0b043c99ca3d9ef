import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry, gatewayMetrics } from '@lontar/shared/metrics.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Caller } from './check-key.ts';
import { receiveUpload, type StoreContent, type UploadDeps } from './receive-upload.ts';

let server: TestRedis;
let redis: Redis;
/** Failures in the order in which they were told, by whose they are. */
let told: string[];

beforeEach(async () => {
  server = await startTestRedis();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  told = [];
});
afterEach(async () => {
  redis.disconnect();
  await server.stop();
});

function receive(write: () => Promise<void>, store: StoreContent) {
  const deps = {
    redis,
    clock: { now: Date.now },
    metrics: gatewayMetrics(createRegistry('gateway', 'test')),
    logger: createLogger('test', 'silent'),
    storage: { write },
    sweeper: { hold: () => undefined, letGo: () => undefined, discard: async () => undefined },
    uploadsPerDay: 1,
    maxFileBytes: 1,
    onRedisFailure: () => told.push('redis'),
    onStorageFailure: () => told.push('storage'),
  } as unknown as UploadDeps;
  const address = { used: 1, limit: 1, resetAt: 1 };
  const caller = { keyId: 'k', admission: { address } } as unknown as Caller;
  return receiveUpload(deps, { address: '127.0.0.1' } as RequestContext, caller, 'http://localhost', store);
}

const store: StoreContent = async (write) => {
  await write(Readable.from([]), new AbortController().signal);
  return { form: 'code', name: 'a', contentType: 'a/b', visibility: 'public' };
};

test.each([
  ['storage', () => Promise.reject(new Error('the disk is full'))],
  ['redis', () => server.kill()],
])('a failure of the %s is told as its own', async (whose, write) => {
  expect(await receive(write, store)).toMatchObject({ status: 503 });
  expect(told).toEqual([whose]);
});
