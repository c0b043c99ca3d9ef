import { describe, expect, test } from '@jest/globals';
import { OTHER_ADDRESSES, parseTallyField, usageFields, usageKeyOf } from '../event-tally.ts';
import type { RequestEvent } from '../request-event.ts';
import { addCounts, NO_USAGE, packCounts, unpackCounts } from './usage-counts.ts';
import { usageOf } from './usage-of-request.ts';

const AT = Date.UTC(2026, 0, 31, 23, 59, 59);
const MODEL = { endpoint: '/api/ai', model: 'ai-2.5-pro' } as const;

const event = (part: Partial<RequestEvent> = {}): RequestEvent => ({
  v: 1,
  id: 'req_1',
  at: AT,
  route: '/api/ai',
  method: 'GET',
  status: 200,
  outcome: 'success',
  responseMs: 120,
  address: '203.0.113.9',
  keyId: 'abcdefghij',
  ...part,
});

describe('usageOf', () => {
  test.each<[string, Partial<RequestEvent>, Record<string, number>]>([
    [
      'an answer',
      { generation: { ...MODEL, usage: { input: 10, output: 20 }, masked: { url: 0, key: 2, ip: 0, connection: 0 } } },
      { requests: 1, successes: 1, masked: 1, promptTokens: 10, completionTokens: 20 },
    ],
    [
      'an answer whose tokens are estimated',
      { generation: { ...MODEL, usage: { input: 10, output: 20, isEstimated: true } } },
      { requests: 1, successes: 1, promptTokens: 10, completionTokens: 20, estimatedTokens: 30 },
    ],
    [
      'a caller who left and paid',
      {
        status: 499,
        outcome: 'client_error',
        error: 'client_closed',
        generation: { ...MODEL, usage: { input: 10, output: 5, isEstimated: true } },
      },
      { left: 1, promptTokens: 10, completionTokens: 5, estimatedTokens: 15 },
    ],
    ['a failure', { status: 504, outcome: 'timeout', generation: MODEL }, { requests: 1, timeouts: 1 }],
    [
      'numbers that no upstream may say',
      { generation: { ...MODEL, usage: { input: -3, output: Number.NaN } } },
      { requests: 1, successes: 1 },
    ],
  ])('of %s', (_what, part, counts) => {
    const usage = usageOf(event(part));
    expect(usage).toMatchObject({ day: '2026-01-31', model: 'ai-2.5-pro' });
    expect(Object.fromEntries(usage?.counts ?? [])).toEqual(counts);
  });

  test('of a refusal at the door has no model, and of other paths there is none', () => {
    expect(usageOf(event({ status: 429, outcome: 'rate_limited' }))).toMatchObject({
      model: '-',
      counts: [
        ['requests', 1],
        ['rateLimited', 1],
      ],
    });
    expect(usageOf(event({ route: '/api/upload' }))).toBeUndefined();
  });
});

test('a request is its key’s, nobody’s, or of keys that are not told one by one', () => {
  const { keyId: _, ...nobodys } = event();
  expect(usageKeyOf(event())).toBe('abcdefghij');
  expect(usageKeyOf(nobodys)).toBe('none');
  expect(usageKeyOf({ ...nobodys, address: OTHER_ADDRESSES })).toBe('others');
});

test('counts are stored without zeros at the end, and read with those of a later version', () => {
  const text = packCounts(new Map([['requests', 3] as const, ['promptTokens', 7] as const]));
  expect(text).toBe('3,0,7');
  expect(unpackCounts(text)).toEqual({ ...NO_USAGE, requests: 3, promptTokens: 7 });
  expect(unpackCounts(`${'1,'.repeat(30)}1`).requests).toBe(1);
  expect(addCounts(unpackCounts('1,2'), unpackCounts('3,0,5'))).toEqual(unpackCounts('4,2,5'));
});

test('fields of the tally are read as they were written', () => {
  const found: unknown[] = [];
  usageFields(event({ generation: MODEL }), (field, amount) => found.push([parseTallyField(field), amount]));
  const of = { kind: 'usage', day: '2026-01-31', key: 'abcdefghij', model: 'ai-2.5-pro' };
  expect(found).toEqual([
    [{ ...of, count: 'requests' }, 1],
    [{ ...of, count: 'successes' }, 1],
  ]);
  expect(parseTallyField('["usage","2026-01-31","a:b","m","requests"]')).toBeUndefined();
  expect(parseTallyField('["usage","2026-01-31","none","m","coins"]')).toBeUndefined();
});
