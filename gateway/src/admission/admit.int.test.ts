import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addressBits } from '@lontar/shared/address.ts';
import { auditHead } from '@lontar/shared/admin/audit.ts';
import { DEFAULT_CONCURRENCY, PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import { expandScript } from '@lontar/shared/expand-script.ts';
import { type GenerationJob, writeJobToAdmit } from '@lontar/shared/generation-job.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadBinaryScript, loadScript } from '@lontar/shared/redis-script.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import fc from 'fast-check';
import { ReferenceAdmission, type ReferenceKey } from '../../testing/reference-admission.ts';
import { sweepReservations } from '../generation/sweep.ts';
import { type AdmissionInput, type AdmissionRules, admit, loadAdmission } from './admit.ts';

/** The operator's command, as it is. */
const blockScript = loadScript(new URL('../../../shared/src/admin/block-address.lua', import.meta.url));
const BLOCK_HEAD = auditHead({ by: 'cli', id: 'test' }, 'address.block', 'x');
const CLOCK = '{lontar}:test-clock';
const START = 1_800_000_000;
const rules: AdmissionRules = { perHour: 1_000_000, banAfterBadKeys: 20, maxWaiting: 1_000, reservationMs: 60_000 };

let server: TestRedis;
let redis: Redis;
let ids = 0;

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client;
});
afterAll(() => server.stop());
beforeEach(() => redis.flushall());

/** The scripts with a clock that the test sets; nothing else differs. */
const timed = loadAdmission((script) => {
  const source = expandScript(script);
  const call = "redis.call('TIME')";
  expect(source.split(call)).toHaveLength(2);
  const file = join(mkdtempSync(join(tmpdir(), 'lontar-admit-')), 'timed.lua');
  // Expiry goes by the real clock, which stands still here; the script has to be right without its help.
  writeFileSync(file, source.replace(call, `{ redis.call('GET', '${CLOCK}'), '0' }`));
  return loadBinaryScript(pathToFileURL(file));
});

const MODES = ['generate', 'foresee', 'check', 'bad-key', 'judge', 'count', 'look'] as const;

const newId = () => `req_${String(ids++).padStart(22, '0')}`;
const jobToAdmit = { beginning: '{"v":1,"maxOutputTokens":', maxOutputTokens: 100 };
const input = (over: Partial<AdmissionInput> = {}): AdmissionInput => ({
  mode: 'generate',
  job: jobToAdmit,
  requestId: newId(),
  address: '192.0.2.1',
  addressBits: addressBits('192.0.2.1') ?? '',
  key: { id: 'k1', hash: 'hash-1' },
  model: 'ai-2.5-flash',
  ...over,
});
const store = (key: Record<string, string | number>) =>
  redis.hset(redisKeys.apiKey(String(key['id'] ?? 'k1')), {
    id: 'k1',
    hash: 'hash-1',
    state: 'active',
    name: 'n',
    ...key,
  });
const refund = { v: 1, outcome: 'failed', error: 'upstream_error' } as const;

describe('a burst', () => {
  test.each([
    ['the hour of the address', { ...rules, perHour: 37 }, {}, 'address_limited'],
    ['the hour of the key', rules, { perHour: 37 }, 'key_hour'],
    ['the day of the key', rules, { perDay: 37 }, 'key_day'],
    ['the credits', rules, { credits: 37 }, 'credits'],
    ['the concurrency', rules, { concurrency: 37 }, 'concurrency'],
  ] as const)(
    'of 1,000 over two connections is admitted exactly as far as %s goes',
    async (_what, limits, key, refusal) => {
      await store({ concurrency: 10_000, ...key });
      const second = server.client.duplicate();
      const results = await Promise.all(
        Array.from({ length: 1_000 }, (_, index) => admit(index % 2 ? redis : second, limits, input())),
      );
      second.disconnect();
      const count = (decision: string) => results.filter((result) => result.decision === decision).length;
      expect(count('admitted')).toBe(37);
      expect(count(refusal)).toBe(963);
      expect(Number(await redis.hget(redisKeys.apiKey('k1'), 'charged'))).toBe(37);
      expect(await countReservations(redis)).toBe(37);
    },
  );
});

