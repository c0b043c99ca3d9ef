import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import type { Request, Response } from 'express';
import type { RequestContext } from '../envelope/request-context.ts';
import { createTurnstile } from '../generation/turnstile.ts';
import { serveUpload, type UploadRouteDeps } from '../server/upload-routes.ts';
import { serveFile } from './serve-file.ts';
import { newUploadId } from './upload.ts';
import { keepUpload, reserveUpload } from './upload-ledger.ts';

const id = newUploadId();
let redis: TestRedis;
const downloads = {
  downloadsPerHour: 10,
  uploadTtlMs: 0,
  metrics: gatewayMetrics(createRegistry('gateway', 'test')),
};
const context = { address: '127.0.0.1' } as RequestContext;

beforeAll(async () => {
  redis = await startTestRedis();
  await redis.client.hset(redisKeys.apiKey('k'), 'state', 'active');
  const room = { keyId: 'k', bytes: 1, atMost: false, maxStorageBytes: 1 };
  await reserveUpload(redis.client, { id, address: '127.0.0.1', perDay: 1, now: Date.now(), ...room });
  const record = { owner: 'k', form: 'file', name: 'a', size: 1, contentType: 'a/b', createdAt: 0 } as const;
  await keepUpload(redis.client, id, { ...record, visibility: 'public' }, 1);
});
afterAll(() => redis.stop());

test('a content whose caller left before it was opened is closed again', async () => {
  const content = Readable.from([Buffer.from('x')]);
  const deps = {
    ...downloads,
    redis: redis.client,
    storage: { read: async () => content },
  } as unknown as UploadRouteDeps;
  const left = Promise.withResolvers<[Request, Response]>();
  const server = createServer((request, response) => {
    response.once('close', () =>
      left.resolve([Object.assign(request, { params: { id } }) as never, response as never]),
    );
    caller.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  caller.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await serveUpload(deps, ...(await left.promise), context);
  server.close();
  expect(content.destroyed).toBe(true);
});

test('a storage that cannot be read is a 503, and no request that waits in line is refused for it', async () => {
  const turnstile = createTurnstile(1);
  const first = Promise.withResolvers<void>();
  void turnstile.pass(() => first.promise);
  const waiting = turnstile.pass(async () => 'let in');
  const reported: unknown[] = [];
  const deps = {
    ...downloads,
    redis: redis.client,
    storage: { read: () => Promise.reject(new Error('no connection to the store')) },
    onRedisFailure: () => turnstile.sendAway(),
    onStorageFailure: (error: unknown) => reported.push(error),
  } as unknown as UploadRouteDeps;
  const answer = await serveFile(deps, context, id);
  first.resolve();
  expect(answer).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  expect(await waiting).toBe('let in');
  expect(reported).toEqual([new Error('no connection to the store')]);
});
