import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** A local S3-compatible object store with one bucket, for tests. */
export interface TestObjectStore {
  readonly endpoint: string;
  readonly bucket: string;
  /** The only pair of keys that it knows. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** From then on nothing answers at the endpoint. Safe to repeat. */
  stop(): Promise<void>;
}

export async function startTestObjectStore(): Promise<TestObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'lontar-objects-'));
  const bucket = 'uploads';
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: bucket }] };
  const store = new S3rver(options);
  const { port } = (await store.run()) as AddressInfo;
  let stopped: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    stop() {
      stopped ??= store.close().then(() => rm(directory, { recursive: true, force: true }));
      return stopped;
    },
  };
}
