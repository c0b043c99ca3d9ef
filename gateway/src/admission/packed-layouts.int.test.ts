import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import { expandScript } from '@lontar/shared/expand-script.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { fillWindows } from '@lontar/shared/testing/windows.ts';
import { admit, readAnswer } from './admit.ts';

const LAYOUTS = expandScript(new URL('./includes/answer-layouts.lua', import.meta.url));
const NOW = 1_800_000_000_123;
const DAY_END = 1_800_057_600;
const UNREADABLE = /out of range|has no end|more fields/;
const ADDRESS = '192.0.2.1';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
});
afterAll(() => server.stop());
beforeEach(() => redis.flushall());

/** What Redis packs by a layout of the scripts. */
async function packed(layout: 'SHORT' | 'LONG', fields: string): Promise<Buffer> {
  return (await redis.callBuffer('EVAL', `${LAYOUTS}\nreturn struct.pack(${layout}, ${fields})`, '0')) as Buffer;
}

const SHORT = `0, 3, ${NOW}, 11, 4294967295, 12, -1, -1, 'address_blocked'`;
const LONG = `1, 4, ${NOW}, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 'expired'`;

test('every field of the short answer is read as it was packed', async () => {
  expect(readAnswer(await packed('SHORT', SHORT), 99)).toEqual({
    decision: 'address_blocked',
    reason: '',
    genuineKey: true,
    noAddressLimit: true,
    now: NOW,
    address: { used: 11, limit: 99, resetAt: 4_294_967_295 },
    flight: { used: 12, limit: -1 },
    blockedForSeconds: -1,
  });
});

test('every field of the long answer is read as it was packed', async () => {
  expect(readAnswer(await packed('LONG', LONG), 99)).toEqual({
    decision: 'key_not_active',
    reason: 'expired',
    genuineKey: false,
    onDisconnect: 'finish',
    now: NOW,
    address: { used: 11, limit: 99, resetAt: 12 },
    flight: { used: 13, limit: 14 },
    hour: { used: 15, limit: 16, resetAt: 17 },
    day: { used: 18, limit: 19, resetAt: DAY_END },
    credits: { used: 20, limit: 21 },
    maxOutputTokens: 22,
    blockedForSeconds: 0,
  });
});

test.each([
  ['SHORT', SHORT],
  ['LONG', LONG],
] as const)('an answer %s of another length is refused, not read wrongly', async (layout, fields) => {
  const answer = await packed(layout, fields);
  expect(() => readAnswer(answer.subarray(0, 20), 99)).toThrow(UNREADABLE);
  expect(() => readAnswer(answer.subarray(0, -1), 99)).toThrow(UNREADABLE);
  expect(() => readAnswer(Buffer.concat([answer, Buffer.from([0])]), 99)).toThrow(UNREADABLE);
});

/** The bytes of these two are in Redis while services of two versions run, and in what a Redis keeps over a deploy. */
test('an entry of a sliding window has the bytes that it always had', async () => {
  const window = redisKeys.addressHour(ADDRESS);
  await fillWindows(redis, [window], 3);
  const [entry] = await redis.lrangeBuffer(window, 0, -1);
  const expected = Buffer.alloc(24);
  const second = entry?.readUInt32BE(0) ?? 0;
  expect(Math.abs(second - Number((await redis.time())[0]))).toBeLessThan(60);
  expected.writeUInt32BE(second, 0);
  expected.writeDoubleBE(0, 4);
  expected.writeUInt32BE(second, 12);
  expected.writeDoubleBE(3, 16);
  expect(entry?.toString('hex')).toBe(expected.toString('hex'));
});

/** With another layout, the field needs another name: see PACKED_TERMS. */
test("a key's packed terms have the bytes that they always had", async () => {
  const key = { id: 'k1', hash: 'hash-1' };
  const record = { ...key, state: 'active', concurrency: 7, perHour: 100, perDay: 200, credits: 300 };
  const texts = { models: 'm1,m2', addressBits: '4:11', mask: 'key,ip' };
  await redis.hset(redisKeys.apiKey('k1'), { ...record, maxOutputTokens: 50, ...texts });
  const rules = { perHour: 1_000, banAfterBadKeys: 20, maxWaiting: 1_000, reservationMs: 60_000 };
  const input = {
    mode: 'generate',
    requestId: 'req_1',
    address: ADDRESS,
    addressBits: '4:1100',
    key,
    model: 'm1',
    job: { beginning: '{"maxOutputTokens":', maxOutputTokens: 1 },
  } as const;
  expect(await admit(redis, rules, input)).toMatchObject({ decision: 'admitted', maxOutputTokens: 50 });
  const policy = ',"policy":{"mask":["key","ip"]}';
  const expected = Buffer.alloc(6 * 8 + 4 + 5 + 4 + 4 + 4 + policy.length);
  [7, -1, 100, 200, 300, 50].forEach((term, index) => expected.writeDoubleBE(term, 8 * index));
  expected.writeUInt32BE(5, 48);
  expected.write('m1,m2', 52);
  expected.writeUInt32BE(4, 57);
  expected.write('4:11', 61);
  expected.writeUInt32BE(policy.length, 65);
  expected.write(policy, 69);
  const terms = (await redis.hgetBuffer(redisKeys.apiKey('k1'), PACKED_TERMS)) ?? Buffer.alloc(0);
  expect(terms.toString('hex')).toBe(expected.toString('hex'));
});

/** As installations of before hold them over an upgrade, and backups of theirs. */
test.each([
  ['with one that has left', (now: number) => [`${now - 4_000}:1`, `${now - 3_700}:2`, `${now - 10}:5`, `${now}:7`], 5],
  ['none of which has left', (now: number) => [`${now - 10}:5`, `${now}:7`], 7],
  ['all of which have left', (now: number) => [`${now - 4_000}:5`], 0],
  ['that nothing can read', () => ['what', '1:2:3'], 0],
])('a window of texts, %s, is counted on', async (_, texts, used) => {
  const window = redisKeys.addressHour(ADDRESS);
  await redis.rpush(window, ...texts(Number((await redis.time())[0])));
  const rules = { perHour: 1_000, banAfterBadKeys: 20, maxWaiting: 1_000, reservationMs: 60_000 };
  const key = { id: 'x', hash: 'x' };
  const count = () =>
    admit(redis, rules, { mode: 'count', requestId: 'req_1', address: ADDRESS, addressBits: '4:1100', key, model: '' });
  expect(await count()).toMatchObject({ decision: 'counted', address: { used: used + 1 } });
  expect(await count()).toMatchObject({ decision: 'counted', address: { used: used + 2 } });
  for (const entry of await redis.lrangeBuffer(window, 0, -1)) expect(entry).toHaveLength(24);
});
