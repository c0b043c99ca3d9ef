import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import type { Request, Response } from 'express';
import { createTurnstile } from '../generation/turnstile.ts';
import type { RequestContext } from '../http/request-context.ts';
import { serveFile } from './serve-file.ts';
import { newUploadId } from './upload.ts';
import { keepUpload, reserveUpload } from './upload-ledger.ts';
import { serveUpload, type UploadRouteDeps } from './upload-routes.ts';

const id = newUploadId();
let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
  await reserveUpload(redis.client, { id, address: '127.0.0.1', perDay: 1, now: Date.now() });
  const record = { owner: 'k', form: 'file', name: 'a', size: 1, contentType: 'a/b', createdAt: 0 } as const;
  await keepUpload(redis.client, id, { ...record, visibility: 'public' });
});
afterAll(() => redis.stop());

test('a content whose caller left before it was opened is closed again', async () => {
  const content = Readable.from([Buffer.from('x')]);
  const deps = { redis: redis.client, storage: { read: async () => content } } as unknown as UploadRouteDeps;
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
  await serveUpload(deps, ...(await left.promise), {} as RequestContext);
  server.close();
  expect(content.destroyed).toBe(true);
});

test('a storage that cannot be read is a 503, and nobody who waits in line is sent away for it', async () => {
  const turnstile = createTurnstile(1);
  const first = Promise.withResolvers<void>();
  void turnstile.pass(() => first.promise);
  const waiting = turnstile.pass(async () => 'let in');
  const told: unknown[] = [];
  const deps = {
    redis: redis.client,
    storage: { read: () => Promise.reject(new Error('no connection to the store')) },
    onRedisFailure: () => turnstile.sendAway(),
    onStorageFailure: (error: unknown) => told.push(error),
  } as unknown as UploadRouteDeps;
  const answer = await serveFile(deps, {} as RequestContext, id);
  first.resolve();
  expect(answer).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  expect(await waiting).toBe('let in');
  expect(told).toEqual([new Error('no connection to the store')]);
});
