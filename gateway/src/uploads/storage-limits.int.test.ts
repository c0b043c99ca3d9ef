import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import { deleteKey } from '@lontar/shared/keys/change-key.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { ageWindow } from '@lontar/shared/testing/windows.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';
import { newUploadId } from './upload.ts';

const SIZE = 20_000;

let gateway: TestGateway;

const start = async (settings: Record<string, string> = {}) => {
  gateway = await startTestGateway({ UPLOADS_PER_DAY: '1000', ...settings });
};
beforeEach(() => {
  gateway = undefined as unknown as TestGateway;
});
afterEach(() => gateway?.stop());

interface Reply {
  readonly status: number;
  readonly body: { readonly message: string; readonly error: string; readonly result: { id: string; url: string } };
}

async function reply(response: Promise<Response>): Promise<Reply> {
  const { status, json } = await response.then((found) => ({ status: found.status, json: found.json() }));
  return { status, body: (await json) as Reply['body'] };
}

function sendFile(key: string, size: number): Promise<Reply> {
  const body = new FormData();
  body.append('file', new Blob([Buffer.alloc(size, 'x')]), 'a.bin');
  return reply(fetch(new URL('/api/upload', gateway.url), { method: 'POST', body, headers: { 'x-api-key': key } }));
}

function sendCode(key: string, size: number): Promise<Reply> {
  const body = JSON.stringify({ code: 'x\n'.repeat(size / 2), filename: 'a.txt' });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return reply(fetch(new URL('/api/code', gateway.url), { method: 'POST', body, headers }));
}

/** A form of unknown length. */
async function sendChunked(key: string, size: number): Promise<number> {
  const sent = request(new URL('/api/upload', gateway.url), {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked' },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
  });
  sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  sent.end(`${'x'.repeat(size)}\r\n--b--\r\n`);
  return status;
}

const remove = (url: string, key: string) => fetch(url, { method: 'DELETE', headers: { 'x-api-key': key } });
const storage = () => gateway.redis.client.hgetall(redisKeys.uploadStorage);
const contents = async () => (await readdir(join(gateway.folder, 'files')).catch(() => [])).length;
const statuses = (replies: readonly Reply[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(replies, ({ status }) => status)).map(([s, all]) => [s, all?.length]),
  );

/** What is counted, summed up anew from what is there. */
async function expectExact(): Promise<void> {
  const { client } = gateway.redis;
  const names = await client.keys(redisKeys.upload('*'));
  const records = await Promise.all(names.map((name) => client.hgetall(name)));
  const bytes = records.reduce((sum, { size }) => sum + Number(size), 0);
  const { counted, bytes: all = '0', files = '0', ...keys } = await storage();
  expect({ counted, bytes: Number(all), files: Number(files) }).toEqual({ counted: '1', bytes, files: names.length });
  expect(Object.values(keys).reduce((sum, own) => sum + Number(own), 0)).toBe(bytes);
  expect(await contents()).toBe(names.length);
}

describe.each([
  ['file', sendFile],
  ['code', sendCode],
] as const)('50 uploads of a %s at once', (_form, send) => {
  test("into a key's storage that fits exactly 7: 7 are kept, the others are refused", async () => {
    await start();
    const { id, key } = await gateway.createKey({ storage: String(7 * SIZE) });
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(key, SIZE)));
    expect(statuses(replies)).toEqual({ 201: 7, 413: 43 });
    const refused = replies.find(({ status }) => status === 413);
    expect(refused?.body).toMatchObject({
      error: 'Payload Too Large',
      message: expect.stringMatching(/API key.*DELETE/),
    });
    expect(await storage()).toEqual({ counted: '1', files: '7', bytes: `${7 * SIZE}`, [`key:${id}`]: `${7 * SIZE}` });
    await expectExact();
    expect(await gateway.redis.client.zcard(redisKeys.openUploads)).toBe(0);
    const day = redisKeys.uploads(new Date().toISOString().slice(0, 10), '127.0.0.1');
    expect(await gateway.redis.client.get(day)).toBe('7');
  });

  test('into the storage of all that fits exactly 5, by five keys: 5 are kept, the others get 507', async () => {
    await start({ MAX_STORAGE_BYTES: String(5 * SIZE) });
    const keys = await Promise.all(Array.from({ length: 5 }, () => gateway.createKey()));
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => send(keys[i % 5]?.key ?? '', SIZE)));
    expect(statuses(replies)).toEqual({ 201: 5, 507: 45 });
    expect(replies.find(({ status }) => status === 507)?.body).toEqual({
      status: false,
      code: 507,
      error: 'Insufficient Storage',
      message: expect.stringContaining('no room'),
    });
    await expectExact();
  });
});

