import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '@lontar/shared/logger.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { openDiskStorage } from './storage/disk-storage.ts';
import { startUploadSweeper, type UploadSweeper } from './sweep-uploads.ts';
import { newUploadId } from './upload.ts';
import { LEASE_MS, reserveUpload } from './upload-ledger.ts';

const address = '127.0.0.1';
const TTL_MS = 86_400_000;
const startedAt = Date.UTC(2026, 0, 15, 12);
const countKey = redisKeys.uploads('2026-01-15', address);

let redis: TestRedis;
let folder: string;
let sweeper: UploadSweeper;
let ids: string[];
/** Contents that the storage refuses to remove. */
let kept: Set<string>;
let now: number;
/** Bytes taken in all, as the last round reported. */
let stored: number;
let log: { level: string; msg: string; reason?: string; heldBack?: number }[];

beforeEach(async () => {
  [redis, folder] = await Promise.all([startTestRedis(), mkdtemp(join(tmpdir(), 'lontar-uploads-'))]);
  [ids, kept, now, log] = [[], new Set(), startedAt, []];
  const disk = openDiskStorage(folder);
  const storage = {
    ...disk,
    remove: (id: string) => (kept.has(id) ? Promise.reject(new Error('Access Denied')) : disk.remove(id)),
  };
  const logger = createLogger('test', 'info', { write: (line) => void log.push(JSON.parse(line)) });
  const clock = { now: () => redisTime(now), stop: () => undefined };
  const onStored = (bytes: number) => {
    stored = bytes;
  };
  sweeper = await startUploadSweeper({ redis: redis.client, clock, storage, logger, ttlMs: TTL_MS, onStored });
  // Their gateway died: the lease of the first one ended first.
  for (const age of [3, 2, 1]) {
    const id = newUploadId();
    await storage.write(id, Readable.from([Buffer.from('x')]), new AbortController().signal);
    const room = { keyId: 'k', bytes: 1_000, atMost: false, maxStorageBytes: 10_000 };
    await reserveUpload(redis.client, { id, address, perDay: 20, now: now - LEASE_MS - age, ...room });
    ids.push(id);
  }
});
afterEach(async () => {
  sweeper.stop();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

test('what is left of uploads gives its room back, and each round reports what is taken', async () => {
  await sweeper.sweep();
  // Reported before anything was removed.
  expect(stored).toBe(3_000);
  expect(await redis.client.hgetall(redisKeys.uploadStorage)).toEqual({ counted: '1', bytes: '0', files: '0' });
  now += LEASE_MS;
  await sweeper.sweep();
  expect(stored).toBe(0);
});

const left = async () => ({
  used: await redis.client.get(countKey),
  open: await redis.client.zrangebyscore(redisKeys.openUploads, '-inf', '+inf'),
  files: await readdir(join(folder, 'files')),
});

test('a content that cannot be removed stays alone behind, and goes when it can', async () => {
  const [first = ''] = ids;
  kept.add(first);
  await sweeper.sweep();
  expect(await left()).toEqual({ used: '0', open: [first], files: [first] });
  kept.clear();
  now += LEASE_MS;
  await sweeper.sweep();
  expect(await left()).toEqual({ used: '0', open: [], files: [] });
});

test('contents that cannot be removed all give their place back, and wait behind others', async () => {
  for (const id of ids) kept.add(id);
  await sweeper.sweep();
  expect(await left()).toEqual({ used: '0', open: expect.arrayContaining(ids), files: expect.arrayContaining(ids) });
  expect(await redis.client.zrangebyscore(redisKeys.openUploads, '-inf', now)).toEqual([]);
  expect(log).toMatchObject([{ level: 'warn', reason: 'Access Denied' }]);
});

test('an upload whose metadata are broken keeps no other one', async () => {
  const [first = ''] = ids;
  await redis.client.set(redisKeys.upload(first), 'not a hash');
  await sweeper.sweep();
  expect(await left()).toEqual({ used: '1', open: [first], files: [first] });
});
