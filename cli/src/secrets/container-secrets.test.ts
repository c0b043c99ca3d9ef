import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeMissingSecrets, SECRET_FOLDERS, setSecret, UnknownSecret } from './container-secrets.ts';

let root: string;
const read = (folder: string, name: string) => readFileSync(join(root, folder, name), 'utf8').trim();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lontar-secrets-'));
  for (const folder of SECRET_FOLDERS) mkdirSync(join(root, folder));
});

describe('the secrets of the containers', () => {
  test('are made once, random where they must be, and stay', () => {
    expect(makeMissingSecrets(root)).toContain('key_pepper');
    const pepper = read('gateway', 'key_pepper');
    expect(pepper).toMatch(/^[\w-]{43}$/);
    expect(read('stats-service', 'dashboard_token')).not.toBe(pepper);
    expect(makeMissingSecrets(root)).toEqual([]);
    expect(read('gateway', 'key_pepper')).toBe(pepper);
  });

  test('reach only the containers that need them', () => {
    makeMissingSecrets(root);
    const files = Object.fromEntries(SECRET_FOLDERS.map((folder) => [folder, readdirSync(join(root, folder)).sort()]));
    expect(files).toEqual({
      redis: ['auth.conf', 'redis_password'],
      gateway: ['key_pepper', 'redis_url', 's3_access_key_id', 's3_secret_access_key'],
      worker: ['gemini_api_key', 'openai_api_key', 'redis_url'],
      'stats-service': ['dashboard_token', 'redis_url'],
      grafana: ['grafana_password'],
    });
    expect(statSync(join(root, 'gateway', 'key_pepper')).mode & 0o777).toBe(0o444);
  });

  test('agree on the password of Redis, also when one volume was lost', () => {
    makeMissingSecrets(root);
    const password = read('redis', 'redis_password');
    rmSync(join(root, 'worker', 'redis_url'));
    makeMissingSecrets(root);
    expect(read('redis', 'auth.conf')).toBe(`requirepass ${password}`);
    expect(read('worker', 'redis_url')).toBe(`redis://:${password}@redis:6379`);
  });

  test('can be set, without the line break that files end with', () => {
    makeMissingSecrets(root);
    expect(read('worker', 'gemini_api_key')).toBe('');
    setSecret(root, 'gemini_api_key', 'from the console\n');
    expect(read('worker', 'gemini_api_key')).toBe('from the console');
  });

  test.each(['redis_password', '../escape', 'unknown'])('refuses to set %s', (name) => {
    makeMissingSecrets(root);
    expect(() => setSecret(root, name, 'value')).toThrow(UnknownSecret);
  });
});
