import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, readConfig } from './read-config.ts';
import { setting, sharedSettings, wholeNumber } from './settings.ts';

const schema = z.object({
  REDIS_URL: sharedSettings.REDIS_URL,
  PORT: setting(wholeNumber(0, 65_535).prefault('8080'), { about: 'The port.', example: '8080' }),
  SECRET: setting(z.string().min(8).optional(), { about: 'A secret.', example: 'something', secret: true }),
});
const good = { REDIS_URL: 'redis://127.0.0.1:6379' };

describe('readConfig', () => {
  test('fills in defaults, and takes an empty value for unset where there is one', () => {
    expect(readConfig(schema, { ...good, PORT: '' })).toEqual({ REDIS_URL: 'redis://127.0.0.1:6379', PORT: 8080 });
  });

  test('reports all problems at once, each with name, fault and example', () => {
    const problems = problemsOf({ PORT: 'abc', REDIS_URL: '' });
    expect(problems).toEqual([
      expect.stringMatching(/^REDIS_URL is empty\..*Example: REDIS_URL=redis:\/\//),
      'PORT is "abc", which is not valid: it must be a whole number from 0 to 65535. Example: PORT=8080',
    ]);
  });

  test.each(['70000', '-1', '1.5', '0x10', ' 80'])('refuses the port %j', (port) => {
    expect(problemsOf({ ...good, PORT: port })).toHaveLength(1);
  });

  test('reads a secret from a file and never shows its value', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lontar-config-')), 'secret');
    writeFileSync(file, 'from-a-file\n');
    expect(readConfig(schema, { ...good, SECRET_FILE: file })).toMatchObject({ SECRET: 'from-a-file' });
    writeFileSync(file, 'short');
    expect(problemsOf({ ...good, SECRET_FILE: file }).join()).not.toContain('short.');
    expect(problemsOf({ ...good, SECRET: 'seen' }).join()).not.toContain('seen');
  });

  test('refuses a secret given twice, and a file that is not there', () => {
    expect(problemsOf({ ...good, SECRET: 'long enough', SECRET_FILE: '/dev/null' })).toEqual([
      'SECRET and SECRET_FILE are both set: remove one of them',
    ]);
    expect(problemsOf({ ...good, SECRET_FILE: '/nowhere/secret' })).toEqual([
      expect.stringContaining('SECRET_FILE names a file that cannot be read'),
    ]);
  });

  test('does not show the password in a bad Redis URL', () => {
    expect(problemsOf({ REDIS_URL: 'http://user:hidden@host' }).join()).not.toContain('hidden');
  });
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
