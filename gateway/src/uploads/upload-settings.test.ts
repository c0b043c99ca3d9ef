import { describe, expect, test } from '@jest/globals';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { gatewaySettings } from '../config.ts';
import { uploadFolder } from './storage/open-storage.ts';

const base = { REDIS_URL: 'redis://127.0.0.1:6379', KEY_PEPPER: 'p'.repeat(40), INNER_SECRET: 'i'.repeat(40) };
const read = (settings: Record<string, string>) => readConfig(gatewaySettings, { ...base, ...settings });

describe('the settings of uploads', () => {
  test('have the documented defaults', () => {
    expect(read({})).toMatchObject({ UPLOADS_PER_DAY: 20, MAX_FILE_BYTES: 10_485_760, UPLOAD_STORAGE: 'disk' });
    expect(uploadFolder(read({}))).toMatch(/\.lontar.uploads$/);
    expect(uploadFolder(read({ LONTAR_HOME: '/home/x' }))).toBe('/home/x/uploads');
    expect(uploadFolder(read({ LONTAR_HOME: '/home/x', UPLOAD_DIR: '/data' }))).toBe('/data');
  });

  test('an object store needs a bucket, and both halves of its key or neither', () => {
    expect(() => read({ UPLOAD_STORAGE: 's3' })).toThrow(/S3_BUCKET is not set/);
    expect(() => read({ UPLOAD_STORAGE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'a' })).toThrow(/S3_SECRET_ACCESS_KEY/);
    expect(() => read({ UPLOAD_STORAGE: 's3', S3_BUCKET: 'b', S3_SECRET_ACCESS_KEY: 'a' })).toThrow(
      /S3_SECRET_ACCESS_KEY is not valid: it must be set together with S3_ACCESS_KEY_ID/,
    );
    expect(read({ UPLOAD_STORAGE: 's3', S3_BUCKET: 'b' })).toMatchObject({
      S3_PREFIX: 'uploads/',
      S3_PATH_STYLE: true,
    });
    expect(() => read({ UPLOAD_STORAGE: 'floppy' })).toThrow(/must be disk or s3/);
    expect(read({ PUBLIC_URL: 'https://x.example/' })).toMatchObject({ PUBLIC_URL: 'https://x.example' });
  });
});
