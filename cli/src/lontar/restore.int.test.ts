import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readAudit } from '@lontar/shared/admin/audit.ts';
import { holdQueue } from '@lontar/shared/admin/hold-queue.ts';
import { EARLIER_TERMS, PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { rewriteBackup } from '../../testing/rewrite-backup.ts';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';

const TESTER = { by: 'cli', id: 'tester' } as const;

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
  await rm(files(), { recursive: true, force: true });
});

const files = () => join(folder, 'home', 'uploads', 'files');

function lontar(...args: string[]): Promise<Ended> {
  const environment = { REDIS_URL: redis.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: join(folder, 'home') };
  return runInProcess(folder, environment, args);
}

async function createKey(name: string): Promise<string> {
  const { out } = await lontar('keys', 'create', '--name', name, '--credits', '100', '--json');
  return (JSON.parse(out) as { id: string }).id;
}

const restoreUnsigned = () => lontar('restore', file, '--force', '--accept-unsigned');

test('nothing that was in work before a restore acts on what it brings', async () => {
  const { client } = redis;
  const id = await createKey('shop');
  await lontar('backup', file);
  // Admitted and enqueued after the backup; answered but not counted; an upload on its way.
  await client.hincrby(redisKeys.apiKey(id), 'charged', 2);
  for (const request of ['req_waiting', 'req_retried']) await reserve(client, request, id);
  await client.hset(redisKeys.request('req_retried'), { fence: '2' });
  await client.hset(redisKeys.request('req_charged'), { charge: 'charge', result: '{}' });
  await client.xadd(redisKeys.events, '*', 'event', '{}');
  await client.zadd(redisKeys.openUploads, 1, `file_${'O'.repeat(22)}`);
  const queue = openGenerationQueue(client);
  await holdQueue(client, 'pause', TESTER);
  await queue.add(jobOf('req_waiting', id), redisTime());
  await client.set(redisKeys.inbox('g'), 'of a gateway that may be up');

  expect(await lontar('restore', file, '--force')).toMatchObject({ code: 0 });
  const { entries } = await readAudit(client, {}, 10);
  // The log is that of the backup, and the restore.
  expect(entries.map(({ action }) => action)).toEqual(['backup.restore', 'key.create']);
  const others = new Set([redisKeys.inbox('g'), redisKeys.audit]);
  const left = (await client.keys('*')).filter((name) => !others.has(name));
  const index = [redisKeys.apiKeyIndex, redisKeys.apiKeyTexts, redisKeys.apiKeyUse, redisKeys.apiKeysOf('active')];
  expect(left.sort()).toEqual([redisKeys.apiKey(id), ...index, '{lontar}:generation:meta'].sort());
  const settlement = { v: 1, outcome: 'failed', error: 'timed_out' } as const;
  for (const requestId of ['req_waiting', 'req_retried', 'req_charged']) {
    expect(await settle(client, { requestId, keyId: id, settlement, takeBack: true })).toEqual({ kind: 'gone' });
  }
  expect(await client.hget(redisKeys.apiKey(id), 'charged')).toBe('0');
  // The operator who has paused the queue, for the restore perhaps, decides when it goes on.
  expect((await queue.state()).paused).toBe(true);
  await holdQueue(client, 'resume', TESTER);
  await queue.add(jobOf('req_waiting', id), redisTime());
  expect(await queue.counts()).toMatchObject({ waiting: 1 });
});

test('limits that a gateway packed are packed anew, by the gateway that is there', async () => {
  const id = await createKey('shop');
  const policy = ['--mask', 'key', '--keep-own', '--no-address-limit', '--on-disconnect', 'finish'];
  expect(await lontar('keys', 'update', id, ...policy)).toMatchObject({ code: 0 });
  const before = await redis.client.hgetall(redisKeys.apiKey(id));
  expect(before).toMatchObject({ mask: 'key', keepOwn: '1', noAddressLimit: '1', onDisconnect: 'finish' });
  const packed = Buffer.from([0xff, 0x00, 0x80]);
  await redis.client.hset(redisKeys.apiKey(id), PACKED_TERMS, packed, EARLIER_TERMS, packed);
  await lontar('backup', file);
  expect(await lontar('restore', file, '--force')).toMatchObject({ code: 0 });
  expect(await redis.client.hgetall(redisKeys.apiKey(id))).toEqual(before);
});