describe('the job of a request', () => {
  const enqueued = async () => {
    const waiting = await redis.lrange(queueKeys.waiting, 0, -1);
    return { waiting, jobs: (await redis.keys(queueKeys.job('req_*'))).length };
  };

  test.each([
    ['that asks for less than its key may', 30, 30],
    ['that asks for more than its key may', 500, 60],
  ] as const)(
    '%s is enqueued with its reservation, once, with as many output tokens as the key has',
    async (_what, maxOutputTokens, most) => {
      await store({ maxOutputTokens: 60 });
      const job = writeJobToAdmit({ v: 1, prompt: 'hi', maxOutputTokens } as GenerationJob);
      const same = input({ job });
      for (let repeat = 0; repeat < 2; repeat++) expect((await admit(redis, rules, same)).decision).toBe('admitted');
      expect(await enqueued()).toEqual({ waiting: [same.requestId], jobs: 1 });
      const data = await redis.hget(queueKeys.job(same.requestId), 'data');
      expect(JSON.parse(data ?? '')).toEqual({ v: 1, prompt: 'hi', maxOutputTokens: most });
      expect(await redis.zrange(queueKeys.marker, '0', '-1')).toEqual(['0']);
    },
  );

  test('is not enqueued again once it was settled', async () => {
    await store({});
    const same = input();
    await admit(redis, rules, same);
    await settle(redis, { requestId: same.requestId, keyId: 'k1', settlement: refund });
    await redis.del(queueKeys.waiting, queueKeys.job(same.requestId));
    expect(await admit(redis, { ...rules, perHour: 1 }, same)).toMatchObject({ decision: 'admitted' });
    expect(await enqueued()).toEqual({ waiting: [], jobs: 0 });
  });

  test.each([
    ['queue_full', {}, { maxWaiting: 0 }],
    ['address_limited', {}, { perHour: 0 }],
    ['key_hour', { perHour: 0 }, {}],
    ['key_day', { perDay: 0 }, {}],
    ['credits', { credits: 0 }, {}],
    ['concurrency', { concurrency: 0 }, {}],
    ['key_not_active', { state: 'revoked' }, {}],
    ['key_not_active', { models: 'ai-2.5-pro' }, {}],
    ['unknown_key', { hash: 'another' }, {}],
  ] as const)('that is refused as %s is not enqueued', async (decision, key, limits) => {
    await store(key);
    expect(await admit(redis, { ...rules, ...limits }, input())).toMatchObject({ decision });
    expect(await enqueued()).toEqual({ waiting: [], jobs: 0 });
    expect(await redis.exists(queueKeys.marker)).toBe(0);
  });

  test('wakes no worker while the queue is paused', async () => {
    await store({});
    await redis.hset(queueKeys.meta, 'paused', '1');
    const { requestId } = input();
    await admit(redis, rules, input({ requestId }));
    expect(await enqueued()).toEqual({ waiting: [requestId], jobs: 1 });
    expect(await redis.exists(queueKeys.marker)).toBe(0);
  });
});

