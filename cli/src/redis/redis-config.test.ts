import { describe, expect, test } from '@jest/globals';
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

describe('redisConfig', () => {
  test('is durable and never evicts, whichever door it has', () => {
    const socket = redisConfig('/home/x', { kind: 'socket', path: '/home/x/redis.sock' });
    const port = redisConfig('/home/a "b"', { kind: 'port', port: 6380, bind: '127.0.0.1', password: 'pw' });
    for (const text of [socket, port]) {
      expect(text.split('\n')).toEqual(
        expect.arrayContaining(['appendonly yes', 'appendfsync everysec', 'maxmemory-policy noeviction', 'save ""']),
      );
    }
    expect(socket).toContain('port 0\n');
    expect(port).toContain('requirepass "pw"');
    expect(port).toContain('dir "/home/a \\"b\\""');
  });

  test('the address fits the door', () => {
    expect(redisUrl({ kind: 'socket', path: '/a/b.sock' })).toBe('unix:///a/b.sock');
    expect(redisUrl({ kind: 'port', port: 6380, bind: '127.0.0.1', password: 'p/w' })).toBe(
      'redis://:p%2Fw@127.0.0.1:6380',
    );
  });
});