describe('uploads', () => {
  const kept = `file_${'K'.repeat(22)}`;
  const later = `file_${'L'.repeat(22)}`;

  async function writeContent(name: string, content: string): Promise<void> {
    await mkdir(files(), { recursive: true });
    await writeFile(join(files(), name), content);
  }
  async function keep(id: string, content: string): Promise<void> {
    await redis.client.hset(redisKeys.upload(id), 'state', 'kept');
    await writeContent(id, content);
  }

  test('places of the day that were taken by uploads in work are given back', async () => {
    const { client } = redis;
    const [day, other] = ['2026-01-31', '2026-02-01'];
    const address = '2001:db8::/56';
    await client.set(redisKeys.uploads(day, address), '5', 'EX', 1_000);
    await client.set(redisKeys.uploads(other, address), '1', 'EX', 1_000);
    await client.set(redisKeys.uploads(day, '192.0.2.1'), '4', 'EX', 1_000);
    const uploads = [
      { state: 'open', day, address },
      { state: 'open', day, address },
      { state: 'open', day: other, address },
      // Its place was given back, or is meant to stay taken.
      { state: 'ending', day, address },
      { state: 'kept', day, address },
    ];
    for (const [index, fields] of uploads.entries()) {
      const id = `file_${String(index).repeat(22)}`;
      await client.hset(redisKeys.upload(id), fields);
      if (fields.state !== 'kept') await client.zadd(redisKeys.openUploads, 1, id);
    }
    await client.zadd(redisKeys.openUploads, 1, 'file_forgotten');
    await lontar('backup', file);
    expect(await lontar('restore', file, '--force')).toMatchObject({ code: 0 });
    const count = (onDay: string, of: string) => client.get(redisKeys.uploads(onDay, of));
    expect(await Promise.all([count(day, address), count(other, address), count(day, '192.0.2.1')])).toEqual([
      '3',
      '0',
      '4',
    ]);
    expect(await client.ttl(redisKeys.uploads(day, address))).toBeGreaterThan(900);

    // Files of earlier versions do not say; the count stays.
    rewriteBackup(file, (line) => ({ ...line, inWork: undefined }));
    expect(await restoreUnsigned()).toMatchObject({ code: 0 });
    expect(await count(day, address)).toBe('5');
  });

  test('an upload that ended while it was backed up stays away, with its content', async () => {
    await keep(kept, 'kept');
    await keep(later, 'ended');
    await lontar('backup', file);
    // As if its owner had removed it between the look at its state and its metadata.
    rewriteBackup(file, (line) =>
      line['key'] === redisKeys.upload(later)
        ? { ...line, items: [['state', 'ending'].map((text) => Buffer.from(text).toString('base64'))] }
        : line,
    );
    await redis.client.flushall();
    await rm(files(), { recursive: true });

    expect(await restoreUnsigned()).toMatchObject({ code: 0 });
    expect((await redis.client.keys('*')).sort()).toEqual([redisKeys.audit, redisKeys.upload(kept)]);
    expect(await readdir(files())).toEqual([kept]);
  });

  test('contents that the backup knows nothing of go with their metadata', async () => {
    await keep(kept, 'as it was');
    await lontar('backup', file);
    await keep(kept, 'changed');
    await keep(later, 'made after the backup');
    await writeContent(`${later}.restored`, 'left by a restore that was killed');
    await writeContent('README', 'not ours');

    expect(await lontar('restore', file, '--force')).toMatchObject({ code: 0 });
    expect((await readdir(files())).sort()).toEqual(['README', kept]);
    expect(await readFile(join(files(), kept), 'utf8')).toBe('as it was');
  });

  test('contents without metadata are removed by a restore that is forced, and by no other', async () => {
    await createKey('shop');
    await lontar('backup', file);
    await redis.client.flushall();
    await writeContent(later, 'all that is left');
    expect(await lontar('restore', file)).toMatchObject({ code: 1, err: expect.stringMatching(/1 file .*--force/) });
    expect(await readdir(files())).toEqual([later]);
    expect(await redis.client.dbsize()).toBe(0);
    expect(await lontar('restore', file, '--force')).toMatchObject({ code: 0 });
    expect(await readdir(files())).toEqual([]);
  });
});

function jobOf(id: string, keyId: string): GenerationJob {
  return {
    ...{ v: 1, id, endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1, maxOutputTokens: 1 },
    ...{ keyId, gateway: 'g', receivedAt: redisTime(), deadlineAt: redisTime(Date.now() + 60_000) },
  };
}
