import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestObjectStore, type TestObjectStore } from '@lontar/shared/testing/object-store.ts';
import { ask } from './harness/client.ts';
import { type Stack, startStack } from './harness/stack.ts';

let store: TestObjectStore;
let stack: Stack;
let key: string;

beforeAll(async () => {
  store = await startTestObjectStore();
  const settings = {
    UPLOAD_STORAGE: 's3',
    S3_BUCKET: store.bucket,
    S3_ENDPOINT: store.endpoint,
    S3_ACCESS_KEY_ID: store.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
  };
  stack = await startStack({ gateways: 2, workers: 0, stats: true, settings });
  ({ key } = await stack.createKey());
});
afterAll(async () => {
  await stack?.stop();
  await store?.stop();
});

const headers = () => ({ 'x-api-key': key });
const used = async () =>
  Number(await stack.redis.client.get(redisKeys.uploads(new Date().toISOString().slice(0, 10), '127.0.0.1')));
const spooled = () => readdir(join(stack.uploads, 'partial'));

function upload(url: string, content: Buffer, visibility = 'public') {
  const body = new FormData();
  body.append('visibility', visibility);
  body.append('file', new Blob([content]), 'a.bin');
  return ask(url, '/api/upload', { method: 'POST', body, headers: headers() });
}

test('what one gateway puts into the object store, another serves, guards and removes', async () => {
  const [one = '', two = ''] = stack.urls;
  const content = Buffer.alloc(3_000_000, 'x');
  const kept = await Promise.all([upload(one, content), upload(one, Buffer.alloc(0)), upload(one, content, 'private')]);
  expect(kept.map(({ status }) => status)).toEqual([201, 201, 201]);
  const [file, , secret] = kept.map(({ body }) => (body['result'] as { id: string }).id);
  expect((await ask(two, `/files/${file}`)).text).toHaveLength(content.length);
  expect((await ask(two, `/files/${secret}`)).status).toBe(404);
  expect((await ask(two, `/files/${secret}`, { headers: headers() })).text).toHaveLength(content.length);
  expect((await ask(two, `/files/${file}`, { method: 'DELETE', headers: headers() })).status).toBe(200);
  expect((await ask(one, `/files/${file}`)).status).toBe(404);
  expect(await used()).toBe(3);
  expect(await spooled()).toEqual([]);
});

test('a store that is gone costs an upload nothing but patience', async () => {
  await store.stop();
  const refused = await upload(stack.url, Buffer.from('x'));
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]/) } });
  expect(refused.text).not.toContain(new URL(store.endpoint).port);
  expect(await used()).toBe(3);
  expect(await spooled()).toEqual([]);
});
