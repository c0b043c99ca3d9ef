import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type BackupLine, readBackupLines, rewriteBackup, writeBackupLines } from '../../testing/rewrite-backup.ts';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';

const UPLOAD = `file_${'U'.repeat(22)}`;
const session = redisKeys.stats(`session:${'a'.repeat(64)}`);

let redis: TestRedis;
let folder: string;
let file: string;
let environment: Record<string, string>;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  await redis.client.flushall();
  folder = await mkdtemp(join(tmpdir(), 'lontar-trust-'));
  file = join(folder, 'backup.lontar');
  environment = { REDIS_URL: redis.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: join(folder, 'home') };
  await lontar('keys', 'create', '--name', 'shop', '--json');
  await redis.client.pfadd(redisKeys.stats('ips-sketch:all'), 'a', 'b');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const lontar = (...args: string[]): Promise<Ended> => runInProcess(folder, environment, args);
const files = () => join(folder, 'home', 'uploads', 'files');
const restore = (...options: string[]) => lontar('restore', file, '--force', ...options);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Every key with its value, as Redis itself writes it. */
async function contentOfRedis(): Promise<Record<string, string | undefined>> {
  // The restore itself is noted there.
  const names = (await redis.client.keys('*')).filter((name) => name !== redisKeys.audit).sort();
  const dumps = await Promise.all(names.map((name) => redis.client.dumpBuffer(name)));
  return Object.fromEntries(names.map((name, index) => [name, dumps[index]?.toString('base64')]));
}

/** Adds a key to the backup, in its place among the others. */
function plant(line: BackupLine): void {
  const [header, ...lines] = readBackupLines(file).slice(0, -1);
  const all = [...lines, line].sort((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));
  writeBackupLines(file, [header ?? {}, ...all]);
}

const keyLine = (key: string, type: string, items: string[][]): BackupLine => ({
  ...{ key, type, expiresAt: 0, more: false },
  items: items.map((item) => item.map(base64)),
});

describe('a backup that was signed here', () => {
  test('is restored without a question, also where an engine of another version unpacks it', async () => {
    await lontar('backup', file);
    expect(gunzipSync(await readFile(file)).toString()).toMatch(/\nlontar-hmac-sha256 [\w-]{16} [0-9a-f]{64}\n$/);
    const before = await contentOfRedis();
    await redis.client.flushall();
    expect(await lontar('restore', file)).toMatchObject({ code: 0 });
    expect(await contentOfRedis()).toEqual(before);
  });

  test.each([
    ['a byte of it changed', (whole: Buffer) => Object.assign(Buffer.from(whole), { 40: (whole[40] ?? 0) ^ 1 })],
    ['another content under its signature', (whole: Buffer) => forge(whole, 124)],
  ])('with %s is refused, whatever is asked for', async (_what, change) => {
    await lontar('backup', file);
    await writeFile(file, change(await readFile(file)));
    const before = await contentOfRedis();
    for (const options of [[], ['--accept-unsigned']]) {
      const refused = await restore(...options);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(/not fit its signature.*Nothing was changed/),
      });
    }
    expect(await contentOfRedis()).toEqual(before);
  });

  test('is refused where the pepper is not known, and without a pepper none is signed', async () => {
    await lontar('backup', file);
    delete environment['KEY_PEPPER'];
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringMatching(/KEY_PEPPER is not known.*Nothing/) });
    expect(await restore('--accept-unsigned')).toMatchObject({ code: 0, err: expect.stringContaining('you vouch') });
    const written = await lontar('backup', file, '--force', '--json');
    expect(JSON.parse(written.out)).toMatchObject({ signed: false });
    expect(written.err).toContain('--accept-unsigned');
    environment['KEY_PEPPER'] = 'p'.repeat(40);
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining('no signature') });
  });

  /** What an author makes of a backup without the pepper: more content, under the signature that was there. */
  function forge(whole: Buffer, signatureBytes: number): Buffer {
    const more = gunzipSync(whole).toString().replace('"shop"', '"mine"');
    return Buffer.concat([gzipSync(more), whole.subarray(-signatureBytes)]);
  }
});

