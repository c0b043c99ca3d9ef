import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { readSurroundings } from '../settings/environment.ts';
import { runLontar } from './program.ts';

let redis: TestRedis;
let folder: string;
let file: string;

beforeAll(async () => {
  redis = await startTestRedis();
  folder = await mkdtemp(join(tmpdir(), 'lontar-cli-'));
  file = join(folder, 'backup.lontar');
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await redis.client.flushall();
  await rm(file, { force: true });
});

async function lontar(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const environment = { REDIS_URL: redis.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: join(folder, 'home') };
  const code = await runLontar(args, () => readSurroundings(folder, environment), {
    out: { write: (text) => void (written.out += text) },
    err: { write: (text) => void (written.err += text) },
  });
  return { code, ...written };
}

async function createKey(name: string): Promise<string> {
  const { out } = await lontar('keys', 'create', '--name', name, '--credits', '100', '--json');
  return (JSON.parse(out) as { id: string }).id;
}

/** Changes lines of the backup and seals it again, as if it had been written so. */
async function rewriteBackup(change: (line: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
  const end = lines.pop();
  const content = lines.map((line) => `${JSON.stringify(change(line))}\n`).join('');
  const sha256 = createHash('sha256').update(content).digest('hex');
  await writeFile(file, gzipSync(`${content}${JSON.stringify({ ...end, sha256 })}\n`));
}

test('a backup whose values this Redis cannot read is refused before anything is changed', async () => {
  await createKey('old');
  await redis.client.set(redisKeys.stats('total'), '7');
  await lontar('backup', file);
  await rewriteBackup((line) => {
    if ('format' in line) return { ...line, redis: '99.1.0' };
    if (line['key'] !== redisKeys.stats('total')) return line;
    // Behind the value stand the version of its form, two bytes, and a checksum of eight.
    const dump = Buffer.from(line['dump'] as string, 'base64');
    dump.writeUInt16LE(9_999, dump.length - 10);
    return { ...line, dump: dump.toString('base64') };
  });
  const id = await createKey('present');
  const before = await contentOfRedis();

  const { code, err } = await lontar('restore', file, '--force');
  expect(code).toBe(1);
  expect(err).toMatch(/stats:total.*version.*Redis 99\.1\.0.*This is Redis \d.*Nothing was changed/s);
  expect(await contentOfRedis()).toEqual(before);
  expect(before.has(redisKeys.apiKey(id))).toBe(true);
});

/** Every key with its value, as Redis itself writes it. */
async function contentOfRedis(): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for (const name of (await redis.client.keys('*')).sort()) {
    content.set(name, (await redis.client.dumpBuffer(name))?.toString('base64') ?? '');
  }
  return content;
}
