import { describe, expect, test } from '@jest/globals';
import type { Admission } from './admit.ts';
import { bindingLimit, rateLimitHeaders, retryAfterSeconds } from './rate-limit.ts';
import { refusalFor } from './refusal.ts';

const now = 1_800_000_000_000;
const seconds = now / 1000;
const admission = (over: Partial<Admission> = {}): Admission => ({
  decision: 'admitted',
  reason: '',
  genuineKey: true,
  now,
  address: { used: 1, limit: 100, resetAt: seconds + 3601 },
  flight: { used: 1, limit: 10 },
  blockedForSeconds: 0,
  ...over,
});
const hour = { used: 8, limit: 10, resetAt: seconds + 100 };
const day = { used: 8, limit: 10, resetAt: seconds + 5000 };

describe('the limit that binds soonest', () => {
  test.each([
    ['the address, where the key has none', {}, 'address-hour', 99],
    ['the one with the least left', { hour }, 'key-hour', 2],
    ['the later one of two that have as much left', { hour, day }, 'key-day', 2],
    ['the credits when they are nearly spent', { hour, credits: { used: 9, limit: 10 } }, 'credits', 1],
    ['never the concurrency', { flight: { used: 10, limit: 10 } }, 'address-hour', 99],
    [
      'the one that refused',
      { decision: 'key_hour', hour: { ...hour, used: 10 }, credits: { used: 10, limit: 10 } },
      'key-hour',
      0,
    ],
    ['the concurrency when it refused', { decision: 'concurrency', flight: { used: 10, limit: 10 } }, 'concurrency', 0],
  ] as [string, Partial<Admission>, string, number][])('is %s', (_what, over, name, remaining) => {
    expect(bindingLimit(admission(over))).toMatchObject({ name, remaining });
  });
});

test('the headers give the binding limit, and all of them in the draft form', () => {
  expect(rateLimitHeaders(admission({ hour, credits: { used: 3, limit: 10 } }))).toEqual({
    'X-RateLimit-Limit': '10',
    'X-RateLimit-Remaining': '2',
    'X-RateLimit-Reset': String(seconds + 100),
    'RateLimit-Policy': '"address-hour";q=100;w=3600, "key-hour";q=10;w=3600, "credits";q=10',
    RateLimit: '"address-hour";r=99;t=3601, "key-hour";r=2;t=100, "credits";r=7',
  });
});

describe('of a key that is exempt from the hour of addresses', () => {
  const exempt = (over: Partial<Admission> = {}) =>
    admission({ noAddressLimit: true, address: { used: 100, limit: 100, resetAt: seconds + 5 }, ...over });

  test('the headers give its own limits alone', () => {
    expect(rateLimitHeaders(exempt({ hour }))).toEqual({
      'X-RateLimit-Limit': '10',
      'X-RateLimit-Remaining': '2',
      'X-RateLimit-Reset': String(seconds + 100),
      'RateLimit-Policy': '"key-hour";q=10;w=3600',
      RateLimit: '"key-hour";r=2;t=100',
    });
  });

  test('and that has no other limit they give its places in flight', () => {
    expect(rateLimitHeaders(exempt())).toMatchObject({
      'X-RateLimit-Remaining': '9',
      'RateLimit-Policy': '"concurrency";q=10;qu="concurrent-requests"',
    });
  });

  test('and whose limits were not asked about there are none, but of uploads', () => {
    const unasked = exempt({ decision: 'counted', flight: { used: 0, limit: -1 } });
    expect(rateLimitHeaders(unasked)).toEqual({});
    expect(rateLimitHeaders(unasked, day)).toMatchObject({ 'RateLimit-Policy': '"uploads-day";q=10;w=86400' });
  });
});

test('the draft form names the concurrency where it refused', () => {
  const headers = rateLimitHeaders(admission({ decision: 'concurrency', flight: { used: 2, limit: 2 } }));
  expect(headers).toMatchObject({
    'X-RateLimit-Limit': '2',
    'RateLimit-Policy': '"address-hour";q=100;w=3600, "concurrency";q=2;qu="concurrent-requests"',
    RateLimit: '"address-hour";r=99;t=3601, "concurrency";r=0;t=1',
  });
});

test.each([
  ['address_limited', { address: { used: 100, limit: 100, resetAt: seconds + 30 } }, 30],
  ['key_day', { day: { ...day, used: 10 } }, 5000],
  ['concurrency', { flight: { used: 10, limit: 10 } }, 1],
] as [Admission['decision'], Partial<Admission>, number][])('%s asks for patience', (decision, over, wait) => {
  const refused = admission({ decision, ...over });
  expect(retryAfterSeconds(bindingLimit(refused), now)).toBe(wait);
  expect(refusalFor(refused, 'id')).toMatchObject({
    status: 429,
    headers: {
      'Retry-After': String(wait),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(seconds + wait),
      RateLimit: expect.stringContaining('";r=0'),
    },
    body: { status: false, code: 429, error: 'Too many requests', remaining: 0 },
    report: { outcome: 'rate_limited', keyId: 'id' },
  });
});

test('spent credits name no time: waiting brings none', () => {
  const refused = admission({ decision: 'credits', credits: { used: 10, limit: 10 } });
  expect(retryAfterSeconds(bindingLimit(refused), now)).toBeUndefined();
  const { headers, body } = refusalFor(refused, 'id') ?? { headers: {}, body: {} };
  expect(headers).not.toHaveProperty('Retry-After');
  expect(headers).not.toHaveProperty('X-RateLimit-Reset');
  expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '0', RateLimit: expect.stringMatching(/"credits";r=0$/) });
  expect(body).toMatchObject({
    used: 10,
    remaining: 0,
    limit: 10,
    message: expect.stringContaining('only the operator'),
  });
});

test.each([
  [
    'address_limited',
    { address: { used: 100, limit: 100, resetAt: seconds + 30 } },
    /limit of your address .* 100 of 100 .* in 30 s; the operator can raise it, or exempt/,
  ],
  [
    'key_hour',
    { hour: { ...hour, used: 10 } },
    /hourly limit of this API key .* 10 of 10 .* in 100 s; the operator can/,
  ],
  ['key_day', { day: { ...day, used: 10 } }, /daily limit of this API key .* 10 of 10 .* in 5000 s; the operator can/],
  ['credits', { credits: { used: 10, limit: 10 } }, /credits of this API key .* 10 of 10\. .* only the operator/],
  [
    'concurrency',
    { flight: { used: 10, limit: 10 } },
    /concurrency limit of this API key .* 10 of 10 .* the operator can/,
  ],
] as [Admission['decision'], Partial<Admission>, RegExp][])(
  '%s says which limit, its numbers, and who can lift it',
  (decision, over, message) => {
    expect(refusalFor(admission({ decision, ...over }), 'id')?.problem?.message).toMatch(message);
  },
);

test('a model that the key may not use is not said to be a key that is not active', () => {
  const refusal = refusalFor(admission({ decision: 'key_not_active', reason: 'model' }), 'id');
  expect(refusal?.body).toMatchObject({
    code: 403,
    error: 'Model not allowed',
    message: expect.stringContaining('this model'),
  });
});

test.each([
  ['admitted', undefined],
  ['counted', undefined],
  ['unknown_key', 401],
  ['key_not_active', 403],
  ['address_blocked', 403],
  ['queue_full', 503],
] as [Admission['decision'], number | undefined][])('%s becomes %s', (decision, status) => {
  expect(refusalFor(admission({ decision }), 'id')?.status).toBe(status);
});
