import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readRedisAddress } from '@lontar/shared/primary/redis-address.ts';
import { failoverLines, sentinelUserLines } from '@lontar/shared/redis-failover-users.ts';
import { REDIS_USERS, type RedisUser, redisUserLines } from '@lontar/shared/redis-users.ts';
import { parse } from 'yaml';
import { findProgram } from '../system/programs.ts';
import { failoverTemplates, redisUsersTemplate, scriptsManifest } from './redis-users-docs.ts';

const root = new URL('../../../', import.meta.url);

test('deploy/redis/users.conf is what the services need (npm run docs makes it so)', () => {
  expect(readFileSync(new URL('deploy/redis/users.conf', root), 'utf8')).toBe(redisUsersTemplate());
});

test('what several Redis and their Sentinels have besides is as the containers have it (npm run docs makes it so)', () => {
  const { redis, sentinels } = failoverTemplates();
  const file = (path: string) => readFileSync(new URL(path, root), 'utf8');
  expect(file('deploy/redis/failover.conf')).toBe(redis);
  expect(file('deploy/redis/sentinel-users.conf')).toBe(sentinels);
  expect(file('deploy/kubernetes-ha/scripts.yaml')).toBe(scriptsManifest());
  const { data } = parse(scriptsManifest()) as { data: Record<string, string> };
  for (const [name, text] of Object.entries(data)) expect(text).toBe(file(`cli/src/secrets/${name}`));
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

(findProgram(['openssl'], process.env['PATH']) === undefined ? test.skip : test)(
  'deploy/redis/make-users --ha leads each service to the Sentinels of deploy/kubernetes-ha',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'lontar-users-'));
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    try {
      execFileSync(fileURLToPath(new URL('deploy/redis/make-users', root)), ['--ha', folder]);
      const client = read('sentinel-client-password');
      const sentinel = read('redis-sentinel-password');
      const addresses = ['gateway', 'worker', 'stats-service', 'operator'].map((user) => {
        const address = readRedisAddress(read(`redis-url-${user}`));
        expect(address).toMatchObject({
          kind: 'sentinel',
          username: user,
          nodes: [0, 1, 2].map((number) => ({ host: `redis-ha-${number}.redis-ha`, port: 26_379 })),
          sentinel: { username: 'client', password: client },
        });
        return [user, address.kind === 'sentinel' ? (address.password ?? '') : ''] as const;
      });
      const passwords = { ...Object.fromEntries(addresses), probe: read('redis-probe-password') };
      const replica = /^masterauth (\w{64})$/m.exec(read('redis-auth.conf'))?.[1] ?? '';
      const failover = { replica, sentinel, client };
      const lines = [...redisUserLines(passwords as Record<RedisUser, string>), ...failoverLines(failover)];
      expect(read('redis-auth.conf')).toBe(`${lines.join('\n')}\n`);
      expect(read('sentinel-users.conf')).toBe(`${sentinelUserLines(failover).join('\n')}\n`);
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
