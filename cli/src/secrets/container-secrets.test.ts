import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { readRedisAddress } from '@lontar/shared/primary/redis-address.ts';
import { REDIS_USERS } from '@lontar/shared/redis-users.ts';
import { parse } from 'yaml';
import { makeMissingSecrets, SECRET_FOLDERS, setSecret, UnknownSecret } from './container-secrets.ts';

let root: string;
const read = (folder: string, name: string) => readFileSync(join(root, folder, name), 'utf8').trim();

const passwordFile = (user: string) => `redis_${user.replace('-', '_')}_password`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lontar-secrets-'));
  for (const folder of SECRET_FOLDERS) mkdirSync(join(root, folder));
});

describe('the folders of the secrets', () => {
  const project = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const { services } = parse(project('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { volumes?: string[] }>;
  };

  test.each(SECRET_FOLDERS)(
    '%s is in the image, and a volume of its container and of the one that makes secrets',
    (name) => {
      const [volume = ''] =
        services['secrets']?.volumes?.find((text) => text.endsWith(`:/secrets/${name}`))?.split(':') ?? [];
      expect(services[name]?.volumes).toContain(`${volume}:/run/secrets:ro`);
      // Docker gives a new volume the owner that its folder has in the image.
      expect(project('Dockerfile').split(/\s+/)).toContain(`/secrets/${name}`);
    },
  );

  test('the file that Prometheus proves itself by is in its own', () => {
    const file = /credentials_file: \/run\/secrets\/(\w+)/.exec(project('dashboard/prometheus/prometheus.yml'))?.[1];
    makeMissingSecrets(root);
    expect(read('prometheus', file ?? '')).toBe(read('stats-service', 'inner_secret'));
    expect(read('gateway', 'inner_secret')).toMatch(/^[\w-]{43}$/);
  });
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
      redis: ['auth.conf', ...REDIS_USERS.map(passwordFile)].sort(),
      gateway: [
        'inner_secret',
        'key_pepper',
        'operator_redis_url',
        'redis_url',
        's3_access_key_id',
        's3_secret_access_key',
      ],
      worker: ['gemini_api_key', 'openai_api_key', 'redis_url'],
      'stats-service': ['dashboard_token', 'inner_secret', 'key_pepper', 'redis_url'],
      prometheus: ['inner_secret'],
      alertmanager: ['alert_webhook_url'],
      grafana: ['grafana_password'],
    });
    expect(statSync(join(root, 'gateway', 'key_pepper')).mode & 0o777).toBe(0o444);
  });

  test('give each service a user of Redis, and agree on its password, also when one volume was lost', () => {
    makeMissingSecrets(root);
    const urls = () => [
      ...['gateway', 'worker', 'stats-service'].map((folder) => [folder, read(folder, 'redis_url')]),
      ['operator', read('gateway', 'operator_redis_url')],
    ];
    const before = urls();
    for (const [user = '', url] of before) {
      const password = read('redis', passwordFile(user));
      expect(url).toBe(`redis://${user}:${password}@redis:6379`);
      expect(read('redis', 'auth.conf')).toContain(`\nuser ${user} on #${sha256(password)} `);
    }
    expect(new Set(before.map(([, url]) => url)).size).toBe(4);
    expect(read('redis', 'auth.conf')).toMatch(/^user default off /);
    rmSync(join(root, 'worker', 'redis_url'));
    expect(makeMissingSecrets(root)).toEqual(['redis_url']);
    expect(urls()).toEqual(before);
  });

  test('of an installation that had one password for all become users by themselves', () => {
    writeFileSync(join(root, 'redis', 'redis_password'), 'former\n');
    writeFileSync(join(root, 'redis', 'auth.conf'), 'requirepass former\n');
    for (const folder of ['gateway', 'worker', 'stats-service']) {
      writeFileSync(join(root, folder, 'redis_url'), 'redis://:former@redis:6379\n');
    }
    makeMissingSecrets(root);
    expect(read('redis', 'auth.conf')).not.toContain('requirepass');
    expect(read('worker', 'redis_url')).toBe(`redis://worker:${read('redis', passwordFile('worker'))}@redis:6379`);
  });

  test("name the operator's own Redis to every service, and keep it", () => {
    makeMissingSecrets(root);
    const own = 'rediss://operator:word@redis.example.com:6379';
    setSecret(root, 'redis_url', `${own}\n`);
    rmSync(join(root, 'stats-service', 'redis_url'));
    makeMissingSecrets(root);
    const places = [...['gateway', 'worker', 'stats-service'].map((folder) => read(folder, 'redis_url'))];
    expect([...places, read('gateway', 'operator_redis_url')]).toEqual([own, own, own, own]);
  });

  describe('of several Redis that Sentinels watch', () => {
    const FAILOVER = ['redis_replica_password', 'redis_sentinel_password', 'sentinel_client_password'];
    const places = () => [
      ...['gateway', 'worker', 'stats-service'].map((folder) => [folder, read(folder, 'redis_url')] as const),
      ['operator', read('gateway', 'operator_redis_url')] as const,
    ];

    test('lead each service to the Sentinels, and let none of them change what they say', () => {
      makeMissingSecrets(root);
      expect(makeMissingSecrets(root, 'sentinels')).toEqual(expect.arrayContaining(FAILOVER));
      for (const [user, url] of places()) {
        expect(readRedisAddress(url)).toMatchObject({
          kind: 'sentinel',
          primary: 'lontar',
          username: user,
          password: read('redis', passwordFile(user)),
          nodes: ['sentinel-1', 'sentinel-2', 'sentinel-3'].map((host) => ({ host, port: 26_379 })),
          sentinel: { username: 'client', password: read('redis', 'sentinel_client_password') },
        });
      }
      expect(read('gateway', 'redis_replicas_ack')).toBe('1');
      expect(read('redis', 'sentinel_users.conf')).toMatch(/^user client on #\w+ .*-@all \+ping \+subscribe /m);
      expect(read('redis', 'auth.conf')).toContain(`\nmasterauth ${read('redis', 'redis_replica_password')}\n`);
      expect(read('redis', 'auth.conf')).toContain('\nmin-replicas-to-write 1\n');
    });

    test('stay as they are at each later start, and can be taken back', () => {
      makeMissingSecrets(root);
      const alone = [places(), read('redis', 'auth.conf')];
      makeMissingSecrets(root, 'sentinels');
      const several = [places(), read('redis', 'auth.conf')];
      expect(several).not.toEqual(alone);
      // `docker compose up` makes secrets first, whatever its profiles are.
      expect(makeMissingSecrets(root)).toEqual([]);
      expect([places(), read('redis', 'auth.conf')]).toEqual(several);
      makeMissingSecrets(root, 'single');
      expect([places(), read('redis', 'auth.conf')]).toEqual(alone);
      expect(readdirSync(join(root, 'redis'))).not.toContain('redis-node.sh');
      expect(readdirSync(join(root, 'gateway'))).not.toContain('redis_replicas_ack');
    });

    test("leave the operator's own Redis where it is", () => {
      makeMissingSecrets(root);
      setSecret(root, 'redis_url', 'rediss://redis.example.com:6379');
      makeMissingSecrets(root, 'sentinels');
      expect(new Set(places().map(([, url]) => url))).toEqual(new Set(['rediss://redis.example.com:6379']));
    });
  });

  test('can be set, without the line break that files end with', () => {
    makeMissingSecrets(root);
    expect(read('worker', 'gemini_api_key')).toBe('');
    setSecret(root, 'gemini_api_key', 'from the console\n');
    expect(read('worker', 'gemini_api_key')).toBe('from the console');
  });

  test.each(['redis_password', 'redis_worker_password', 'operator_redis_url', '../escape', 'unknown'])(
    'refuses to set %s',
    (name) => {
      makeMissingSecrets(root);
      expect(() => setSecret(root, name, 'value')).toThrow(UnknownSecret);
    },
  );
});
