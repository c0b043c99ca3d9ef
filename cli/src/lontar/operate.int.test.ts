import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readSettlement } from '@lontar/shared/testing/read-settlement.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { fillWindows } from '@lontar/shared/testing/windows.ts';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';

let redis: TestRedis;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  redis = await startTestRedis();
  folder = await mkdtemp(join(tmpdir(), 'lontar-cli-'));
  environment = { REDIS_URL: redis.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: join(folder, 'home') };
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => redis.client.flushall());

async function lontar(...args: string[]): Promise<Ended & { data: unknown }> {
  const ended = await runInProcess(folder, environment, args);
  const data: unknown = args.includes('--json') && ended.out !== '' ? JSON.parse(ended.out) : undefined;
  return { ...ended, data };
}

describe('names of keys', () => {
  test.each([
    ['a\tb', 'U+0009'],
    ['a\nb', 'U+000A'],
    ['a\u001b[31mb', 'U+001B'],
    ['a\u202eb', 'U+202E'],
    ['a\u200bb', 'U+200B'],
  ])('refuses %j without repeating it, and says what a name may have', async (name, found) => {
    for (const args of [['create'], ['update', '0123456789']]) {
      const refused = await lontar('keys', ...args, '--name', name);
      expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--name') });
      expect(refused.err).toContain(found);
      expect(refused.err).not.toContain(name);
    }
    expect(await redis.client.dbsize()).toBe(0);
  });

  test.each(['x'.repeat(101), ' '])('refuses %j', async (name) => {
    expect(await lontar('keys', 'create', '--name', name)).toMatchObject({
      code: 2,
      err: expect.stringContaining('1 to 100 characters'),
    });
  });

  test.each(['Größe 価格', 'می\u200cخواهم', '👩\u200d💻'])('takes %j', async (name) => {
    const made = await lontar('keys', 'create', '--name', name, '--json');
    expect(made).toMatchObject({ code: 0, data: { name } });
  });

  test('shows one of earlier times without terminal escapes', async () => {
    const { id } = (await lontar('keys', 'create', '--name', 'x', '--json')).data as { id: string };
    await redis.client.hset(redisKeys.apiKey(id), 'name', 'a\nb\u001b[2J\u202ec');
    for (const args of [['list'], ['show', id]]) {
      const { code, out } = await lontar('keys', ...args);
      expect(code).toBe(0);
      expect(out).toContain('a<U+000A>b<U+001B>[2J<U+202E>c\n');
    }
  });

  test('no message repeats terminal escapes', async () => {
    const wrong = ['keys', 'create', '--name', 'x', '--per-hour', '\u001b[31m7'];
    for (const args of [wrong, ['\u001b[31m7'], ['restore', '/\u001b[31m7']]) {
      const { code, err } = await lontar(...args);
      expect(code).not.toBe(0);
      expect(err).toContain('<U+001B>[31m7');
    }
  });
});

describe('keys rotate', () => {
  test('says until when the earlier secret is good instead of ending it, and ends it where an option says so', async () => {
    const { id } = (await lontar('keys', 'create', '--name', 'shop', '--json')).data as { id: string };
    const first = await lontar('keys', 'rotate', id, '--overlap', '7d', '--json');
    const { oldKeyUntil } = first.data as { oldKeyUntil: string };
    for (const overlap of ['1h', '0']) {
      const again = await lontar('keys', 'rotate', id, '--overlap', overlap, '--json');
      expect(again).toMatchObject({ code: 1, out: '' });
      expect(again.err).toContain(oldKeyUntil);
      expect(again.err).toContain('--end-overlap');
    }
    expect((await lontar('keys', 'show', id, '--json')).data).toMatchObject({ oldKeyUntil });
    const ended = await lontar('keys', 'rotate', id, '--overlap', '0', '--end-overlap', '--json');
    expect(ended).toMatchObject({ code: 0, data: { id, oldKeyUntil: null } });
  });
});

describe('a key that has ended', () => {
  test('is not changed any more, and can be deleted', async () => {
    const { id } = (await lontar('keys', 'create', '--name', 'shop', '--json')).data as { id: string };
    await lontar('keys', 'revoke', id);
    const update = await lontar('keys', 'update', id, '--per-hour', '5');
    expect(update).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is revoked') });
    expect(await lontar('keys', 'delete', id)).toMatchObject({ code: 0, out: `Deleted the key ${id}, shop.\n` });
    for (const command of ['delete', 'show']) expect((await lontar('keys', command, id)).code).toBe(3);
    // Gateways remove its uploads by what is left of it.
    expect(await redis.client.del(redisKeys.keyDeleted(id), redisKeys.apiKeysDeleted)).toBe(2);
    expect(await redis.client.keys('*')).toEqual([redisKeys.audit]);
  });
});