describe('what another author wrote into a backup', () => {
  const planted: [string, BackupLine, RegExp][] = [
    ["an operator's session", keyLine(session, 'string', [['1']]), /no key that a backup has/],
    ['a sign-in code', keyLine(redisKeys.stats('sign-in:x'), 'string', [['1']]), /no key that a backup has/],
    ['a key of another program', keyLine('other', 'string', [['1']]), /no key that a backup has/],
    ['a name with more behind it', keyLine(`${redisKeys.apiKeyIndex}\nx`, 'zset', [['a', '1']]), /no key/],
    ['another type', keyLine(redisKeys.upload(UPLOAD), 'string', [['x']]), /is a string in it, and must be a hash/],
    ['a count that is none', keyLine(redisKeys.uploads('2026-01-31', '192.0.2.1'), 'string', [['x']]), /form/],
    ['a ban without a reason', keyLine(redisKeys.addressBan('192.0.2.1'), 'string', [['x']]), /form/],
    ['a stream that names no ids', keyLine(redisKeys.stats('log-texts'), 'stream', [['*', 'a', 'b']]), /form/],
    ['usage that is no numbers', keyLine(redisKeys.keyUsage('all', '2026-01'), 'hash', [['31 x', '3,x']]), /form/],
    ['usage of no day', keyLine(redisKeys.keyUsage('all', '2026-01'), 'hash', [['x', '3']]), /form/],
    ['usage of no key', keyLine(redisKeys.keyUsage('x', '2026-01'), 'hash', [['31 x', '3']]), /no key/],
    ['no value', keyLine(redisKeys.upload(UPLOAD), 'hash', []), /form/],
    ['a field without a value', keyLine(redisKeys.upload(UPLOAD), 'hash', [['state']]), /form/],
    ['a value of megabytes', keyLine(redisKeys.upload(UPLOAD), 'hash', [['state', 'x'.repeat(600_000)]]), /form/],
    ['a line of megabytes', keyLine(redisKeys.upload(UPLOAD), 'hash', [['a', 'x'.repeat(5_000_000)]]), /too long/],
    [
      'more fields than a record has',
      keyLine(
        redisKeys.upload(UPLOAD),
        'hash',
        Array.from({ length: 101 }, (_, index) => [String(index), 'x']),
      ),
      /too many items/,
    ],
    [
      'a sketch of more registers than there are',
      keyLine(redisKeys.stats('users-sketch:all'), 'string', [[`HYLL\u0001${'\0'.repeat(11)}${'\u007f'.repeat(600)}`]]),
      /form/,
    ],
    ['a path for a file', { file: '../../escape', data: '', more: false }, /cannot be read/],
  ];

  test.each(planted)('%s: refused, vouched for or not, before anything is changed', async (_what, line, reason) => {
    await lontar('backup', file);
    plant(line);
    const before = await contentOfRedis();
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining('no signature') });
    const refused = await restore('--accept-unsigned');
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(reason) });
    expect(refused.err).toContain('Nothing was changed');
    expect(await contentOfRedis()).toEqual(before);
  });

  test('a key that is there twice', async () => {
    await lontar('backup', file);
    const lines = readBackupLines(file).slice(0, -1);
    writeBackupLines(file, [...lines.slice(0, 2), ...lines.slice(1)]);
    expect(await restore('--accept-unsigned')).toMatchObject({ code: 1, err: expect.stringContaining('not in order') });
  });

  test('bans: those of the operator come back, those that an address earned do not', async () => {
    const { client } = redis;
    await client.set(redisKeys.addressBan('192.0.2.1'), 'operator', 'EX', 1_000);
    await client.set(redisKeys.addressBan('192.0.2.2'), 'brute-force', 'EX', 1_000);
    await lontar('backup', file);
    plant({ ...keyLine(redisKeys.addressBan('192.0.2.3'), 'string', [['brute-force']]) });
    expect(await restore('--accept-unsigned')).toMatchObject({ code: 0 });
    expect(await client.keys(redisKeys.addressBan('*'))).toEqual([redisKeys.addressBan('192.0.2.1')]);
  });
});