describe('one admission', () => {
  test('repeated under its request id changes nothing', async () => {
    await store({ credits: 5 });
    const same = input();
    const first = await admit(redis, rules, same);
    expect(first).toMatchObject({ decision: 'admitted', genuineKey: true, credits: { used: 1, limit: 5 } });
    expect(await admit(redis, rules, same)).toMatchObject({
      decision: 'admitted',
      credits: { used: 1 },
      address: { used: 1 },
    });
    expect(await redis.zcard(redisKeys.keyFlight('k1'))).toBe(1);
  });

  test('repeated after its key was revoked is refused, but not counted again', async () => {
    await store({});
    const same = input();
    await admit(redis, rules, same);
    await store({ state: 'revoked' });
    expect(await admit(redis, rules, same)).toMatchObject({ reason: 'revoked', address: { used: 1 } });
    expect(await admit(redis, rules, input())).toMatchObject({ reason: 'revoked', address: { used: 2 } });
  });

  test.each(['check', 'judge'] as const)('in mode %s takes nothing and asks for no model', async (mode) => {
    await store({ models: 'ai-2.5-flash', credits: 1 });
    for (const models of ['ai-2.5-flash', '']) {
      const asked = { mode, model: models };
      expect(await admit(redis, rules, input(asked))).toMatchObject({ decision: 'counted', genuineKey: true });
    }
    expect(await admit(redis, rules, input())).toMatchObject({ decision: 'admitted', credits: { used: 1 } });
    expect(await admit(redis, rules, input({ mode, model: '' }))).toMatchObject({ decision: 'counted' });
  });

  test('in mode look gives the window of any address, and changes nothing', async () => {
    const limits = { ...rules, perHour: 2 };
    const look = () => admit(redis, limits, input({ mode: 'look', key: { id: 'x', hash: 'x' } }));
    expect(await look()).toMatchObject({ decision: 'counted', genuineKey: false, address: { used: 0, limit: 2 } });
    expect(await redis.dbsize()).toBe(0);
    await admit(redis, limits, input({ mode: 'count' }));
    const { address } = await admit(redis, limits, input({ mode: 'count' }));
    await redis.set(redisKeys.addressBan('192.0.2.1'), 'operator');
    const before = await redis.keys('*');
    expect(await look()).toMatchObject({ decision: 'counted', address });
    expect((await redis.keys('*')).sort()).toEqual(before.sort());
    expect(await look()).toMatchObject({ address: { used: 2, limit: 2 } });
  });

  test('that is not settled is given back by the sweeper when its reservation ends', async () => {
    await store({ credits: 5 });
    for (let index = 0; index < 3; index++) await admit(redis, rules, input());
    const { now } = await admit(redis, rules, input({ mode: 'judge' }));
    expect(await sweepReservations(redis, now + 30_000, 5)).toBe(0);
    expect(await sweepReservations(redis, now + rules.reservationMs, 5)).toBe(3);
    expect(await redis.hget(redisKeys.apiKey('k1'), 'charged')).toBe('0');
    expect(await redis.exists(redisKeys.keysInFlight)).toBe(0);
  });

  test('of hundreds that are not settled are all given back in one round', async () => {
    await store({ concurrency: 1_000 });
    const all = await Promise.all(Array.from({ length: 250 }, () => admit(redis, rules, input())));
    expect(await sweepReservations(redis, Math.max(...all.map(({ now }) => now)) + rules.reservationMs, 5)).toBe(250);
    expect(await countReservations(redis)).toBe(0);
  });

  test('of a key without a concurrency of its own gives the usual one', async () => {
    await store({});
    const usual = { flight: { used: 1, limit: DEFAULT_CONCURRENCY } };
    expect(await admit(redis, rules, input())).toMatchObject(usual);
    await store({ perHour: 5 });
    await redis.hdel(redisKeys.apiKey('k1'), PACKED_TERMS);
    expect(await admit(redis, rules, input())).toMatchObject({ flight: { used: 2, limit: DEFAULT_CONCURRENCY } });
  });

  test('that is refused is not charged, but counts for the address', async () => {
    await store({ credits: 0, perHour: 5 });
    expect(await admit(redis, rules, input())).toMatchObject({
      decision: 'credits',
      genuineKey: true,
      address: { used: 1 },
      hour: { used: 0, limit: 5 },
      credits: { used: 0, limit: 0 },
    });
    expect(await countReservations(redis)).toBe(0);
  });

  test.each([
    ['an unknown key', { key: { id: 'unknown', hash: 'x' } }, {}, 'unknown_key', ''],
    ['a wrong secret', { key: { id: 'k1', hash: 'x' } }, {}, 'unknown_key', ''],
    ['a revoked key', {}, { state: 'revoked' }, 'key_not_active', 'revoked'],
    ['an expired key', {}, { expiresAt: 1 }, 'key_not_active', 'expired'],
    ['another model', { model: 'ai-2.5-pro' }, { models: 'ai-2.5-flash' }, 'key_not_active', 'model'],
    ['part of a model name', { model: 'ai-2.5' }, { models: 'ai-2.5-flash' }, 'key_not_active', 'model'],
    ['another address', {}, { addressBits: addressBits('10.0.0.0/8') ?? '' }, 'key_not_active', 'address'],
  ] as const)('with %s', async (_what, over, key, decision, reason) => {
    await store(key);
    expect(await admit(redis, rules, input(over))).toMatchObject({ decision, reason });
    expect(await countReservations(redis)).toBe(0);
  });

  test('judges alike by the limits as they were written and as it packed them', async () => {
    const networks = ['10.0.0.0/8', '192.0.2.0/24'].map((network) => addressBits(network)).join();
    const limits = { perHour: 100, perDay: 200, credits: 300, concurrency: 40, maxOutputTokens: 50 };
    await store({
      ...limits,
      expiresAt: Date.now() + 60_000,
      models: 'ai-2.5-pro,ai-2.5-flash',
      addressBits: networks,
    });
    const judge = async (over: Partial<AdmissionInput> = {}) => {
      const { now: _now, address: _address, ...rest } = await admit(redis, rules, input(over));
      return rest;
    };
    const all = async () => ({
      admitted: await judge(),
      otherModel: await judge({ model: 'ai-2.5' }),
      elsewhere: await judge({ addressBits: addressBits('192.0.3.1') ?? '' }),
    });
    const written = await all();
    expect(await redis.hexists(redisKeys.apiKey('k1'), PACKED_TERMS)).toBe(1);
    const packed = await all();
    expect(written).toMatchObject({
      admitted: {
        decision: 'admitted',
        hour: { used: 1, limit: 100 },
        day: { used: 1, limit: 200 },
        maxOutputTokens: 50,
      },
      otherModel: { reason: 'model' },
      elsewhere: { reason: 'address' },
    });
    expect(packed).toMatchObject({ otherModel: written.otherModel, elsewhere: written.elsewhere });
    expect(packed.admitted).toMatchObject({
      hour: { used: 2, limit: 100 },
      day: { used: 2, limit: 200, resetAt: written.admitted.day?.resetAt },
      credits: { used: 2, limit: 300 },
      flight: { used: 2, limit: 40 },
      maxOutputTokens: 50,
    });
    await redis.hset(redisKeys.apiKey('k1'), 'state', 'revoked');
    expect(await judge()).toMatchObject({ decision: 'key_not_active', reason: 'revoked' });
  });

  test('takes an old secret while a rotation overlaps, and not after', async () => {
    await store({ hash: 'new', oldHash: 'hash-1', oldHashUntil: Date.now() + 60_000 });
    expect(await admit(redis, rules, input())).toMatchObject({ decision: 'admitted' });
    await store({ hash: 'new', oldHash: 'hash-1', oldHashUntil: Date.now() - 1 });
    expect(await admit(redis, rules, input())).toMatchObject({ decision: 'unknown_key' });
  });

  test('is refused while the queue is full', async () => {
    await store({});
    await redis.rpush('{lontar}:generation:wait', 'a', 'b');
    expect(await admit(redis, { ...rules, maxWaiting: 2 }, input())).toMatchObject({ decision: 'queue_full' });
    expect(await admit(redis, { ...rules, maxWaiting: 3 }, input())).toMatchObject({ decision: 'admitted' });
  });

  test('gives the concurrency back when it is settled, and the credit when that is a refund', async () => {
    await store({ concurrency: 1, credits: 10 });
    const first = input();
    await admit(redis, rules, first);
    expect(await admit(redis, rules, input())).toMatchObject({
      decision: 'concurrency',
      flight: { used: 1, limit: 1 },
    });
    await settle(redis, { requestId: first.requestId, keyId: 'k1', settlement: refund });
    expect(await admit(redis, rules, input())).toMatchObject({ decision: 'admitted', credits: { used: 1 } });
  });

  test.each([
    ['for an hour', ['EX', 3_600], 3_600],
    ['for a century', ['EX', 3_200_000_000], 2_147_483_647],
    ['until the operator ends it', [], -1],
  ] as const)('from an address that is blocked %s learns for how long', async (_what, expiry, blockedForSeconds) => {
    await store({});
    await redis.call('SET', redisKeys.addressBan('192.0.2.1'), 'operator', ...expiry);
    expect(await admit(redis, rules, input())).toMatchObject({ decision: 'address_blocked', blockedForSeconds });
  });

  test('after 20 bad keys finds the address banned', async () => {
    await store({});
    const bad = () => admit(redis, rules, input({ mode: 'bad-key' }));
    for (let index = 0; index < 20; index++) expect((await bad()).decision).toBe('unknown_key');
    expect(await bad()).toMatchObject({ decision: 'address_blocked', blockedForSeconds: 3600 });
    expect(await redis.zrange(redisKeys.blockedAddresses, '0', '-1')).toEqual(['192.0.2.1']);
    expect(await admit(redis, rules, input({ address: '192.0.2.2' }))).toMatchObject({ decision: 'admitted' });
  });
});