describe('ips', () => {
  test('blocks for a time or for good, lists, and unblocks', async () => {
    expect(await lontar('ips', 'list', '--json')).toMatchObject({ code: 0, data: [] });
    const timed = await lontar('ips', 'block', '203.0.113.9', '--for', '1h', '--json');
    expect(timed).toMatchObject({
      code: 0,
      data: { address: '203.0.113.9', reason: 'operator', until: expect.any(String) },
    });
    expect(await redis.client.pttl(redisKeys.addressBan('203.0.113.9'))).toBeGreaterThan(3_500_000);
    const forGood = await lontar('ips', 'block', '2001:db8:0:11ff::5', '--json');
    expect(forGood.data).toEqual({ address: '2001:db8:0:1100::/56', reason: 'operator', until: null });
    expect(await redis.client.pttl(redisKeys.addressBan('2001:db8:0:1100::/56'))).toBe(-1);

    const listed = await lontar('ips', 'list');
    expect(listed.out).toMatch(/2001:db8:0:1100::\/56 +unblocked +blocked by the operator\n203\.0\.113\.9 /);
    expect(await lontar('ips', 'unblock', '2001:db8:0:1100::/56')).toMatchObject({ code: 0 });
    expect(await lontar('ips', 'unblock', '203.0.113.9')).toMatchObject({ code: 0 });
    expect(await lontar('ips', 'unblock', '203.0.113.9')).toMatchObject({
      code: 3,
      err: expect.stringContaining('not blocked'),
    });
    expect(await redis.client.keys('*')).toEqual([redisKeys.audit]);
  });

  test('lists bans and spent hours with their reasons, and nothing that has ended', async () => {
    const now = Date.now();
    const blocked = redisKeys.blockedAddresses;
    await redis.client.zadd(blocked, now - 1000, '192.0.2.1', now + 60_000, '192.0.2.2', now + 120_000, '192.0.2.3');
    await redis.client.set(redisKeys.addressBan('192.0.2.3'), 'brute-force', 'EX', 120);
    const { data } = await lontar('ips', 'list', '--json');
    expect(data).toMatchObject([
      { address: '192.0.2.3', reason: 'brute-force' },
      { address: '192.0.2.2', reason: 'limit' },
    ]);
  });

  test('an hourly limit is distinguished from a block: until when it holds, and that no command lifts it', async () => {
    const until = Date.now() + 60_000;
    await redis.client.zadd(redisKeys.blockedAddresses, until, '192.0.2.2');
    const refused = await lontar('ips', 'unblock', '192.0.2.2', '--json');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('hourly limit');
    expect(refused.err).toContain(new Date(until).toISOString());
    expect((await lontar('ips', 'list', '--json')).data).toMatchObject([{ address: '192.0.2.2', reason: 'limit' }]);
  });

  test.each([
    ['block', 'nonsense'],
    ['block', '10.0.0.0/8'],
    ['block', '192.0.2.1', '--for', 'soon'],
    ['block', '192.0.2.1', '--for', '0'],
    ['unblock'],
  ])('%s %s is wrong usage', async (...args) => {
    expect((await lontar('ips', ...args)).code).toBe(2);
    expect(await redis.client.dbsize()).toBe(0);
  });
});

describe('keys', () => {
  test('show and list name a record that cannot be read, and list the others', async () => {
    const { id } = (await lontar('keys', 'create', '--name', 'bad', '--json')).data as { id: string };
    await redis.client.hset(redisKeys.apiKey(id), 'perHour', 'many');
    const failed = { code: 1, err: expect.stringMatching(new RegExp(`${id} cannot be read: perHour: `)) };
    expect(await lontar('keys', 'list')).toMatchObject({ ...failed, out: 'No key can be read.\n' });
    await lontar('keys', 'create', '--name', 'good');
    expect(await lontar('keys', 'list', '--json')).toMatchObject({ ...failed, data: [{ name: 'good' }] });
    expect(await lontar('keys', 'show', id)).toMatchObject({ ...failed, out: '' });
  });
});