describe('a backup of the first version', () => {
  /** Turns the backup into what version 1 wrote: values in Redis's own form, and no signature. */
  async function makeOld(): Promise<void> {
    const lines = readBackupLines(file).slice(0, -1);
    const old: BackupLine[] = [];
    for (const { type: _type, items: _items, more: _more, ...kept } of lines) {
      const dump = 'key' in kept ? await redis.client.dumpBuffer(String(kept['key'])) : undefined;
      old.push(dump ? { ...kept, dump: dump.toString('base64') } : { ...kept, version: 1 });
    }
    writeBackupLines(file, old);
  }

  test('is restored as it was, when the operator vouches for it', async () => {
    await redis.client.xadd(redisKeys.stats('log'), '*', 'row', 'naïve');
    await lontar('backup', file);
    await makeOld();
    const before = await contentOfRedis();
    await redis.client.flushall();
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining('no signature') });
    expect(await restore('--accept-unsigned')).toMatchObject({ code: 0 });
    expect(Object.keys(await contentOfRedis())).toEqual(Object.keys(before));
    expect(await redis.client.xlen(redisKeys.stats('log'))).toBe(1);
    expect(JSON.parse((await lontar('keys', 'list', '--json')).out)).toMatchObject([{ name: 'shop' }]);
  });

  test.each([
    ['a value of another type', async () => dumpOf('list'), /is a list, and must be a hash/],
    ['a value of a version to come', async () => ofLaterVersion(await dumpOf('hash')), /version.*Redis 99\.1\.0/s],
  ])('with %s is refused before anything is changed', async (_what, makeDump, reason) => {
    await lontar('backup', file);
    await makeOld();
    const dump = (await makeDump()).toString('base64');
    rewriteBackup(file, (line) => {
      if ('format' in line) return { ...line, redis: '99.1.0' };
      return String(line['key']).startsWith(redisKeys.apiKey('')) ? { ...line, dump } : line;
    });
    const before = await contentOfRedis();
    const refused = await restore('--accept-unsigned');
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(reason) });
    expect(refused.err).toContain('Nothing was changed');
    expect(await contentOfRedis()).toEqual(before);
  });

  test("with an operator's session is refused", async () => {
    await lontar('backup', file);
    await makeOld();
    plant({ key: session, expiresAt: 0, dump: (await dumpOf('string')).toString('base64') });
    expect(await restore('--accept-unsigned')).toMatchObject({ code: 1, err: expect.stringContaining(session) });
    expect(await redis.client.exists(session)).toBe(0);
  });

  async function dumpOf(type: 'list' | 'hash' | 'string'): Promise<Buffer> {
    const { client } = redis;
    if (type === 'list') await client.rpush('sample', 'x');
    else if (type === 'hash') await client.hset('sample', 'a', 'b');
    else await client.set('sample', '1');
    const dump = await client.dumpBuffer('sample');
    await client.del('sample');
    return dump ?? Buffer.alloc(0);
  }

  /** Behind the value stand the version of its form, two bytes, and a checksum of eight. */
  function ofLaterVersion(dump: Buffer): Buffer {
    dump.writeUInt16LE(9_999, dump.length - 10);
    return dump;
  }
});

describe('links in the folder of uploads', () => {
  beforeEach(async () => {
    await mkdir(files(), { recursive: true });
    await redis.client.hset(redisKeys.upload(UPLOAD), 'state', 'kept');
    await writeFile(join(folder, 'private'), 'of another program');
  });

  test('are not followed by a backup', async () => {
    await symlink(join(folder, 'private'), join(files(), UPLOAD));
    const refused = await lontar('backup', file);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(UPLOAD) });
    expect(await readdir(folder)).not.toContain('backup.lontar');
  });

  test('are not followed by a restore', async () => {
    await writeFile(join(files(), UPLOAD), 'content');
    await lontar('backup', file);
    await symlink(join(folder, 'private'), join(files(), `${UPLOAD}.restored`));
    expect(await restore()).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'private'), 'utf8')).toBe('of another program');
    expect(await readFile(join(files(), UPLOAD), 'utf8')).toBe('content');
    expect(await readdir(files())).toEqual([UPLOAD]);
  });
});
