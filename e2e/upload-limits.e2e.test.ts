import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { ask, expectSuccess, type Reply } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, type StackOptions, startStack } from './harness/stack.ts';

const MB = 1_048_576;

let stack: Stack;
/** Unmounts what the test has mounted. */
let unmount: (() => void) | undefined;

async function start(settings: Record<string, string> = {}, options: StackOptions = { workers: 0 }): Promise<void> {
  stack = await startStack({ ...options, settings: { UPLOADS_PER_DAY: '1000', ...settings } });
}

function sendFile(key: string, size: number, name = 'a.bin'): Promise<Reply> {
  const body = new FormData();
  body.append('file', new Blob([Buffer.alloc(size, 'x')]), name);
  return ask(stack.url, '/api/upload', { method: 'POST', body, headers: { 'x-api-key': key } });
}

const urlOf = ({ body }: Reply) => (body['result'] as { url: string }).url;

/** A folder on a disk of its own; nothing where this user may not mount one. */
function mountDisk(bytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'lontar-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'lontar-test', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  unmount = () => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  };
  return folder;
}

function canMount(): boolean {
  const folder = mountDisk(MB);
  unmount?.();
  unmount = undefined;
  return folder !== undefined;
}
const withOwnDisk = canMount() ? test : test.skip;

withOwnDisk('a disk that is full: 507, nothing half kept, no place or room lost, and generation goes on', async () => {
  const disk = mountDisk(4.5 * MB) ?? '';
  await start({ UPLOAD_DIR: disk }, { workers: 1 });
  try {
    await fillDisk(disk);
  } finally {
    await stack.stop();
    unmount?.();
  }
});