describe('queue', () => {
  const job = (id: string) => ({
    v: 1 as const,
    id,
    endpoint: '/api/ai' as const,
    prompt: 'hi',
    model: 'ai-2.5-flash' as const,
    temperature: 1,
    maxOutputTokens: 1,
    keyId: 'k',
    gateway: 'g',
    receivedAt: redisTime(),
    deadlineAt: redisTime(Date.now() + 60_000),
  });

  test('is paused, shown and resumed', async () => {
    expect(await lontar('queue', 'status', '--json')).toMatchObject({
      code: 0,
      data: { paused: false, waiting: 0, active: 0, delayed: 0, failed: 0, oldestWaitingAgeMs: 0, workers: 0 },
    });
    expect((await lontar('queue', 'pause', '--json')).data).toMatchObject({ paused: true });
    expect((await lontar('queue', 'status')).out).toMatch(/state +paused/);
    expect((await lontar('queue', 'resume', '--json')).data).toMatchObject({ paused: false });
  });

  test('is drained: each waiting job is settled once, and its key gets its credit back', async () => {
    const queue = openGenerationQueue(redis.client);
    await redis.client.hset(redisKeys.apiKey('k'), 'charged', '30');
    await lontar('queue', 'pause');
    for (let i = 0; i < 30; i++) {
      await reserve(redis.client, `r${i}`, 'k');
      await queue.add(job(`r${i}`), redisTime());
    }
    expect((await lontar('queue', 'drain', '--json')).data).toEqual({ drained: 30 });
    expect(await queue.counts()).toMatchObject({ waiting: 0, delayed: 0 });
    expect(await redis.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
    expect(await readSettlement(redis.client, 'r7')).toMatchObject({ error: 'service_unavailable', charged: false });
    expect((await lontar('queue', 'drain', '--json')).data).toEqual({ drained: 0 });
  });
});

describe('backup and restore', () => {
  const file = () => join(folder, 'backup.lontar');
  const files = () => join(folder, 'home', 'uploads', 'files');
  const large = `file_${'L'.repeat(22)}`;
  const empty = `file_${'E'.repeat(22)}`;
  const open = `file_${'O'.repeat(22)}`;

  async function fill(): Promise<string> {
    const { data } = await lontar('keys', 'create', '--name', 'shop', '--owner', 'Ann', '--credits', '100', '--json');
    const { id } = data as { id: string };
    const { client } = redis;
    await client.hincrby(redisKeys.apiKey(id), 'charged', 7);
    await client.zadd(redisKeys.apiKeyUse, 29_000_000, id);
    await client.hset(redisKeys.keyUsage(id, '2026-01'), '31 ai-2.5-pro', '3,2');
    await client.zadd(redisKeys.keyFlight(id), Date.now() + 60_000, 'req_a', Date.now() + 60_000, 'req_b');
    await client.set(redisKeys.uploads('2026-01-31', '192.0.2.1'), '5', 'EX', 1000);
    await fillWindows(client, [redisKeys.addressHour('192.0.2.1')], 2);
    await client.pfadd(redisKeys.stats('ips-sketch:all'), 'a', 'b', 'c');
    await client.xadd(redisKeys.stats('log'), '*', 'row', 'naïve');
    await client.set(redisKeys.stats('session:secret'), '1');
    await client.set(redisKeys.request('req_a'), 'in flight');
    await mkdir(files(), { recursive: true });
    await writeFile(join(files(), large), Buffer.alloc(1_000_000, 'x'));
    await writeFile(join(files(), empty), '');
    for (const id of [large, empty]) await client.hset(redisKeys.upload(id), { state: 'kept', name: id });
    await client.hset(redisKeys.upload(open), { state: 'open' });
    return id;
  }

  beforeEach(async () => {
    await rm(file(), { force: true });
    await rm(files(), { recursive: true, force: true });
  });

  test('brings everything back that would be missed, and gives back what was in flight', async () => {
    const id = await fill();
    const { client } = redis;
    const before = await client.hgetall(redisKeys.apiKey(id));
    const written = await lontar('backup', file(), '--json');
    expect(written).toMatchObject({ code: 0, data: { apiKeys: 1, entries: 11, files: 2, missingFiles: [] } });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(gunzipSync(await readFile(file())).toString()).not.toContain('p'.repeat(40));

    await client.flushall();
    await rm(files(), { recursive: true });
    expect(await lontar('restore', file(), '--json')).toMatchObject({
      code: 0,
      data: { apiKeys: 1, entries: 11, files: 2 },
    });
    expect(await client.hgetall(redisKeys.apiKey(id))).toEqual({ ...before, charged: '5' });
    expect(await client.ttl(redisKeys.uploads('2026-01-31', '192.0.2.1'))).toBeGreaterThan(900);
    expect(await client.pfcount(redisKeys.stats('ips-sketch:all'))).toBe(3);
    expect(await client.xlen(redisKeys.stats('log'))).toBe(1);
    expect((await readdir(files())).sort()).toEqual([empty, large].sort());
    expect((await readFile(join(files(), large))).equals(Buffer.alloc(1_000_000, 'x'))).toBe(true);
    const absent = [redisKeys.stats('session:secret'), redisKeys.request('req_a'), redisKeys.upload(open)];
    expect(await client.exists(...absent)).toBe(0);
    expect((await lontar('keys', 'list', '--json')).data).toHaveLength(1);
    const lastUsedAt = new Date(29_000_000 * 60_000).toISOString();
    expect((await lontar('keys', 'list', '--owner', 'Ann', '--json')).data).toMatchObject([{ id, lastUsedAt }]);
    const january = ['--from', '2026-01-01', '--to', '2026-01-31', '--json'];
    expect((await lontar('usage', '--key', id, ...january)).data).toMatchObject([{ requests: 3, successes: 2 }]);
  });

  test('prints the checksum of the file as it lies there, as sha256sum does', async () => {
    await fill();
    const { data } = await lontar('backup', file(), '--json');
    expect(data).toMatchObject({ sha256: await checksum() });
    const { out } = await lontar('backup', file(), '--force');
    expect(out).toContain(`SHA-256 ${await checksum()}\n`);
  });

  test('refuses to replace what is there, a file or a service, unless it is forced', async () => {
    await fill();
    await lontar('backup', file());
    expect(await lontar('backup', file())).toMatchObject({ code: 1, err: expect.stringContaining('--force') });
    expect(await lontar('backup', file(), '--force')).toMatchObject({ code: 0 });
    expect(await lontar('restore', file())).toMatchObject({ code: 1, err: expect.stringContaining('--force') });
    await lontar('keys', 'create', '--name', 'newer');
    expect(await lontar('restore', file(), '--force')).toMatchObject({ code: 0 });
    expect((await lontar('keys', 'list', '--json')).data).toMatchObject([{ name: 'shop' }]);
  });

  test.each([
    ['cut off', (whole: Buffer) => whole.subarray(0, whole.length - 100)],
    ['cut off between two lines', (whole: Buffer) => repack(whole, (lines) => lines.slice(0, -1))],
    ['without one line', (whole: Buffer) => repack(whole, (lines) => lines.toSpliced(2, 1))],
    ['with a line changed', (whole: Buffer) => repack(whole, (lines) => lines.with(1, lines[1]!.replace('{', '{ ')))],
    ['with a line behind its end', (whole: Buffer) => repack(whole, (lines) => [...lines, lines[1]!])],
    ['of another format', (whole: Buffer) => repack(whole, (lines) => lines.with(0, '{"format":"other"}'))],
    ['not compressed', (whole: Buffer) => gunzipSync(whole)],
    ['empty', () => Buffer.alloc(0)],
  ])('refuses a file that is %s, and changes nothing', async (_what, damage) => {
    await fill();
    await lontar('backup', file());
    await redis.client.flushall();
    await rm(files(), { recursive: true });
    await writeFile(file(), damage(await readFile(file())));
    expect(await lontar('restore', file())).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no signature.*--accept-unsigned.*Nothing was changed/),
    });
    expect(await lontar('restore', file(), '--accept-unsigned')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not a whole backup.*Nothing was changed/),
    });
    expect(await redis.client.dbsize()).toBe(0);
    expect(await readdir(files()).catch(() => [])).toEqual([]);
  });

  test('warns of another pepper and of missing contents', async () => {
    await fill();
    await rm(join(files(), large));
    const written = await lontar('backup', file(), '--json');
    expect(written).toMatchObject({ data: { files: 1, missingFiles: [large] }, err: expect.stringContaining(large) });
    environment['KEY_PEPPER'] = 'q'.repeat(40);
    const refused = await lontar('restore', file(), '--force');
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/another KEY_PEPPER.*Nothing was changed/) });
    const taken = await lontar('restore', file(), '--force', '--accept-unsigned');
    expect(taken).toMatchObject({ code: 0, err: expect.stringContaining('KEY_PEPPER is not the one of the backup') });
    environment['KEY_PEPPER'] = 'p'.repeat(40);
  });

  async function checksum(): Promise<string> {
    return createHash('sha256')
      .update(await readFile(file()))
      .digest('hex');
  }

  function repack(whole: Buffer, change: (lines: string[]) => string[]): Buffer {
    const lines = gunzipSync(whole).toString().trimEnd().split('\n').slice(0, -1);
    return gzipSync(`${change(lines).join('\n')}\n`);
  }
});
