import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestObjectStore, type TestObjectStore } from '@lontar/shared/testing/object-store.ts';
import { openDiskStorage } from './disk-storage.ts';
import { openS3Storage } from './s3-storage.ts';
import type { UploadStorage } from './upload-storage.ts';

const never = new AbortController().signal;

describe.each(['disk', 's3'] as const)('the %s storage', (kind) => {
  let folder: string;
  let store: TestObjectStore | undefined;
  let storage: UploadStorage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lontar-storage-'));
    if (kind === 'disk') {
      storage = openDiskStorage(folder);
      return;
    }
    store = await startTestObjectStore();
    const { bucket, endpoint, credentials } = store;
    const region = 'us-east-1';
    storage = openS3Storage({ bucket, region, prefix: 'lontar/', pathStyle: true, endpoint, credentials }, folder);
  });
  afterAll(async () => {
    await store?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const partial = () => readdir(join(folder, 'partial'));

  test.each([0, 1, 70_000, 10_485_760])('gives back %i bytes as they were', async (size) => {
    const content = randomBytes(size);
    await storage.write(`file_${size}`, Readable.from([content]), never);
    const found = await storage.read(`file_${size}`);
    expect(found && content.equals(await buffer(found))).toBe(true);
    expect(await partial()).toEqual([]);
  });

  test('knows nothing of what was never written, and removes it without complaint', async () => {
    expect(await storage.read('file_none')).toBeUndefined();
    await storage.remove('file_none');
  });

  test('forgets what was removed', async () => {
    await storage.write('file_gone', Readable.from([Buffer.from('x')]), never);
    await storage.remove('file_gone');
    expect(await storage.read('file_gone')).toBeUndefined();
  });

  test('keeps nothing of a source that fails', async () => {
    async function* source() {
      yield Buffer.alloc(100_000);
      throw new Error('cut off');
    }
    await expect(storage.write('file_half', Readable.from(source()), never)).rejects.toThrow('cut off');
    expect(await storage.read('file_half')).toBeUndefined();
    expect(await partial()).toEqual([]);
  });

  test('keeps nothing of what is stopped', async () => {
    const stop = new AbortController();
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(1000));
        setImmediate(() => stop.abort());
      },
    });
    await expect(storage.write('file_stopped', endless, stop.signal)).rejects.toThrow('abort');
    expect(await storage.read('file_stopped')).toBeUndefined();
    expect(await partial()).toEqual([]);
  });

  test('removes half-written files without a writer, and no others', async () => {
    await writeFile(join(folder, 'partial', 'file_old'), 'x');
    await utimes(join(folder, 'partial', 'file_old'), new Date(0), new Date(0));
    await writeFile(join(folder, 'partial', 'file_new'), 'x');
    await storage.removeLeftovers();
    expect(await partial()).toEqual(['file_new']);
    await storage.remove('file_new');
    expect(await partial()).toEqual([]);
  });

  test('reports what it cannot remove, after having removed the others', async () => {
    const path = (name: string) => join(folder, 'partial', name);
    await mkdir(path('file_5'));
    for (let i = 0; i < 10; i++) if (i !== 5) await writeFile(path(`file_${i}`), 'x');
    for (const name of await partial()) await utimes(path(name), new Date(0), new Date(0));
    await expect(storage.removeLeftovers()).rejects.toThrow('file_5');
    expect(await partial()).toEqual(['file_5']);
    await rm(path('file_5'), { recursive: true });
  });
});

test('an S3 store that cannot be reached is a failure, and leaves nothing on the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-storage-'));
  const settings = {
    bucket: 'b',
    region: 'us-east-1',
    prefix: '',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  };
  const storage = openS3Storage({ ...settings, endpoint: 'http://127.0.0.1:1' }, folder);
  await expect(storage.write('file_x', Readable.from([Buffer.from('x')]), never)).rejects.toThrow();
  expect(await readdir(join(folder, 'partial'))).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