describe('a genuine key', () => {
  const modes = ['generate', 'check', 'judge', 'count', 'foresee'] as const;
  const passed = { generate: 'admitted', check: 'counted', judge: 'counted', count: 'counted', foresee: 'counted' };

  test.each(modes)('passes the ban on bad keys in mode %s', async (mode) => {
    await store({});
    for (let index = 0; index < 22; index++) await admit(redis, rules, input({ mode: 'bad-key' }));
    expect(await admit(redis, rules, input({ mode }))).toMatchObject({ decision: passed[mode], genuineKey: true });
    const wrong = { key: { id: 'k1', hash: 'wrong' } };
    expect(await admit(redis, rules, input({ mode, ...wrong }))).toMatchObject({ decision: 'address_blocked' });
  });

  test.each(modes)("does not pass the operator's block in mode %s", async (mode) => {
    await store({});
    await redis.set(redisKeys.addressBan('192.0.2.1'), 'operator', 'EX', 60);
    expect(await admit(redis, rules, input({ mode }))).toMatchObject({ decision: 'address_blocked' });
  });

  test('that passes a ban is still bound by the hour of its address', async () => {
    await store({});
    const limits = { ...rules, perHour: 4, banAfterBadKeys: 3 };
    for (let index = 0; index < 3; index++) await admit(redis, limits, input({ mode: 'bad-key' }));
    expect(await admit(redis, limits, input())).toMatchObject({ decision: 'admitted' });
    expect(await admit(redis, limits, input())).toMatchObject({ decision: 'address_limited' });
    expect(await admit(redis, limits, input({ mode: 'bad-key' }))).toMatchObject({ decision: 'address_blocked' });
  });
});

