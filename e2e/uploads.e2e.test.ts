import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { ask, type Reply } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const MAX_FILE_BYTES = 10_485_760;

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, workers: 0, stats: true });
  ({ key } = await stack.createKey());
});
afterAll(() => stack.stop());

const countKey = () => redisKeys.uploads(new Date().toISOString().slice(0, 10), '127.0.0.1');
const used = async () => Number(await stack.redis.client.get(countKey()));
const stored = async (folder: string) => (await readdir(join(stack.uploads, folder)).catch(() => [])).length;
const totals = async () => (await ask(stack.url, '/api/stats')).body['result'] as Record<string, unknown>;

function upload(url: string, size: number): Promise<Reply> {
  const body = new FormData();
  body.append('file', new Blob([Buffer.alloc(size, 'x')]), 'a.bin');
  return ask(url, '/api/upload', { method: 'POST', body, headers: { 'x-api-key': key } });
}

test('30 at once over two gateways: exactly 20 are kept, and all numbers agree', async () => {
  const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => upload(stack.urls[i % 2] ?? '', 1000 + i)));
  const kept = replies.filter(({ status }) => status === 201);
  expect(kept).toHaveLength(20);
  for (const { status, body } of replies) if (status !== 201) expect(body).toMatchObject({ used: 20, limit: 20 });
  expect(await ask(stack.url, '/api/check-limit')).toMatchObject({
    status: 429,
    body: { used: 20, remaining: 0, limit: 20 },
  });
  const bytes = kept.reduce((sum, { body }) => sum + (body['result'] as { size: number }).size, 0);
  expect(await totals()).toMatchObject({
    total_files: 20,
    total_storage_bytes: bytes,
    uploads_by_kind: { file: 20, code: 0, private: 0 },
  });
  expect({ files: await stored('files'), partial: await stored('partial') }).toEqual({ files: 20, partial: 0 });
  // What one gateway keeps, the other serves.
  for (const { body } of kept.slice(0, 4)) {
    const { id, size } = body['result'] as { id: string; size: number };
    for (const url of stack.urls) expect((await ask(url, `/files/${id}`)).text).toHaveLength(size);
  }
});

test('one byte too many: 413, nothing kept, no place used', async () => {
  await stack.redis.client.set(countKey(), '19');
  expect((await upload(stack.url, MAX_FILE_BYTES + 1)).status).toBe(413);
  expect(await used()).toBe(19);
  expect(await ask(stack.url, '/api/check-limit')).toMatchObject({ status: 200, body: { used: 19, remaining: 1 } });
  expect((await upload(stack.url, MAX_FILE_BYTES)).status).toBe(201);
  expect((await upload(stack.url, 1)).status).toBe(429);
  expect(await stored('partial')).toBe(0);
});

test('a gateway killed in mid-upload leaves no half file and no lost place', async () => {
  await stack.redis.client.set(countKey(), '0');
  const files = await stored('files');
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const sent = request(new URL('/api/upload', stack.urls[1]), {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'multipart/form-data; boundary=b', 'content-length': '1000000' },
  });
  sent.on('error', () => undefined);
  sent.write(form + 'x'.repeat(100_000));
  await until(async () => (await stored('partial')) === 1);
  expect(await used()).toBe(1);
  await stack.gateways[1]?.end('SIGKILL');
  // The other gateway finds that the lease is not renewed.
  await until(async () => (await used()) === 0 && (await stored('partial')) === 0);
  await until(async () => (await stack.redis.client.zcard(redisKeys.openUploads)) === 0);
  expect(await stored('files')).toBe(files);
  expect((await totals())['total_files']).toBe(files);
});

// The peak is read where Linux gives it.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('memory does not grow with the size of uploads: contents are streamed', async () => {
  await stack.redis.client.set(countKey(), '0');
  const before = await residentBytes();
  await Promise.all(Array.from({ length: 20 }, () => upload(stack.url, MAX_FILE_BYTES)));
  // Twenty files of 10 MB held whole would be 200 MB.
  expect((await residentBytes()) - before).toBeLessThan(120_000_000);
});

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${stack.gateways[0]?.process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