async function fillDisk(disk: string): Promise<void> {
  const { id, key } = await stack.createKey();
  const kept: Reply[] = [];
  let reply = await sendFile(key, MB);
  for (; reply.status === 201 && kept.length < 10; reply = await sendFile(key, MB)) kept.push(reply);
  expect(reply).toMatchObject({ status: 507, body: { error: 'Insufficient Storage' } });
  expect(kept.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const after = await Promise.all([sendFile(key, MB), sendFile(key, 2 * MB), sendFile(key, 3 * MB)]);
  expect(after.map(({ status }) => status)).toEqual([507, 507, 507]);
  const code = { code: 'x'.repeat(2 * MB) };
  expect(
    await ask(stack.url, '/api/code', { method: 'POST', body: code, headers: { 'x-api-key': key } }),
  ).toMatchObject({
    status: 507,
  });
  expect([await readdir(join(disk, 'partial')), (await readdir(join(disk, 'files'))).length]).toEqual([[], 4]);
  const { client } = stack.redis;
  const day = redisKeys.uploads(new Date().toISOString().slice(0, 10), '127.0.0.1');
  expect(await client.get(day)).toBe('4');
  expect(await client.hgetall(redisKeys.uploadStorage)).toEqual({
    ...{ counted: '1', bytes: `${4 * MB}`, files: '4', [`key:${id}`]: `${4 * MB}` },
  });
  expectSuccess(await ask(stack.url, '/api/ai', { query: { prompt: 'hi', apikey: key } }));
  // Room again, as soon as there is some.
  const [first] = kept;
  expect((await fetch(urlOf(first as Reply), { method: 'DELETE', headers: { 'x-api-key': key } })).status).toBe(200);
  expect((await sendFile(key, MB)).status).toBe(201);
}

describe('by the settings of an installation', () => {
  beforeAll(() => start(), 60_000);
  afterAll(() => stack.stop());

  const show = async (id: string) =>
    JSON.parse((await stack.lontar('keys', 'show', id, '--json')).stdout) as { stored: number };

  test("a key's storage is the operator's to give and to see", async () => {
    const { id, key } = await stack.createKey('--storage', '2MB');
    expect((await sendFile(key, 2 * MB)).status).toBe(201);
    const full = await sendFile(key, 1);
    expect(full).toMatchObject({ status: 413, body: { message: expect.stringContaining('may keep 2 MB') } });
    expect(await show(id)).toMatchObject({ storage: 2 * MB, stored: 2 * MB });
    expect((await stack.lontar('keys', 'list')).stdout).toContain('2 MB/2 MB');
    await stack.lontar('keys', 'update', id, '--storage', '3MB');
    expect((await sendFile(key, MB)).status).toBe(201);
    const { stdout } = await stack.lontar('keys', 'update', id, '--storage', 'none');
    expect(stdout).toMatch(/^storage +3 MB of 1 GB used$/m);
  });

  test('a key that is revoked takes its files with it', async () => {
    const { id, key } = await stack.createKey();
    const files = () => readdir(join(stack.uploads, 'files'));
    const before = await files();
    const kept = await sendFile(key, MB);
    expect(await files()).toHaveLength(before.length + 1);
    expect((await fetch(urlOf(kept))).status).toBe(200);
    await stack.lontar('keys', 'revoke', id);
    expect((await fetch(urlOf(kept))).status).toBe(404);
    await eventually(async () => (await files()).length === before.length);
    const { client } = stack.redis;
    await eventually(async () => (await client.hget(redisKeys.uploadStorage, `key:${id}`)) === null);
    expect(await show(id)).toMatchObject({ state: 'revoked', stored: 0 });
  });

  describe('names that are made to cost time', () => {
    const hostile = [
      '.'.repeat(150_000),
      ' .'.repeat(100_000),
      `a${'\t'.repeat(150_000)}b`,
      '\u202e'.repeat(200_000),
      '/'.repeat(500_000),
      '\ud800'.repeat(100_000),
    ];

    test('are refused by their rule, and hold up no other upload', async () => {
      const { key } = await stack.createKey();
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const startedAt = performance.now();
      const replies = Promise.all(
        hostile.map((filename) =>
          ask(stack.url, '/api/code', { method: 'POST', body: { code: 'x', filename }, headers }),
        ),
      );
      const other = await ask(stack.url, '/docs');
      expect(other.status).toBe(200);
      // A freeze took 12 s on a machine that takes a tenth of a second now; a busy one gets its time.
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      for (const { status, body } of await replies) {
        // Above 64 KB the other fields are too long altogether.
        expect([400, 413]).toContain(status);
        if (status === 400) expect(body['message']).toMatch(/at most 255 bytes/);
      }
      const short = { code: 'x', filename: '.'.repeat(256) };
      expect(await ask(stack.url, '/api/code', { method: 'POST', body: short, headers })).toMatchObject({
        status: 400,
        body: { error: 'Invalid parameter', message: expect.stringMatching(/at most 255 bytes.*256 bytes was given/) },
      });
    });

    test.each([
      ['filename', `filename="${'.'.repeat(256)}"`],
      ['filename*', `filename*=UTF-8''${'%2e'.repeat(256)}`],
      ['filename* of base64', `filename*=base64''${'.'.repeat(250)}`],
      ['a name longer than a header may be', `filename="${'. '.repeat(75_000)}"`],
    ])('in %s of a form as well', async (_what, parameter) => {
      const { key } = await stack.createKey();
      const body = `--b\r\nContent-Disposition: form-data; name="file"; ${parameter}\r\n\r\nx\r\n--b--\r\n`;
      const headers = { 'x-api-key': key, 'content-type': 'multipart/form-data; boundary=b' };
      const reply = await ask(stack.url, '/api/upload', { method: 'POST', body, headers });
      expect(reply).toMatchObject({ status: 400, body: { error: 'Invalid parameter' } });
      expect(await readdir(join(stack.uploads, 'partial')).catch(() => [])).toEqual([]);
    });
  });
});

// The peak is read, and set back, where Linux has it.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('memory of the gateway', () => {
  const statusFile = () => `/proc/${stack.gateways[0]?.process.pid}`;
  const peak = async () =>
    Number(/^VmHWM:\s+(\d+) kB/m.exec(await readFile(`${statusFile()}/status`, 'utf8'))?.[1]) * 1024;
  const forgetPeak = () => writeFile(`${statusFile()}/clear_refs`, '5');

  /** Sends a body in pieces; gives the status. */
  async function post(path: string, headers: Record<string, string>, pieces: AsyncIterable<Buffer>): Promise<number> {
    const sent = request(new URL(path, stack.url), { method: 'POST', headers, agent: false });
    const status = new Promise<number>((resolve, reject) => {
      sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0));
      sent.on('error', reject);
    });
    for await (const piece of pieces) {
      if (!sent.write(piece)) await Promise.race([new Promise((resolve) => sent.once('drain', resolve)), status]);
    }
    sent.end();
    return status;
  }

  // A gateway of its own, which has grown by nothing yet.
  beforeAll(() => start(), 60_000);
  afterAll(() => stack.stop());

  test('grows by little for 8 bodies of 20 MB at /api/code', async () => {
    const { key } = await stack.createKey();
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    async function* body() {
      yield Buffer.from('{"code":"');
      const lines = Buffer.from('\\n'.repeat(32_768));
      for (let sent = 0; sent < 20 * MB; sent += lines.length) yield lines;
      yield Buffer.from('"}');
    }
    const lengths = { ...headers, 'content-length': String(20 * MB + 11) };
    expect(await post('/api/code', lengths, body())).toBe(201);
    await forgetPeak();
    const before = await peak();
    const statuses = await Promise.all(Array.from({ length: 8 }, () => post('/api/code', lengths, body())));
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 201));
    // Held whole they took 290 MB.
    expect((await peak()) - before).toBeLessThan(100 * MB);
  });
});
