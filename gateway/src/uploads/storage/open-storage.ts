import { join, resolve } from 'node:path';
import type { UploadConfig } from '../upload-settings.ts';
import { openDiskStorage } from './disk-storage.ts';
import type { UploadStorage } from './upload-storage.ts';

/** The storage that the configuration names. The S3 client is loaded only where it is wanted: it is large. */
export async function openUploadStorage(config: UploadConfig): Promise<UploadStorage> {
  const folder = uploadFolder(config);
  if (config.UPLOAD_STORAGE === 'disk') return openDiskStorage(folder);
  const { openS3Storage } = await import('./s3-storage.ts');
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return openS3Storage(
    {
      bucket: config.S3_BUCKET ?? '',
      region: config.S3_REGION,
      prefix: config.S3_PREFIX,
      pathStyle: config.S3_PATH_STYLE,
      endpoint: config.S3_ENDPOINT,
      credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    },
    folder,
  );
}

/** The folder of uploads: `UPLOAD_DIR`, else `uploads` in `LONTAR_HOME`. */
export function uploadFolder(config: Pick<UploadConfig, 'UPLOAD_DIR' | 'LONTAR_HOME'>): string {
  return resolve(config.UPLOAD_DIR ?? join(config.LONTAR_HOME, 'uploads'));
}
