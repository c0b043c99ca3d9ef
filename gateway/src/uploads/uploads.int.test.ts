import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';
import { newUploadId } from './upload.ts';
import { abandonUpload, forgetUpload, keepUpload, LEASE_MS, removeUpload, reserveUpload } from './upload-ledger.ts';

const MAX = 10_485_760;
const BOUNDARY = 'x-boundary-x';

let gateway: TestGateway;
let key: string;
let keyId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  ({ key, id: keyId } = await gateway.createKey());
});
afterEach(async () => {
  await gateway.redis.client.del(countKey(), redisKeys.uploadTotals);
});

interface Result {
  status: number;
  headers: Headers;
  body: Record<string, never> & { result: { id: string; url: string; name: string } };
}

const countKey = () => redisKeys.uploads(new Date().toISOString().slice(0, 10), '127.0.0.1');
const used = async () => Number(await gateway.redis.client.get(countKey()));
const statistics = () => gateway.redis.client.hgetall(redisKeys.uploadTotals);
const room = () => ({ keyId, bytes: 1_000, atMost: false, maxStorageBytes: 10_000_000_000 });
const stored = async (folder: string, uploads = gateway.folder) =>
  (await readdir(join(uploads, folder)).catch(() => [])).length;

async function call(
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Result> {
  const response = await fetch(new URL(path, gateway.url), {
    ...init,
    headers: { 'x-api-key': key, ...init.headers },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Result['body'] };
}

function upload(parts: [string, string | Blob, string?][]): Promise<Result> {
  const form = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, filename);
  }
  return call('/api/upload', { method: 'POST', body: form });
}

const send = (body: string, type = `multipart/form-data; boundary=${BOUNDARY}`) =>
  call('/api/upload', { method: 'POST', body, headers: { 'content-type': type } });

/** A form as text, each part with its own headers. */
const form = (...parts: string[]) =>
  `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`;