describe('room', () => {
  test('comes back with each removal and each failure, to the byte', async () => {
    await start();
    const { id, key } = await gateway.createKey({ storage: String(2 * SIZE) });
    const [first, second] = [await sendFile(key, SIZE), await sendFile(key, SIZE)];
    expect([first.status, second.status, (await sendFile(key, 1)).status]).toEqual([201, 201, 413]);
    expect((await remove(first.body.result.url, key)).status).toBe(200);
    expect(await storage()).toMatchObject({ [`key:${id}`]: `${SIZE}`, bytes: `${SIZE}`, files: '1' });
    // Broken, too large, cut off.
    const headers = { 'x-api-key': key, 'content-type': 'multipart/form-data; boundary=b' };
    const broken = { method: 'POST', body: '--b\r\nx', headers };
    expect((await fetch(new URL('/api/upload', gateway.url), broken)).status).toBe(400);
    expect((await sendFile(key, SIZE + 1)).status).toBe(413);
    const cut = request(new URL('/api/upload', gateway.url), {
      method: 'POST',
      headers: { ...headers, 'content-length': SIZE },
    });
    cut.on('error', () => undefined);
    cut.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nxxx');
    await until(async () => (await gateway.redis.client.zcard(redisKeys.openUploads)) === 1);
    cut.destroy();
    await until(async () => (await gateway.redis.client.zcard(redisKeys.openUploads)) === 0);
    expect((await sendFile(key, SIZE)).status).toBe(201);
    await expectExact();
    expect((await remove(second.body.result.url, key)).status).toBe(200);
    await expectExact();
  });

  test('of a body of unknown length is what is left', async () => {
    await start();
    const { key } = await gateway.createKey({ storage: String(SIZE) });
    expect(await sendChunked(key, SIZE + 1)).toBe(413);
    expect(await sendChunked(key, SIZE)).toBe(201);
    expect(await sendChunked(key, 1)).toBe(413);
    await expectExact();
  });

  test('bounds the number of files as well', async () => {
    await start();
    const { id, key } = await gateway.createKey();
    const members = Array.from({ length: 999 }, (_, i) => [i, `file_${i}`]).flat();
    await gateway.redis.client.zadd(redisKeys.keyUploads(id), ...members);
    await gateway.redis.client.hset(redisKeys.apiKey(id), 'storage', '1000000');
    expect([(await sendFile(key, 1)).status, (await sendFile(key, 1)).status]).toEqual([201, 413]);
    await gateway.redis.client.hset(redisKeys.apiKey(id), 'storage', String(4_096 * 1_001));
    expect([(await sendFile(key, 1)).status, (await sendFile(key, 1)).status]).toEqual([201, 413]);
  });

  test('that a gateway took and died with is given back by another one', async () => {
    await start();
    const { client } = gateway.redis;
    const { id: keyId, key } = await gateway.createKey({ storage: '1000' });
    const id = newUploadId();
    const { reserveUpload, LEASE_MS } = await import('./upload-ledger.ts');
    const input = { id, address: '192.0.2.1', keyId, perDay: 20, bytes: 1_000, atMost: false, maxStorageBytes: 10_000 };
    await reserveUpload(client, { ...input, now: Date.now() - LEASE_MS });
    expect((await sendFile(key, 1)).status).toBe(413);
    await until(async () => (await client.exists(redisKeys.upload(id))) === 0);
    expect(await storage()).toEqual({ counted: '1', bytes: '0', files: '0' });
    expect((await sendFile(key, 1)).status).toBe(201);
  });
});

