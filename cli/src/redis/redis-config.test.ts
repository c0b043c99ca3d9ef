import { describe, expect, test } from '@jest/globals';
import { REDIS_USERS, type RedisUser } from '@lontar/shared/redis-users.ts';
import { canBeSocket, redisConfig, redisUrl } from './redis-config.ts';

describe('canBeSocket', () => {
  test.each([
    ['/srv/lontar/.lontar/run/redis.sock', true],
    [`/${'x'.repeat(100)}/redis.sock`, false],
    ['/srv/my lontar/redis.sock', false],
    ['/srv/lontár/redis.sock', false],
  ])('%s: %s', (path, expected) => {
    expect(canBeSocket(path)).toBe(expected);
  });
});

const door = { kind: 'port', port: 6380, bind: '127.0.0.1' } as const;
const users = {
  kind: 'users',
  passwords: Object.fromEntries(REDIS_USERS.map((user) => [user, `of ${user}`])) as Record<RedisUser, string>,
} as const;

describe('redisConfig', () => {
  test('is durable and never evicts, whichever door it has', () => {
    const socket = redisConfig('/home/x', { kind: 'socket', path: '/home/x/redis.sock' }, users, '/home/x/redis.log');
    const port = redisConfig('/home/a "b"', door, { kind: 'password', password: 'pw' }, '/l');
    for (const text of [socket, port]) {
      expect(text.split('\n')).toEqual(
        expect.arrayContaining([
          'appendonly yes',
          'appendfsync everysec',
          'maxmemory-policy noeviction',
          'save ""',
          'rdbcompression no',
          'auto-aof-rewrite-percentage 200',
        ]),
      );
    }
    expect(socket).toContain('port 0\n');
    expect(socket).toContain('logfile "/home/x/redis.log"\n');
    expect(port).toContain('requirepass "pw"');
    expect(socket).toContain('user default off resetpass ~* &* +@all\nuser gateway on #');
    expect(socket).not.toMatch(/requirepass|of gateway/);
    expect(port).toContain('dir "/home/a \\"b\\""');
  });

  test('the address fits the door', () => {
    const socket = { kind: 'socket', path: '/a/b.sock' } as const;
    expect(redisUrl(socket, { kind: 'password' }, 'gateway')).toBe('unix:///a/b.sock');
    expect(redisUrl(socket, users, 'gateway')).toBe('unix:///a/b.sock?username=gateway&password=of+gateway');
    expect(redisUrl(door, { kind: 'password', password: 'p/w' }, 'worker')).toBe('redis://:p%2Fw@127.0.0.1:6380');
    expect(redisUrl(door, users, 'worker')).toBe('redis://worker:of%20worker@127.0.0.1:6380');
  });
});