const filePart = (name: string, filename = 'a.txt', content = 'content') =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n${content}`;
const fieldPart = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

const file = (content: string | number, type = 'text/plain') =>
  new Blob([typeof content === 'number' ? Buffer.alloc(content, 'x') : content], { type });

async function expectNothingKept(): Promise<void> {
  expect({
    used: await used(),
    open: await gateway.redis.client.zcard(redisKeys.openUploads),
    statistics: await statistics(),
    partial: await stored('partial'),
  }).toEqual({ used: 0, open: 0, statistics: {}, partial: 0 });
}

describe('a file', () => {
  test('is kept, and comes back as it was, to be saved', async () => {
    const reply = await upload([['file', file('héllo\n', 'image/png'), 'Grüße 🌴.png']]);
    expect(reply).toMatchObject({ status: 201, body: { status: true, code: 201, message: 'Sukses' } });
    expect(reply.body.result).toEqual({
      id: expect.stringMatching(/^file_[0-9A-Za-z]{22}$/),
      url: `${gateway.url}/files/${reply.body.result.id}`,
      name: 'Grüße 🌴.png',
      size: 7,
      content_type: 'image/png',
      visibility: 'public',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(reply.headers.get('x-ratelimit-limit')).toBe('20');
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('19');
    expect(Number(reply.headers.get('x-ratelimit-reset')) % 86_400).toBe(0);

    const fetched = await fetch(reply.body.result.url);
    expect(await fetched.text()).toBe('héllo\n');
    expect(Object.fromEntries(fetched.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '7',
      'content-disposition': `attachment; filename="Gr__e __.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%F0%9F%8C%B4.png`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(fetched.headers.get('etag')).toBeNull();
    const head = await fetch(reply.body.result.url, { method: 'HEAD' });
    expect({ status: head.status, length: head.headers.get('content-length') }).toEqual({ status: 200, length: '7' });
    expect(await statistics()).toEqual({ files: '1', bytes: '7', 'kind:file': '1' });
  });

  test.each([
    ['text/html', '<script>alert(1)</script>'],
    ['image/svg+xml', '<svg onload="alert(1)"/>'],
    ['text/javascript', 'alert(1)'],
    ['text/css', 'a{}'],
    ['application/xhtml+xml', '<html/>'],
  ])('of type %s is served as bytes to save, in a sandbox', async (type, content) => {
    const { body } = await upload([['file', file(content, type), 'page.html']]);
    expect(body.result).toMatchObject({ content_type: type });
    const fetched = await fetch(body.result.url);
    expect(await fetched.text()).toBe(content);
    expect(fetched.headers.get('content-type')).toBe('application/octet-stream');
    expect(fetched.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(fetched.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  test('of exactly the limit is kept, and one byte more is not', async () => {
    expect(await upload([['file', file(MAX), 'a.bin']])).toMatchObject({
      status: 201,
      body: { result: { size: MAX } },
    });
    await gateway.redis.client.del(countKey(), redisKeys.uploadTotals);
    const reply = await upload([['file', file(MAX + 1), 'a.bin']]);
    expect(reply).toMatchObject({ status: 413, body: { error: 'Payload Too Large', code: 413 } });
    await expectNothingKept();
  });

  test('much larger than the limit is refused while its sender still sends', async () => {
    const reply = await upload([['file', file(5 * MAX), 'a.bin']]);
    expect(reply.status).toBe(413);
    await expectNothingKept();
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\\\..\\\\boot.ini', 'boot.ini'],
    ['C:\\\\Users\\\\me\\\\a.txt', 'a.txt'],
    ['/absolute/path.txt', 'path.txt'],
    ['..', 'file'],
    ['', 'file'],
    ['a\u0000b\u0007.txt', 'ab.txt'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    [`${'n'.repeat(251)}.tar`, `${'n'.repeat(251)}.tar`],
  ])('called %j is called %j', async (given, name) => {
    const reply = await send(form(filePart('file', given)));
    expect(reply).toMatchObject({ status: 201, body: { result: { name } } });
    expect(await stored('partial')).toBe(0);
  });

  test('may be empty, and may have its visibility in front of it or behind it', async () => {
    const before = await send(form(fieldPart('visibility', 'private'), filePart('file', 'a', '')));
    const behind = await send(form(filePart('file'), fieldPart('visibility', 'private')));
    for (const reply of [before, behind]) {
      expect(reply).toMatchObject({ status: 201, body: { result: { visibility: 'private' } } });
    }
    expect(await statistics()).toEqual({ files: '2', bytes: '7', 'kind:private': '2' });
  });
});

describe('a form that is not as documented keeps nothing:', () => {
  test.each([
    ['wrong field', form(filePart('upload')), 400, /"upload"/],
    ['nested field', form(filePart('file[0]')), 400, /"file\[0\]"/],
    ['deeply nested field', form(filePart(`file${'[a]'.repeat(40)}`)), 400, /part named/],
    ['prototype field', form(filePart('file'), fieldPart('__proto__', 'x')), 400, /"__proto__"/],
    ['nested visibility', form(filePart('file'), fieldPart('visibility[x]', 'private')), 400, /visibility\[x\]/],
    ['two files', form(filePart('file'), filePart('file')), 400, /too many parts/],
    ['visibility twice', form(fieldPart('visibility', 'public'), fieldPart('visibility', 'private')), 400, /too many/],
    ['1,000 fields', form(...Array.from({ length: 1000 }, (_, i) => fieldPart(`f${i}`, 'x'))), 400, /part named/],
    ['1,000 files', form(...Array.from({ length: 1000 }, () => filePart('file'))), 400, /too many parts/],
    ['file as text', form(fieldPart('file', 'text')), 400, /no filename/],
    ['unknown visibility', form(filePart('file'), fieldPart('visibility', 'secret')), 400, /public or private/],
    ['no file', form(fieldPart('visibility', 'public')), 400, /file is required/],
    ['no part at all', form(), 400, /required|broken/],
    ['empty body', '', 400, /broken|required/],
    ['end in the middle of the file', form(filePart('file')).slice(0, -30), 400, /ends too early/],
    ['part without headers', form('\r\nx'), 400, /required/],
  ])('%s', async (_what, body, status, message) => {
    const reply = await send(body);
    expect({ status: reply.status, message: reply.body['message'] }).toEqual({
      status,
      message: expect.stringMatching(message),
    });
    await expectNothingKept();
  });

  test.each([
    ['multipart/form-data', 400],
    ['application/json', 415],
    ['multipart/mixed; boundary=x', 415],
    ['multipart/form-data; boundary=', 400],
  ])('content type %s', async (type, status) => {
    expect(await send(form(filePart('file')), type)).toMatchObject({ status });
    await expectNothingKept();
  });
});

describe('the day of an address', () => {
  test('takes exactly 20 of 30 uploads at once, and its 21st gets the record', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 2 === 0
          ? upload([['file', file(`content ${i}`), `${i}.txt`]])
          : call('/api/code', {
              method: 'POST',
              body: JSON.stringify({ code: `print(${i})`, visibility: i % 3 === 0 ? 'private' : 'public' }),
              headers: { 'content-type': 'application/json' },
            }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ error: 'Too many requests', used: 20, remaining: 0, limit: 20 });
      expect(Object.keys(body).sort()).toEqual(['code', 'error', 'limit', 'message', 'remaining', 'status', 'used']);
      expect(headers.get('x-ratelimit-limit')).toBe('20');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await used()).toBe(20);
    expect(await statistics()).toMatchObject({ files: '20' });
  });
});

