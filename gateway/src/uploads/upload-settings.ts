import { oneOf, setting, sharedSettings, trueOrFalse, wholeNumber } from '@lontar/shared/config/settings.ts';
import { z } from 'zod';

/** A thousand times what fits on any disk, and far below where numbers lose their last digit. */
const MOST_BYTES = 999_999_999_999_999;

/** Settings of the uploads; part of the gateway's. */
export const uploadSettings = {
  UPLOADS_PER_DAY: sharedSettings.UPLOADS_PER_DAY,
  MAX_FILE_BYTES: setting(wholeNumber(1, 1_073_741_824).prefault('10485760'), {
    about: 'The largest upload, in bytes (10485760 is 10 MB).',
    example: '10485760',
  }),
  MAX_STORAGE_BYTES: setting(wholeNumber(0, MOST_BYTES).prefault('10737418240'), {
    about: 'How much all uploads together may take, in bytes (10737418240 is 10 GB); further ones get 507.',
    example: '10737418240',
  }),
  UPLOAD_TTL_DAYS: setting(wholeNumber(0, 36_500).prefault('30'), {
    about: 'Days that an upload is kept before it is removed; 0 keeps it for ever.',
    example: '30',
  }),
  DOWNLOADS_PER_HOUR: setting(wholeNumber(1, 1_000_000).prefault('1000'), {
    about: 'Requests for files that one address may make in any 3,600 seconds.',
    example: '1000',
  }),
  UPLOAD_STORAGE: setting(oneOf(['disk', 's3']).default('disk'), {
    about: 'Where contents of uploads are kept: on the local disk, or in an S3-compatible object store.',
    example: 'disk',
  }),
  LONTAR_HOME: sharedSettings.LONTAR_HOME,
  UPLOAD_DIR: setting(z.string().optional(), {
    about:
      'The folder of uploads, also of those that are being sent to the object store. If not set: LONTAR_HOME/uploads.',
    example: '/var/lib/lontar/uploads',
  }),
  S3_BUCKET: setting(z.string().optional(), {
    about: 'With UPLOAD_STORAGE=s3: the bucket.',
    example: 'lontar-uploads',
  }),
  S3_ENDPOINT: setting(z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(), {
    about: 'With UPLOAD_STORAGE=s3: the URL of the object store. If not set: Amazon.',
    example: 'https://s3.example.com',
  }),
  S3_REGION: setting(z.string().default('us-east-1'), {
    about: 'With UPLOAD_STORAGE=s3: the region of the bucket.',
    example: 'us-east-1',
  }),
  S3_PREFIX: setting(z.string().default('uploads/'), {
    about: 'With UPLOAD_STORAGE=s3: the beginning of all object names.',
    example: 'uploads/',
  }),
  S3_PATH_STYLE: setting(trueOrFalse().prefault('true'), {
    about: 'With UPLOAD_STORAGE=s3: whether the bucket is in the path (most stores) or in the host name.',
    example: 'true',
  }),
  S3_ACCESS_KEY_ID: setting(z.string().optional(), {
    about: 'With UPLOAD_STORAGE=s3: the access key. If not set, the AWS SDK looks for one (role, profile).',
    example: 'the access key id of the store',
    secret: true,
  }),
  S3_SECRET_ACCESS_KEY: setting(z.string().optional(), {
    about: 'With UPLOAD_STORAGE=s3: the secret of the access key.',
    example: 'the secret access key of the store',
    secret: true,
  }),
} as const;

/** The values of the settings of uploads. */
export type UploadConfig = z.infer<z.ZodObject<typeof uploadSettings>>;

/** What is wrong with settings that hold each by itself but not together. */
export function uploadSettingsProblem(config: UploadConfig): { name: string; message: string } | undefined {
  if (config.UPLOAD_STORAGE !== 's3') return undefined;
  if (!config.S3_BUCKET) return { name: 'S3_BUCKET', message: 'must be set when UPLOAD_STORAGE is s3' };
  if ((config.S3_ACCESS_KEY_ID === undefined) !== (config.S3_SECRET_ACCESS_KEY === undefined)) {
    return { name: 'S3_SECRET_ACCESS_KEY', message: 'must be set together with S3_ACCESS_KEY_ID, or not at all' };
  }
  return undefined;
}
