import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openSpool } from './spool.ts';
import type { UploadStorage } from './upload-storage.ts';

export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  readonly prefix: string;
  readonly pathStyle: boolean;
  readonly endpoint?: string | undefined;
  /** Absent: as the SDK finds them. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const ignore = () => undefined;
/** Every failure is thrown to us and logged once; the SDK's own words would go past the log. */
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Uploads as objects of an S3-compatible store. A content is spooled to the local disk first and put in one request of
 * known length: so an upload that is cut off never reaches the store, and no parts are left there to be paid for.
 *
 * @param folder where contents wait until they are put
 */
export function openS3Storage(settings: S3Settings, folder: string): UploadStorage {
  const { bucket: Bucket, prefix, endpoint, credentials } = settings;
  const spool = openSpool(join(folder, 'partial'));
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    // Many compatible stores do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
  });
  const nameOf = (id: string) => ({ Bucket, Key: prefix + id });
  return {
    kind: 's3',
    async write(id, content, signal) {
      const path = await spool.write(id, content, signal);
      try {
        const { size: ContentLength } = await stat(path);
        const Body = createReadStream(path);
        await client.send(new PutObjectCommand({ ...nameOf(id), Body, ContentLength }), { abortSignal: signal });
      } catch (error) {
        // The store may have it all the same: its acknowledgement was lost.
        await client.send(new DeleteObjectCommand(nameOf(id))).catch(() => undefined);
        throw error;
      } finally {
        await spool.remove(id);
      }
    },
    async read(id) {
      try {
        const { Body } = await client.send(new GetObjectCommand(nameOf(id)));
        return Body as Readable | undefined;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async remove(id) {
      await spool.remove(id);
      await client.send(new DeleteObjectCommand(nameOf(id)));
    },
    removeLeftovers: () => spool.removeLeftovers(),
  };
}