describe('an upload that is cut off', () => {
  test('keeps nothing and gives its place back', async () => {
    const sent = request(new URL('/api/upload', gateway.url), {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': '5000000',
      },
    });
    sent.on('error', () => undefined);
    sent.write(`--${BOUNDARY}\r\n${filePart('file', 'a', 'x'.repeat(100_000))}`);
    await until(async () => (await stored('partial')) === 1);
    expect(await used()).toBe(1);
    sent.destroy();
    await until(async () => (await used()) === 0 && (await stored('partial')) === 0);
    await until(async () => (await gateway.redis.client.zcard(redisKeys.openUploads)) === 0);
    await expectNothingKept();
  });

  test('by 100 callers, before Redis has let them in, keeps nothing either', async () => {
    const roomy = await startTestGateway({ UPLOADS_PER_DAY: '1000' });
    try {
      const { client } = roomy.redis;
      const { key } = await roomy.createKey();
      const head =
        `POST /api/upload HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Length: 5000000\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n`;
      for (let i = 0; i < 100; i++) {
        // The end of the connection is there with the head; Redis is asked when the head has been read.
        const socket = connect(Number(new URL(roomy.url).port), '127.0.0.1', () => {
          socket.write(`${head}--${BOUNDARY}`);
          socket.destroy();
        });
        socket.on('error', () => undefined);
      }
      const allEnded = /^gateway_uploads_total\{kind="file",outcome="cut_off".*\} 100$/m;
      await until(async () => allEnded.test(await (await fetch(roomy.metricsUrl)).text()));
      expect({
        used: await client.get(countKey()),
        open: await client.zcard(redisKeys.openUploads),
        uploads: await client.keys(redisKeys.upload('*')),
        partial: await stored('partial', roomy.folder),
        files: await stored('files', roomy.folder),
      }).toEqual({ used: '0', open: 0, uploads: [], partial: 0, files: 0 });
    } finally {
      await roomy.stop();
    }
  });
});

describe('what a gateway leaves that died', () => {
  test('in mid-upload is swept when its lease has ended: half file, place and metadata', async () => {
    const { client } = gateway.redis;
    const [id, now] = [newUploadId(), Date.now()];
    await reserveUpload(client, { id, address: '127.0.0.1', perDay: 20, now: now - LEASE_MS - 60_000, ...room() });
    await mkdir(join(gateway.folder, 'partial'), { recursive: true });
    await writeFile(join(gateway.folder, 'partial', id), 'half');
    expect(await used()).toBe(1);
    await until(async () => (await client.exists(redisKeys.upload(id))) === 0);
    await expectNothingKept();
  });

  test('between hiding a removed upload and removing its content is swept too', async () => {
    const { body } = await upload([['file', file('x'), 'a.txt']]);
    const { id } = body.result;
    await removeUpload(gateway.redis.client, id, keyId);
    await until(async () => (await gateway.redis.client.exists(redisKeys.upload(id))) === 0);
    expect(await readdir(join(gateway.folder, 'files'))).not.toContain(id);
    expect(await used()).toBe(1);
  });

  test('an upload that was given back cannot be kept any more', async () => {
    const { client } = gateway.redis;
    const id = newUploadId();
    await reserveUpload(client, { id, address: '127.0.0.1', perDay: 20, now: Date.now(), ...room() });
    await abandonUpload(client, id);
    await abandonUpload(client, id);
    const record = { owner: keyId, form: 'file', name: 'a', size: 1, contentType: 'a/b', createdAt: 0 } as const;
    expect(await keepUpload(client, id, { ...record, visibility: 'public' }, 1_000)).toBe('gone');
    expect(await used()).toBe(0);
    await forgetUpload(client, id);
  });

  test('without knowing whether it was kept: giving back takes it out of the statistics again', async () => {
    const { body } = await upload([['file', file('12345'), 'a.txt']]);
    await abandonUpload(gateway.redis.client, body.result.id);
    expect(await used()).toBe(0);
    expect(await statistics()).toEqual({ files: '0', bytes: '0', 'kind:file': '0' });
    expect((await fetch(body.result.url)).status).toBe(404);
    await until(async () => (await gateway.redis.client.exists(redisKeys.upload(body.result.id))) === 0);
  });
});

