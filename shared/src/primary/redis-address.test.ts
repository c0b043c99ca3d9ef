import { describe, expect, test } from '@jest/globals';
import { describeRedis, partsOfAddress, readRedisAddress } from './redis-address.ts';

describe('an address', () => {
  test.each([
    ['redis://u:p@h:1/2', { kind: 'single', url: 'redis://u:p@h:1/2', tls: false }],
    ['rediss://h', { kind: 'single', url: 'rediss://h', tls: true }],
    ['unix:///run/r.sock?password=p', { kind: 'single', url: '/run/r.sock?password=p', tls: false }],
    ['/run/r.sock', { kind: 'single', url: '/run/r.sock', tls: false }],
    [
      'redis+sentinel://h1,h2:1,[::1]:2/main',
      {
        kind: 'sentinel',
        nodes: [
          { host: 'h1', port: 26_379 },
          { host: 'h2', port: 1 },
          { host: '::1', port: 2 },
        ],
        primary: 'main',
        db: 0,
        tls: false,
        sentinel: {},
      },
    ],
    [
      'rediss+sentinel://u%40x:p%2Fq@h1/main?db=3&sentinelUser=su&sentinelPassword=s%40p',
      {
        kind: 'sentinel',
        nodes: [{ host: 'h1', port: 26_379 }],
        primary: 'main',
        db: 3,
        tls: true,
        username: 'u@x',
        password: 'p/q',
        sentinel: { username: 'su', password: 's@p' },
      },
    ],
    [
      'redis+cluster://:p@h1,h2:7000',
      {
        kind: 'cluster',
        nodes: [
          { host: 'h1', port: 6_379 },
          { host: 'h2', port: 7_000 },
        ],
        tls: false,
        password: 'p',
      },
    ],
  ])('%s is read', (text, address) => {
    expect(readRedisAddress(text)).toEqual(address);
  });

  test.each([
    ['http://h', 'must be a redis://'],
    ['', 'must be a redis://'],
    ['redis+sentinel://h1', "must end with the primary's name"],
    ['redis+sentinel://h1/a/b', "must end with the primary's name"],
    ['redis+sentinel://h1/main?db=x', 'must have a number as db'],
    ['redis+sentinel://h1/main?database=1', 'must have no options but'],
    ['redis+sentinel://h1/main?sentinelUser=u', 'must have sentinelPassword'],
    ['redis+sentinel://secret@h1/main', 'must have a password behind the user name'],
    ['redis+sentinel://u:100%@h1/main', 'must have % signs'],
    ['redis+sentinel://h1,/main', 'must list hosts'],
    ['redis+sentinel://h1:99999/main', 'must list hosts'],
    ['redis+cluster://h1/0', 'must have nothing behind'],
    ['redis+other://h1', 'must be redis+sentinel://'],
  ])('%s is refused', (text, message) => {
    expect(() => readRedisAddress(text)).toThrow(message);
    expect(() => readRedisAddress(text)).not.toThrow('secret');
  });
});

test.each([
  ['redis://u:p@h:1/2', 'h:1'],
  ['/run/r.sock?password=p', '/run/r.sock'],
  ['redis+sentinel://u:p@h1,h2:2/main', 'main (as the Sentinels h1:26379, h2:2 say)'],
  ['redis+cluster://:p@[::1]:7', 'the cluster of [::1]:7'],
  ['what', 'the configured address'],
])('%s is described without its password', (text, words) => {
  expect(describeRedis(text)).toBe(words);
});

test.each([
  ['redis://u:p%40@h.example:1/2', { passwords: ['p@'], hosts: ['h.example'] }],
  ['/run/r.sock?password=p', { passwords: ['p'], hosts: [] }],
  ['redis+sentinel://u:p@h1,h2/main?sentinelPassword=q', { passwords: ['p', 'q'], hosts: ['h1', 'h2'] }],
  ['redis+cluster://h1', { passwords: [], hosts: ['h1'] }],
])('%s has parts that are not for everyone', (text, parts) => {
  expect(partsOfAddress(text)).toEqual(parts);
});
