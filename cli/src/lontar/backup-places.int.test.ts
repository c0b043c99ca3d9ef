import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';

const UPLOAD = `file_${'U'.repeat(22)}`;
/** What Node says of a file: "ENOENT: no such file or directory, open …". */
const WORDS_OF_NODE = /E[A-Z]{4,}:|\.partial/;

let redis: TestRedis;
let folder: string;
let file: string;
let uploads: string;
let socket: Server;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lontar-places-'));
  file = join(folder, 'a-file');
  uploads = join(folder, 'home', 'uploads');
  await writeFile(file, '');
  // In the test's own folder, because code that is wrong replaces it: never a device of the machine.
  socket = createServer();
  await new Promise<void>((resolve) => socket.listen(join(folder, 'socket'), resolve));
  await mkdir(join(uploads, 'files'), { recursive: true });
  await writeFile(join(uploads, 'files', UPLOAD), 'content');
  await redis.client.flushall();
  await redis.client.hset(redisKeys.upload(UPLOAD), { state: 'kept', name: 'a.txt' });
});
afterEach(async () => {
  await new Promise((resolve) => socket.close(resolve));
  await rm(folder, { recursive: true });
});

function lontar(...args: string[]): Promise<Ended> {
  const environment = { REDIS_URL: redis.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: join(folder, 'home') };
  return runInProcess(folder, environment, args);
}

describe('backup', () => {
  test.each([
    ['a folder that is not there', () => join(folder, 'none', 'x'), 3, 'there is no folder'],
    ['a file for a folder', () => join(file, 'x'), 3, 'is no folder'],
    ['a name that is too long', () => join(folder, 'x'.repeat(300)), 1, 'too long'],
    ['a folder for a file', () => folder, 1, 'is not a file'],
    ['what is no ordinary file', () => join(folder, 'socket'), 1, 'is not a file'],
  ])('refuses %s in words', async (_what, place, code, reason) => {
    const before = await readdir(folder);
    const refused = await lontar('backup', place(), '--force');
    expect(refused).toMatchObject({ code, out: '', err: expect.stringContaining(reason) });
    expect(refused.err).toContain(place());
    expect(refused.err).not.toMatch(WORDS_OF_NODE);
    expect(await readdir(folder)).toEqual(before);
  });

  test('follows no link to where it would write, and leaves what is there alone', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'of another program');
    for (const target of [victim, join(folder, 'nowhere')]) {
      const link = join(folder, 'linked');
      await symlink(target, link);
      expect(await lontar('backup', link, '--force')).toMatchObject({
        code: 1,
        err: expect.stringContaining('is not a file'),
      });
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      await rm(link);
    }
    expect(await readFile(victim, 'utf8')).toBe('of another program');
    expect(await readdir(folder)).not.toContain('nowhere');
  });

  test('writes into nothing that was put in its way, and lets no other user read it', async () => {
    const backup = join(folder, 'backup');
    const planted = `${backup}.partial`;
    await writeFile(planted, 'planted', { mode: 0o666 });
    await chmod(planted, 0o666);
    await writeFile(backup, 'an earlier one');
    await chmod(backup, 0o644);
    expect(await lontar('backup', backup, '--force')).toMatchObject({ code: 0 });
    expect(await readFile(planted, 'utf8')).toBe('planted');
    const { ino: plantedNode } = await lstat(planted);
    const { ino, mode } = await lstat(backup);
    expect(mode & 0o777).toBe(0o600);
    expect(ino).not.toBe(plantedNode);
  });

  test('clears away what a killed backup of this name left, and nothing that is being written', async () => {
    const backup = join(folder, 'backup');
    const drafts = { old: 'backup.0123456789abcdef.partial', new: 'backup.fedcba9876543210.partial' };
    const others = ['other.0123456789abcdef.partial', 'backup.partial'];
    for (const name of [...Object.values(drafts), ...others]) await writeFile(join(folder, name), '');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [drafts.old, ...others]) await utimes(join(folder, name), longAgo, longAgo);
    expect(await lontar('backup', backup)).toMatchObject({ code: 0 });
    const left = (await readdir(folder)).filter((name) => name.endsWith('.partial'));
    expect(left.sort()).toEqual([...others, drafts.new].sort());
  });

  test('does not blame the backup for an upload that cannot be read', async () => {
    await rm(join(uploads, 'files', UPLOAD));
    await mkdir(join(uploads, 'files', UPLOAD));
    const failed = await lontar('backup', join(folder, 'backup'));
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toMatch(/ cannot be read: it is a folder/);
    expect(failed.err).not.toMatch(WORDS_OF_NODE);
  });
});

describe('restore', () => {
  test.each([
    ['what is not there', () => join(folder, 'none'), 3, 'no such file'],
    ['what is in no folder', () => join(file, 'x'), 3, 'is no folder'],
    ['a folder', () => folder, 1, 'it is a folder'],
    // It is read twice: a pipe would be empty the second time, when the service's own data is gone.
    ['what is no ordinary file', () => join(folder, 'socket'), 1, 'not an ordinary file'],
  ])('refuses %s in words, and changes nothing', async (_what, place, code, reason) => {
    const refused = await lontar('restore', place(), '--force');
    expect(refused).toMatchObject({ code, out: '', err: expect.stringContaining(reason) });
    expect(refused.err).toContain(place());
    expect(refused.err).not.toMatch(WORDS_OF_NODE);
    expect(await redis.client.exists(redisKeys.upload(UPLOAD))).toBe(1);
  });

  test('says before it changes anything that the folder of uploads is none', async () => {
    const backup = join(folder, 'backup');
    await lontar('backup', backup);
    await rm(uploads, { recursive: true });
    await writeFile(uploads, 'a file where the folder should be');
    const refused = await lontar('restore', backup, '--force');
    expect(refused).toMatchObject({ code: 3, out: '' });
    expect(refused.err).toContain(`${join(uploads, 'files')} cannot be read: ${uploads} is no folder`);
    expect(refused.err).not.toMatch(WORDS_OF_NODE);
    expect(await redis.client.exists(redisKeys.upload(UPLOAD))).toBe(1);
  });

  test('names the folder of uploads where a content cannot be written', async () => {
    const backup = join(folder, 'backup');
    await lontar('backup', backup);
    await mkdir(join(uploads, 'files', `${UPLOAD}.restored`));
    const failed = await lontar('restore', backup, '--force');
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toContain(`${join(uploads, 'files')} cannot be written: it is a folder`);
    expect(failed.err).toMatch(/not finished.*--force/);
    expect(failed.err).not.toMatch(WORDS_OF_NODE);
  });
});