test('the hour of an address counts uploads, but not files; bad keys ban at both', async () => {
  const strict = await startTestGateway({ RATE_LIMIT_PER_HOUR: '4', BAN_AFTER_BAD_KEYS: '3' });
  try {
    const { key } = await strict.createKey();
    const post = (apiKey: string) =>
      fetch(new URL('/api/code', strict.url), {
        method: 'POST',
        body: '{"code":"x"}',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      });
    const first = await post(key);
    expect(first.headers.get('x-ratelimit-limit')).toBe('4');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('3');
    const { result } = (await first.json()) as { result: { url: string } };
    for (let i = 0; i < 10; i++) expect((await fetch(result.url)).status).toBe(200);
    expect((await post('nonsense')).status).toBe(401);
    for (let i = 0; i < 2; i++) {
      const missing = new URL(`/files/${newUploadId()}`, strict.url);
      expect((await fetch(missing, { headers: { 'x-api-key': 'nonsense' } })).status).toBe(401);
    }
    expect((await post('nonsense')).status).toBe(403);
    // A genuine key passes that ban.
    for (const status of [201, 201, 429]) expect((await post(key)).status).toBe(status);
    expect(await strict.redis.client.get(countKey())).toBe('3');
  } finally {
    await strict.stop();
  }
});

test('a storage that cannot be written is a 503, and keeps nothing', async () => {
  const broken = await startTestGateway({ UPLOAD_DIR: '/dev/null/uploads' });
  try {
    const { key } = await broken.createKey();
    const body = JSON.stringify({ code: 'x' });
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const reply = await fetch(new URL('/api/code', broken.url), { method: 'POST', body, headers });
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(await broken.redis.client.get(countKey())).toBe('0');
  } finally {
    await broken.stop();
  }
});

test('without Redis every upload, download and removal is a 503 within the time of a command', async () => {
  const lone = await startTestGateway();
  try {
    const { key } = await lone.createKey();
    await lone.redis.kill();
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    for (const [method, path] of [
      ['POST', '/api/upload'],
      ['POST', '/api/code'],
      ['GET', `/files/${newUploadId()}`],
      ['DELETE', `/files/${newUploadId()}`],
    ] as const) {
      const body = method === 'POST' ? { body: '{"code":"x"}' } : {};
      expect((await fetch(new URL(path, lone.url), { method, headers, ...body })).status).toBe(503);
    }
  } finally {
    await lone.redis.start();
    await lone.stop();
  }
});