test('bad keys that pages of other sites try count for the hour alone', async () => {
  const foreign = (mode: AdmissionInput['mode']) => admit(redis, rules, input({ mode, isCrossSite: true }));
  for (let index = 0; index < 40; index++) expect((await foreign('bad-key')).decision).toBe('unknown_key');
  expect(await admit(redis, rules, input({ mode: 'count' }))).toMatchObject({
    decision: 'counted',
    address: { used: 41 },
  });
});

describe('a key that is exempt from the hour of addresses', () => {
  const hourIsFull = { ...rules, perHour: 2 };
  const fillHour = async () => {
    for (let index = 0; index < 2; index++) await admit(redis, hourIsFull, input({ mode: 'count', ...stranger }));
  };
  const stranger = { key: { id: 'x', hash: 'x' } };
  const modes = ['generate', 'check', 'judge', 'count', 'foresee'] as const;

  test.each(modes)('is neither refused nor counted by it in mode %s', async (mode) => {
    await store({ noAddressLimit: 1 });
    expect(await admit(redis, hourIsFull, input({ mode }))).toMatchObject({ noAddressLimit: true });
    await fillHour();
    for (let index = 0; index < 5; index++) {
      const { decision, address } = await admit(redis, hourIsFull, input({ mode }));
      expect({ decision, address }).toMatchObject({
        decision: mode === 'generate' ? 'admitted' : 'counted',
        address: { used: 2, limit: 2 },
      });
    }
    expect(await admit(redis, hourIsFull, input({ mode: 'count', ...stranger }))).toMatchObject({
      decision: 'address_limited',
    });
  });

  test.each([
    ['its own hour', { perHour: 0 }, 'key_hour'],
    ['its day', { perDay: 0 }, 'key_day'],
    ['its credits', { credits: 0 }, 'credits'],
    ['its places in flight', { concurrency: 0 }, 'concurrency'],
  ] as const)('is bound by %s, and its refusals are not counted either', async (_what, limits, decision) => {
    await store({ noAddressLimit: 1, ...limits });
    await fillHour();
    for (const mode of ['generate', 'foresee'] as const) {
      const refused = await admit(redis, hourIsFull, input({ mode }));
      expect(refused).toMatchObject({ decision, noAddressLimit: true, address: { used: 2 } });
    }
  });

  test.each([
    ['another secret', {}, { key: { id: 'k1', hash: 'x' } }],
    ['a key that was revoked', { state: 'revoked' }, {}],
    ['a key that has expired', { expiresAt: 1 }, {}],
    ['a key whose record says no', { noAddressLimit: 0 }, {}],
    ['no look at the key', {}, { mode: 'bad-key' }],
  ] as const)('is not %s', async (_what, key, over) => {
    await store({ noAddressLimit: 1, ...key });
    const first = await admit(redis, hourIsFull, input(over));
    expect(first).toMatchObject({ address: { used: 1 } });
    expect(first).not.toHaveProperty('noAddressLimit');
    await fillHour();
    expect(await admit(redis, hourIsFull, input(over))).toMatchObject({ decision: 'address_limited' });
  });

  test("is bound by the operator's block, and passes a ban on bad keys", async () => {
    await store({ noAddressLimit: 1 });
    for (let index = 0; index < 20; index++) await admit(redis, rules, input({ mode: 'bad-key' }));
    expect(await admit(redis, hourIsFull, input())).toMatchObject({ decision: 'admitted' });
    await redis.set(redisKeys.addressBan('192.0.2.1'), 'operator');
    expect(await admit(redis, hourIsFull, input())).toMatchObject({ decision: 'address_blocked' });
  });
});