describe('files that were there before they were counted', () => {
  const old = async (owner: string, size: number, createdAt = Date.now()) => {
    const id = newUploadId();
    const fields = { owner, form: 'file', name: 'a', contentType: 'a/b', visibility: 'public', kind: 'file' };
    await gateway.redis.client.hset(redisKeys.upload(id), { state: 'kept', size, createdAt, day: 'x', ...fields });
    return id;
  };

  test('are counted, once, however often and by however many', async () => {
    await start({ MAX_STORAGE_BYTES: String(5 * SIZE) });
    const { client } = gateway.redis;
    const { id, key } = await gateway.createKey({ storage: String(4 * SIZE) });
    for (let i = 0; i < 3; i++) await old(id, SIZE);
    await client.set(redisKeys.upload('broken'), 'not a hash');
    expect((await sendFile(key, SIZE)).status).toBe(201);
    // As a restore leaves it: some counted, some not.
    await client.hdel(redisKeys.uploadStorage, 'counted');
    const { countUploads } = await import('./stored-uploads.ts');
    const counted = await Promise.all([countUploads(client), countUploads(client)]);
    expect(counted.reduce((sum, some) => sum + some, 0)).toBe(3);
    expect(await storage()).toEqual({ counted: '1', files: '4', bytes: `${4 * SIZE}`, [`key:${id}`]: `${4 * SIZE}` });
    expect((await sendFile(key, 1)).status).toBe(413);
  });

  test('are counted by a gateway that runs, when a restore has taken the count away', async () => {
    await start();
    const { client } = gateway.redis;
    const { id, key } = await gateway.createKey();
    await sendFile(key, SIZE);
    await client.del(redisKeys.uploadStorage, redisKeys.keyUploads(id));
    await until(async () => (await client.hget(redisKeys.uploadStorage, 'counted')) === '1');
    expect(await storage()).toEqual({ counted: '1', files: '1', bytes: `${SIZE}`, [`key:${id}`]: `${SIZE}` });
  });
});

describe('files', () => {
  test('of a revoked, expired or deleted key are 404 at once, for its own caller as well, and are removed', async () => {
    await start();
    const { client } = gateway.redis;
    const endings = [{ state: 'revoked' }, { expiresAt: String(Date.now() - 1) }, 'deleted'] as const;
    const ended = endings.map(async (end) => {
      const { id, key } = await gateway.createKey();
      const { url } = (await sendFile(key, SIZE)).body.result;
      expect((await fetch(url)).status).toBe(200);
      if (end === 'deleted') await deleteKey(client, id, { actor: { by: 'cli', id: 'tester' } });
      else await client.hset(redisKeys.apiKey(id), end);
      await client.hdel(redisKeys.apiKey(id), PACKED_TERMS);
      const own = await fetch(url, { headers: { 'x-api-key': key } });
      expect([(await fetch(url)).status, own.status]).toEqual([404, end === 'deleted' ? 401 : 404]);
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(404);
      await until(async () => (await client.hget(redisKeys.uploadStorage, `key:${id}`)) === null);
    });
    await Promise.all(ended);
    await until(async () => (await contents()) === 0);
    expect(await storage()).toEqual({ counted: '1', bytes: '0', files: '0' });
    expect(await client.hgetall(redisKeys.uploadTotals)).toEqual({ files: '0', bytes: '0', 'kind:file': '0' });
  });

  test('are 404 after UPLOAD_TTL_DAYS, and removed; younger ones stay', async () => {
    await start({ UPLOAD_TTL_DAYS: '2' });
    const { client } = gateway.redis;
    const { id: keyId, key } = await gateway.createKey();
    const [aged, young] = [(await sendFile(key, SIZE)).body.result, (await sendFile(key, SIZE)).body.result];
    const createdAt = Date.now() - 2 * 86_400_000;
    await client.hset(redisKeys.upload(aged.id), 'createdAt', createdAt);
    await client.zadd(redisKeys.keyUploads(keyId), createdAt, aged.id);
    expect([(await fetch(aged.url)).status, (await fetch(young.url)).status]).toEqual([404, 200]);
    await until(async () => (await contents()) === 1);
    await until(async () => (await client.exists(redisKeys.upload(aged.id))) === 0);
    await expectExact();
  });

  test('are kept for ever with UPLOAD_TTL_DAYS=0', async () => {
    await start({ UPLOAD_TTL_DAYS: '0' });
    const { key } = await gateway.createKey();
    const { id, url } = (await sendFile(key, SIZE)).body.result;
    await gateway.redis.client.hset(redisKeys.upload(id), 'createdAt', '0');
    expect((await fetch(url)).status).toBe(200);
  });
});

test('a key without credits left may not upload, and gets the answer of a generation', async () => {
  await start();
  const { id, key } = await gateway.createKey({ credits: '3' });
  expect((await sendFile(key, 1)).status).toBe(201);
  await gateway.redis.client.hset(redisKeys.apiKey(id), 'charged', '3');
  for (const refused of [await sendFile(key, 1), await sendCode(key, 2)]) {
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      error: 'Too many requests',
      message: expect.stringContaining('3 of 3. Waiting does not bring more; only the operator can add some.'),
      ...{ used: 3, remaining: 0, limit: 3 },
    });
  }
  await expectExact();
});

