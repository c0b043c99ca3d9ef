import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { REDIS_USERS, type RedisUser, redisUserLines } from '@lontar/shared/redis-users.ts';
import { findProgram } from '../system/programs.ts';
import { redisUsersTemplate } from './redis-users-docs.ts';

const root = new URL('../../../', import.meta.url);

test('deploy/redis/users.conf is what the services need (npm run docs makes it so)', () => {
  expect(readFileSync(new URL('deploy/redis/users.conf', root), 'utf8')).toBe(redisUsersTemplate());
});

(findProgram(['openssl'], process.env['PATH']) === undefined ? test.skip : test)(
  'deploy/redis/make-users gives each user a password that its line fits, and no other user a look at it',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'lontar-users-'));
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    try {
      execFileSync(fileURLToPath(new URL('deploy/redis/make-users', root)), [folder]);
      const entries = REDIS_USERS.map((user) => {
        if (user === 'probe') return [user, read('redis-probe-password')] as const;
        const url = new URL(read(`redis-url-${user}`));
        expect(url.username).toBe(user);
        return [user, url.password] as const;
      });
      expect(new Set(entries.map(([, password]) => password)).size).toBe(REDIS_USERS.length);
      for (const [, password] of entries) expect(password).toMatch(/^[0-9a-f]{64}$/);
      const passwords = Object.fromEntries(entries) as Record<RedisUser, string>;
      expect(read('redis-auth.conf')).toBe(`${redisUserLines(passwords).join('\n')}\n`);
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