describe('what a job carries of its key', () => {
  const policies = [
    [{}, undefined],
    [{ mask: 'url,key' }, { mask: ['url', 'key'] }],
    [{ keepOwn: 1 }, { keepOwn: true }],
    [{ onDisconnect: 'finish' }, { onDisconnect: 'finish' }],
    [
      { mask: 'ip', keepOwn: 1, onDisconnect: 'finish', perHour: 5 },
      { mask: ['ip'], keepOwn: true, onDisconnect: 'finish' },
    ],
    [{ mask: 'a"},{', keepOwn: 0, onDisconnect: 'abort' }, undefined],
  ] as const;

  test.each(policies)('of %j is %j, by the record as by its packed terms', async (key, policy) => {
    await store(key);
    const { beginning, maxOutputTokens } = writeJobToAdmit({ v: 1, prompt: '"}', maxOutputTokens: 9 } as GenerationJob);
    for (let repeat = 0; repeat < 2; repeat++) {
      const asked = input({ job: { beginning, maxOutputTokens } });
      const admission = await admit(redis, rules, asked);
      expect(admission.onDisconnect).toBe(policy && 'onDisconnect' in policy ? 'finish' : undefined);
      const data = await redis.hget(queueKeys.job(asked.requestId), 'data');
      expect(JSON.parse(data ?? '')).toEqual({ v: 1, prompt: '"}', maxOutputTokens: 9, ...(policy && { policy }) });
    }
  });
});

describe('what is foreseen', () => {
  const foresee = (over: Partial<AdmissionInput> = {}, limits = rules) =>
    admit(redis, limits, input({ mode: 'foresee', ...over }));
  const { key: _key, ...keyless } = input({ mode: 'foresee' });

  test.each([
    ['a good key', {}, {}, 'counted'],
    ['a key of other models', { models: 'ai-2.5-pro' }, { model: '' }, 'counted'],
    ['no place in flight', { concurrency: 0 }, {}, 'concurrency'],
    ['no credits', { credits: 0 }, {}, 'credits'],
    ['a day that is used up', { perDay: 0 }, {}, 'key_day'],
    ['an hour that is used up', { perHour: 0 }, {}, 'key_hour'],
    ['a revoked key', { state: 'revoked' }, {}, 'key_not_active'],
    ['a key of other addresses', { addressBits: '4:00001010' }, {}, 'key_not_active'],
    ['a bad key', {}, { key: { id: 'k1', hash: 'x' } }, 'unknown_key'],
  ] as const)('with %s is counted only if it is refused', async (_what, key, over, decision) => {
    await store(key);
    expect(await foresee(over)).toMatchObject({ decision, address: { used: decision === 'counted' ? 0 : 1 } });
    expect(await countReservations(redis)).toBe(0);
    expect(await redis.hget(redisKeys.apiKey('k1'), 'charged')).toBeNull();
  });

  test('without a key is the address alone', async () => {
    expect(await admit(redis, rules, keyless)).toMatchObject({ decision: 'counted', address: { used: 0 } });
    await admit(redis, rules, input({ mode: 'count' }));
    expect(await admit(redis, { ...rules, perHour: 1 }, keyless)).toMatchObject({ decision: 'address_limited' });
    for (let index = 0; index < 20; index++) await admit(redis, rules, input({ mode: 'bad-key' }));
    expect(await admit(redis, rules, keyless)).toMatchObject({ decision: 'address_blocked' });
  });
});

describe('the sliding hour', () => {
  const at = async (second: number, over: Partial<AdmissionInput> = {}) => {
    await redis.set(CLOCK, second);
    return admit(redis, { ...rules, perHour: 3 }, input({ mode: 'count', ...over }), timed);
  };

  test('never lets more than its limit into any 3,600 seconds, edges included', async () => {
    for (const second of [0, 1800, 3599]) expect((await at(START + second)).decision).toBe('counted');
    for (const second of [3599, 3600]) expect((await at(START + second)).decision).toBe('address_limited');
    expect((await at(START + 3601)).decision).toBe('counted');
    expect(await at(START + 3602)).toMatchObject({
      decision: 'address_limited',
      address: { resetAt: START + 1800 + 3601 },
    });
  });

  test('says when the oldest counted request leaves', async () => {
    expect((await at(START)).address).toEqual({ used: 1, limit: 3, resetAt: START + 3601 });
    expect((await at(START + 10)).address).toEqual({ used: 2, limit: 3, resetAt: START + 3601 });
    expect((await at(START + 3605)).address).toEqual({ used: 2, limit: 3, resetAt: START + 10 + 3601 });
  });

  test('does not grow when the clock goes back', async () => {
    await at(START + 100);
    await at(START);
    await at(START + 50);
    expect((await at(START + 60)).decision).toBe('address_limited');
  });

  test('forgets what a clock wrote that was wrong by more than the hour', async () => {
    for (const ahead of [0, 1, 2]) await at(START + 86_400 + ahead);
    expect((await at(START + 86_400)).decision).toBe('address_limited');
    expect(await at(START)).toMatchObject({ decision: 'counted', address: { used: 1, resetAt: START + 3601 } });
  });

  test('keeps at most one entry a second, however large the limit', async () => {
    const many = Array.from({ length: 5_000 }, () =>
      admit(redis, { ...rules, perHour: 1_000_000 }, input({ mode: 'count' })),
    );
    const last = (await Promise.all(many)).at(-1);
    expect(last?.address.used).toBe(5_000);
    expect(await redis.llen(redisKeys.addressHour('192.0.2.1'))).toBeLessThan(60);
  });
});