describe('code', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call('/api/code', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });

  test('is kept, and served as plain text whatever its language', async () => {
    const code = '<script>alert("ü")</script>\n';
    const reply = await post({ code, language: 'HTML' });
    expect(reply).toMatchObject({
      status: 201,
      body: { result: { name: 'code.html', size: 29, content_type: 'text/plain; charset=utf-8' } },
    });
    const fetched = await fetch(reply.body.result.url);
    expect(await fetched.text()).toBe(code);
    expect(fetched.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(fetched.headers.get('content-disposition')).toContain('attachment; filename="code.html"');
    expect(await statistics()).toEqual({ files: '1', bytes: '29', 'kind:code': '1' });
  });

  test.each(['constructor', '__proto__', 'klingon'])('in the language %s is a text file', async (language) => {
    const reply = await post({ code: 'x', language });
    expect(reply).toMatchObject({ status: 201, body: { result: { name: 'code.txt' } } });
  });

  test('may name its key in the body', async () => {
    expect(await post({ code: 'x', apikey: key }, { 'x-api-key': '' })).toMatchObject({ status: 201 });
    expect(await post({ code: 'x', apikey: key })).toMatchObject({ status: 400 });
  });

  test.each([
    [{}, 400, /code is required/],
    [{ code: '' }, 400, /code is required/],
    [{ code: 5 }, 400, /code must be text in valid Unicode; "5" was given/],
    [{ code: 'x', visibility: 'all' }, 400, /visibility must be public or private; "all"/],
    [{ code: 'x', language: 'a\nb' }, 400, /language must be a name .*; "a\\nb" was given/],
    [{ code: 'x', filename: [] }, 400, /filename must be text; a list was given/],
    [`{"code":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 400, /code must be text .*; a list was given/],
    ['[]', 400, /JSON object with code/],
    ['{', 400, /not valid JSON/],
    [{ code: 'x'.repeat(MAX + 1) }, 413, /larger than/],
    [{ code: 'x'.repeat(3 * MAX) }, 413, /too large/],
  ])('%#: is refused and keeps nothing', async (body, status, message) => {
    const reply = await post(body);
    expect({ status: reply.status, message: reply.body['message'] }).toEqual({
      status,
      message: expect.stringMatching(message),
    });
    await expectNothingKept();
  });

  test('of another content type gets 415', async () => {
    expect(await post({ code: 'x' }, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  });
});

describe('a key', () => {
  test('is needed, genuine and active; nothing is charged to it', async () => {
    const body = JSON.stringify({ code: 'x' });
    const post = (headers: Record<string, string>) =>
      call('/api/code', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    const paid = await gateway.createKey({ credits: '1', concurrency: '0' });
    expect(await post({ 'x-api-key': paid.key })).toMatchObject({ status: 201 });
    expect(await gateway.redis.client.hget(redisKeys.apiKey(paid.id), 'charged')).toBeNull();

    expect(await post({ 'x-api-key': '' })).toMatchObject({
      status: 400,
      body: { message: 'apikey is required; send it in the header X-API-Key.' },
    });
    expect(await post({ 'x-api-key': 'nonsense' })).toMatchObject({ status: 401, body: { error: 'Invalid API key' } });
    expect(await post({ authorization: `Bearer ${key}` })).toMatchObject({ status: 400 });
    const elsewhere = await gateway.createKey({ addressBits: '4:1' });
    expect(await post({ 'x-api-key': elsewhere.key })).toMatchObject({ status: 403 });
    await gateway.redis.client.hset(redisKeys.apiKey(paid.id), 'state', 'revoked');
    expect(await post({ 'x-api-key': paid.key })).toMatchObject({ status: 403, body: { error: 'API key not active' } });
    expect(await used()).toBe(1);
  });

  test('alone sees its private upload: for all others it does not exist', async () => {
    const { body } = await send(form(fieldPart('visibility', 'private'), filePart('file', 'a.txt', 'mine')));
    const { url, id } = body.result;
    const missing = `/files/${id.slice(0, -4)}0000`;
    const other = await gateway.createKey();
    for (const headers of [{ 'x-api-key': '' }, { 'x-api-key': other.key }]) {
      const [hidden, absent] = [await call(url, { headers }), await call(missing, { headers })];
      expect(hidden.status).toBe(404);
      expect(hidden.body).toEqual(absent.body);
      expect(await call(url, { method: 'DELETE', headers: { 'x-api-key': other.key } })).toMatchObject({
        status: 404,
      });
    }
    const bad = { 'x-api-key': 'nonsense' };
    expect([(await call(url, { headers: bad })).status, (await call(missing, { headers: bad })).status]).toEqual([
      401, 401,
    ]);
    const own = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(await own.text()).toBe('mine');
    expect((await fetch(`${url}?apikey=${key}`)).status).toBe(200);
  });

  test('that owns an upload removes it for good', async () => {
    const { body } = await upload([['file', file('short-lived'), 'a.txt']]);
    const { url, id } = body.result;
    const before = await stored('files');
    expect(await call(url, { method: 'DELETE', headers: { 'x-api-key': '' } })).toMatchObject({ status: 400 });
    expect(await call(url, { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { status: true, code: 200, result: { id, deleted: true } },
    });
    expect((await fetch(url)).status).toBe(404);
    expect(await call(url, { method: 'DELETE' })).toMatchObject({ status: 404 });
    expect(await stored('files')).toBe(before - 1);
    expect(await gateway.redis.client.exists(redisKeys.upload(id))).toBe(0);
    expect(await statistics()).toMatchObject({ files: '0', bytes: '0', 'kind:file': '0' });
    expect(await used()).toBe(1);
    expect(keyId).toHaveLength(10);
  });
});

test.each(['/files/', '/files/x', '/files/..%2f..%2fetc%2fpasswd', '/files/%00', `/files/${'a'.repeat(5000)}`])(
  '%s is not found',
  async (path) => {
    expect((await fetch(new URL(path, gateway.url))).status).toBe(404);
  },
);

/** Looks again until the condition holds. A test that fails must not look on for ever: Jest would not end. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 40_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await delay(10);
  }
}