describe('before a byte of the body has come', () => {
  /** Sends the head of a request alone; gives the status of the answer. */
  function sendHead(path: string, headers: Record<string, string>): Promise<number> {
    const type = path === '/api/code' ? 'application/json' : 'multipart/form-data; boundary=b';
    const sent = request(new URL(path, gateway.url), {
      method: 'POST',
      headers: { 'content-type': type, 'content-length': '5000', ...headers },
    });
    sent.flushHeaders();
    return new Promise((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (answer) => {
        resolve(answer.statusCode ?? 0);
        sent.destroy();
      });
    });
  }

  test.each(['/api/upload', '/api/code'])('%s judges key, size, credits and room', async (path) => {
    await start({ MAX_FILE_BYTES: '100000', BAN_AFTER_BAD_KEYS: '0' });
    const good = await gateway.createKey();
    const spent = await gateway.createKey({ credits: '1', charged: '1' });
    const full = await gateway.createKey({ storage: '0' });
    expect(await sendHead(path, { 'x-api-key': 'nonsense' })).toBe(401);
    expect(await sendHead(path, { 'x-api-key': good.key, 'content-length': '10000000' })).toBe(413);
    expect(await sendHead(path, { 'x-api-key': good.key, 'content-type': 'text/plain' })).toBe(415);
    expect(await sendHead(path, { 'x-api-key': spent.key })).toBe(429);
    expect(await sendHead(path, { 'x-api-key': full.key })).toBe(413);
  });

  test('/api/code judges the address alone, where the body may hold the key', async () => {
    await start({ RATE_LIMIT_PER_HOUR: '2' });
    const { key } = await gateway.createKey();
    expect(await sendHead('/api/code', { 'content-length': '300000' })).toBe(413);
    const body = JSON.stringify({ code: 'x', apikey: key });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    expect((await fetch(new URL('/api/code', gateway.url), init)).status).toBe(201);
    expect(await sendHead('/api/code', {})).toBe(429);
  });
});

describe('downloads of an address', () => {
  test('are bounded in an hour, those of files that are not there as well', async () => {
    await start({ DOWNLOADS_PER_HOUR: '20' });
    const { key } = await gateway.createKey();
    const { url } = (await sendFile(key, SIZE)).body.result;
    const missing = new URL(`/files/${newUploadId()}`, gateway.url);
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, i) => fetch(i % 3 === 0 ? missing : url, i % 3 === 1 ? { method: 'HEAD' } : {})),
    );
    expect(asked.filter(({ status }) => status !== 429)).toHaveLength(20);
    const refused = await fetch(url);
    expect(await refused.json()).toEqual({
      status: false,
      code: 429,
      error: 'Too many requests',
      message: expect.stringContaining('20 files within an hour'),
      ...{ used: 20, remaining: 0, limit: 20 },
    });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_601);
    expect(refused.headers.get('ratelimit-policy')).toBe('"downloads-hour";q=20;w=3600');
    // Whose file it is does not matter; the owner still removes it.
    expect((await fetch(url, { headers: { 'x-api-key': key } })).status).toBe(429);
    expect((await remove(url, key)).status).toBe(200);
    const metrics = await (await fetch(gateway.metricsUrl)).text();
    expect(metrics).toMatch(/^gateway_downloads_total\{outcome="limited".*\} 42$/m);
  });

  test('are refused to one that the operator has blocked', async () => {
    await start();
    const { key } = await gateway.createKey();
    const { url } = (await sendFile(key, SIZE)).body.result;
    const { client } = gateway.redis;
    await client.set(redisKeys.addressBan('127.0.0.1'), 'operator');
    expect(await reply(fetch(url))).toMatchObject({ status: 403, body: { error: 'Address blocked' } });
    await client.set(redisKeys.addressBan('127.0.0.1'), 'brute-force');
    expect((await fetch(url)).status).toBe(200);
  });

  test('begin anew when their hour is over', async () => {
    await start({ DOWNLOADS_PER_HOUR: '2' });
    const missing = new URL(`/files/${newUploadId()}`, gateway.url);
    for (const status of [404, 404, 429]) expect((await fetch(missing)).status).toBe(status);
    const { client } = gateway.redis;
    const window = redisKeys.addressDownloads('127.0.0.1');
    expect(await client.ttl(window)).toBeGreaterThan(3_500);
    await ageWindow(client, window, 3_602);
    for (const status of [404, 404, 429]) expect((await fetch(missing)).status).toBe(status);
  });
});

/** Looks again until the condition holds. A test that fails must not look on for ever: Jest would not end. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 40_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await delay(10);
  }
}