describe('by the clock', () => {
  const at = async (second: number) => {
    await redis.set(CLOCK, second);
    return admit(redis, rules, input(), timed);
  };

  test('a key is good until the moment it expires', async () => {
    await store({ expiresAt: (START + 1) * 1000 });
    // The first judges by the limits as they were written, the others as it packed them.
    expect(await at(START)).toMatchObject({ decision: 'admitted' });
    expect(await at(START)).toMatchObject({ decision: 'admitted' });
    expect(await at(START + 1)).toMatchObject({ decision: 'key_not_active', reason: 'expired' });
  });

  test("a key's hour has room again when its oldest request leaves", async () => {
    await store({ perHour: 2 });
    const hour = { used: 2, limit: 2, resetAt: START + 3601 };
    await at(START);
    expect(await at(START + 10)).toMatchObject({ decision: 'admitted', hour });
    expect(await at(START + 3600)).toMatchObject({ decision: 'key_hour', hour });
    expect(await at(START + 3601)).toMatchObject({
      decision: 'admitted',
      hour: { ...hour, resetAt: START + 10 + 3601 },
    });
  });

  test('a day counts its own requests only, also where the clock goes back over midnight', async () => {
    const midnight = Math.ceil(START / 86_400) * 86_400;
    await store({ perDay: 3 });
    const day = async (second: number) => (await at(second)).day;
    expect(await day(midnight - 1)).toEqual({ used: 1, limit: 3, resetAt: midnight });
    expect(await day(midnight - 1)).toEqual({ used: 2, limit: 3, resetAt: midnight });
    expect(await day(midnight)).toEqual({ used: 1, limit: 3, resetAt: midnight + 86_400 });
    expect(await day(midnight - 1)).toEqual({ used: 1, limit: 3, resetAt: midnight });
  });
});

