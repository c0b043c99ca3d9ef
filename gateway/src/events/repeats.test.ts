import { expect, test } from '@jest/globals';
import { OTHER_ADDRESSES, parseTallyField } from '@lontar/shared/event-tally.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { createRepeats } from './repeats.ts';
import { createTally } from './tally.ts';

const AT = Date.UTC(2026, 0, 31, 12);

const refused = (part: Partial<RequestEvent> = {}): RequestEvent => ({
  v: 1,
  id: 'req_1',
  at: AT,
  route: '/api/ai',
  method: 'GET',
  status: 403,
  outcome: 'blocked',
  error: 'address_blocked',
  responseMs: 1,
  address: '192.0.2.1',
  ...part,
});

test('only the first of a kind in a second is an event itself', () => {
  const standInFor = createRepeats();
  const first = refused();
  expect(standInFor(first)).toBeUndefined();
  expect(standInFor(refused({ id: 'req_2', at: AT + 999, responseMs: 7 }))).toEqual({ event: first, repeats: 1 });
  expect(standInFor(refused({ id: 'req_3', at: AT + 1_000 }))).toBeUndefined();
});

test.each([
  ['address', { address: '192.0.2.2' }],
  ['key', { keyId: 'abcdefghij' }],
  ['route', { route: '/api/ai2' }],
  ['reason', { status: 429, outcome: 'rate_limited', error: 'too_many_requests' }],
] as const)('another %s is another kind', (_name, part) => {
  const standInFor = createRepeats();
  standInFor(refused());
  expect(standInFor(refused(part))).toBeUndefined();
});

test('of very many addresses in a second, those beyond the bound are sent together', () => {
  const standInFor = createRepeats();
  const standIns = Array.from({ length: 5_000 }, (_, index) =>
    standInFor(refused({ address: `10.0.${index >> 8}.${index & 255}`, keyId: `key${index}` })),
  );
  expect(standIns.filter((standIn) => standIn === undefined)).toHaveLength(100);
  const together = new Set(standIns.slice(100));
  expect(together.size).toBe(1);
  expect([...together][0]).toMatchObject({ event: { address: OTHER_ADDRESSES }, repeats: 4_900 });
  expect([...together][0]?.event).not.toHaveProperty('keyId');
  // Those that were events themselves still stand for their own.
  expect(standInFor(refused({ address: '10.0.0.0', keyId: 'key0' }))?.event.address).toBe('10.0.0.0');
});

test('usage of very many keys is counted together beyond a bound, and none is lost', () => {
  const tally = createTally();
  for (let index = 0; index < 20_000; index++) {
    tally.addCounted(refused({ keyId: `key${String(index).padStart(7, '0')}` }));
  }
  const amounts = new Map<string, number>();
  for (const [text, amount] of tally.counters) {
    const field = parseTallyField(text);
    if (field?.kind === 'usage' && field.count === 'requests') {
      amounts.set(field.key, (amounts.get(field.key) ?? 0) + amount);
    }
  }
  expect(tally.counters.size).toBeLessThan(5_100);
  expect(amounts.get('key0000000')).toBe(1);
  expect(amounts.get('others')).toBeGreaterThan(10_000);
  expect([...amounts.values()].reduce((sum, amount) => sum + amount, 0)).toBe(20_000);
});

test('a tally stays bounded and loses no count, however many kinds it is given', () => {
  const tally = createTally();
  for (let index = 0; index < 30_000; index++) {
    const event = refused({ at: AT + 1_000 * index, id: `req_${index}` });
    tally.addRepeat(index % 2 === 0 ? event : { ...event, address: OTHER_ADDRESSES }, {
      ...event,
      address: `a${index}`,
    });
  }
  expect(tally.repeats.size).toBe(2_000);
  expect(tally.people.size).toBe(10_000);
  expect(tally.counters.size).toBeLessThan(30);
  tally.countRepeats();
  let requests = 0;
  for (const [text, amount] of tally.counters) {
    const field = parseTallyField(text);
    if (field?.kind === 'day' && field.field === 'status:403') requests += amount;
  }
  expect([tally.repeats.size, requests]).toEqual([0, 30_000]);
});