describe('admission in simulated time', () => {
  const small: AdmissionRules = { perHour: 6, banAfterBadKeys: 3, maxWaiting: 1_000, reservationMs: 60_000 };
  const keys = (): ReferenceKey[] => [
    { id: 'a', hash: 'ha', perHour: 3, credits: 5, concurrency: 2, revoked: false },
    { id: 'b', hash: 'hb', perDay: 4, concurrency: 3, models: 'ai-2.5-flash', revoked: false },
    { id: 'c', hash: 'hc', concurrency: 2, expiresAt: (START + 5_000) * 1000, noAddressLimit: 1, revoked: false },
    { id: 'd', hash: 'hd', perHour: 8, concurrency: 4, noAddressLimit: 1, onDisconnect: 'finish', revoked: false },
  ];
  const operation = fc.record({
    kind: fc.constantFrom(
      'generate',
      'generate',
      'generate',
      'repeat',
      'settle',
      'refund',
      'revoke',
      'change',
      'count',
      'bad-key',
      'bad-key',
      'check',
      'foresee',
      'foresee',
      'look',
      'block',
    ),
    isCrossSite: fc.boolean(),
    givesKey: fc.boolean(),
    wait: fc.oneof(fc.nat(3), fc.nat(70), fc.nat(4_000), fc.constantFrom(3_599, 3_600, 3_601, 86_400)),
    address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'x'),
    wrongHash: fc.integer({ min: 0, max: 9 }),
    model: fc.constantFrom('ai-2.5-flash', 'ai-2.5-pro'),
    pick: fc.nat(),
  });
  type Operation = (typeof operation extends fc.Arbitrary<infer Value> ? Value : never) & { now: number };

  /** Sends one operation to Redis and to the reference; commands go out in order, replies are compared later. */
  function perform(op: Operation, reference: ReferenceAdmission, live: ReferenceKey[], made: AdmissionInput[]) {
    const earlier = made[op.pick % Math.max(1, made.length)];
    switch (op.kind) {
      case 'settle':
      case 'refund': {
        if (!earlier?.key) return;
        const error = op.kind === 'refund' ? 'upstream_error' : 'content_blocked';
        reference.settle(earlier.requestId, op.kind === 'refund');
        const settlement = { v: 1, outcome: 'failed', error } as const;
        return void settle(redis, { requestId: earlier.requestId, keyId: earlier.key.id, settlement });
      }
      case 'revoke': {
        const target = live.find(({ id }) => id === op.key);
        if (!target || op.pick % 3 !== 0) return;
        target.revoked = true;
        return void redis.hset(redisKeys.apiKey(op.key), 'state', 'revoked');
      }
      case 'change': {
        const target = live.find(({ id }) => id === op.key);
        if (!target) return;
        // A window that was not counted before starts at nothing, so only those that are there already are changed.
        const limits = {
          concurrency: op.pick % 3,
          ...(target.perHour !== undefined && { perHour: op.pick % 5 }),
          ...(target.perDay !== undefined && { perDay: op.pick % 4 }),
          ...(target.credits !== undefined && { credits: op.pick % 7 }),
          ...(target.models !== undefined && { models: op.pick % 2 ? 'ai-2.5-pro' : 'ai-2.5-flash,ai-2.5-pro' }),
          ...(target.expiresAt !== undefined && { expiresAt: (op.now + (op.pick % 100)) * 1000 }),
          ...(target.noAddressLimit !== undefined && { noAddressLimit: op.pick % 2 }),
        };
        Object.assign(target, limits);
        return void redis
          .multi()
          .hset(redisKeys.apiKey(op.key), limits)
          .hdel(redisKeys.apiKey(op.key), PACKED_TERMS)
          .exec();
      }
      case 'block': {
        const isBlocked = op.pick % 3 === 0;
        reference.block(op.address, isBlocked);
        const keys = [
          redisKeys.addressBan(op.address),
          redisKeys.addressBadKeys(op.address),
          redisKeys.blockedAddresses,
          redisKeys.audit,
        ];
        return void blockScript(redis, keys, [isBlocked ? 'block' : 'unblock', op.address, 0, BLOCK_HEAD]);
      }
      default: {
        const hash = op.wrongHash === 0 ? 'wrong' : (live.find(({ id }) => id === op.key)?.hash ?? 'none');
        const mode = op.kind === 'repeat' ? 'generate' : op.kind;
        const { address, model, isCrossSite } = op;
        const { key: _key, ...keyless } = input({ mode, address, model, isCrossSite });
        const fresh = mode === 'foresee' && !op.givesKey ? keyless : { ...keyless, key: { id: op.key, hash } };
        const asked = op.kind === 'repeat' && earlier ? earlier : fresh;
        if (mode === 'generate' && asked === fresh) made.push(asked);
        setClock(op.now, reference);
        const expected = reference.admit(asked, op.now);
        return admit(redis, small, asked, timed).then((admission) => {
          const { genuineKey: _genuine, reason: _reason, now: _now, blockedForSeconds: _blocked, ...given } = admission;
          return { given, expected };
        });
      }
    }
  }

  test('agrees with a plain reference over 10,000 sequences of operations', async () => {
    // A script that Redis does not know yet is sent again, and would run after operations that were sent behind it.
    await redis.set(CLOCK, START);
    for (const mode of MODES) await admit(redis, small, input({ mode }), timed);
    await settle(redis, { requestId: newId(), keyId: 'a', settlement: refund });
    const { addressBan, addressBadKeys, audit } = redisKeys;
    await blockScript(redis, [addressBan('x'), addressBadKeys('x'), 'x', audit], ['unblock', 'x', 0, BLOCK_HEAD]);
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 24 }), async (operations) => {
        await redis.flushdb();
        const live = keys();
        const reference = new ReferenceAdmission(live, small);
        for (const { revoked: _revoked, ...key } of keys()) void store({ ...key });
        const made: AdmissionInput[] = [];
        let now = START;
        const replies = operations.map((op) => {
          now += op.wait;
          return perform({ ...op, now }, reference, live, made);
        });
        const compared = await Promise.all(replies.filter((reply) => reply !== undefined));
        expect(compared.map(({ given }) => given)).toEqual(compared.map(({ expected }) => expected));
        const charged = await Promise.all(keys().map(({ id }) => redis.hget(redisKeys.apiKey(id), 'charged')));
        expect(charged.map(Number)).toEqual(keys().map(({ id }) => reference.charged(id)));
      }),
      { numRuns: 10_000 },
    );
  }, 300_000);

  /** Sets the clock; real expiry cannot follow it, so a ban that is over by it goes by hand. */
  function setClock(second: number, reference: ReferenceAdmission): void {
    void redis.set(CLOCK, second);
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      if (!reference.isBanned(address, second)) void redis.del(redisKeys.addressBan(address));
    }
  }
});
