import { expect, test } from '@jest/globals';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { statsKeys } from '../stats-keys.ts';
import { type BatchPlan, planBatch, userOf } from './plan-batch.ts';

const AT = Date.UTC(2026, 0, 31, 23, 59, 59, 999);

function event(part: Partial<RequestEvent> = {}): RequestEvent {
  return {
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
  };
}

/** What a plan adds to one field of one key. */
function added(plan: BatchPlan, key: string, field: string): number {
  const place = plan.keys.indexOf(key) + 5;
  const fields = plan.counts.find(([at]) => at === place)?.[2] ?? [];
  const at = fields.indexOf(field);
  return at < 0 ? 0 : Number(fields[at + 1]);
}

test('a batch becomes one increment per counter', () => {
  const plan = planBatch([event(), event({ id: 'req_2', responseMs: 80 })], true);
  expect(added(plan, statsKeys.totals, 'requests')).toBe(2);
  expect(added(plan, statsKeys.totals, 'response_ms')).toBe(200);
  expect(new Set(plan.counts.map(([key]) => key)).size).toBe(plan.counts.length);
});

test('each event counts for the UTC day on which it was answered', () => {
  const plan = planBatch([event(), event({ at: AT + 1 })], true);
  expect(added(plan, statsKeys.day('2026-01-31'), 'requests')).toBe(1);
  expect(added(plan, statsKeys.day('2026-02-01'), 'requests')).toBe(1);
});

test('requests outside generation count for "all" alone', () => {
  const plan = planBatch([event({ route: '/api/usage' }), event({ route: 'other', status: 404 })], true);
  expect(added(plan, statsKeys.totals, 'all')).toBe(2);
  expect(added(plan, statsKeys.totals, 'requests')).toBe(0);
  expect(plan.people).toEqual([]);
  expect(plan.log).toHaveLength(1);
});

test.each([
  [200, 'success', 'successes'],
  [400, 'client_error', 'client_errors'],
  [429, 'rate_limited', 'client_errors'],
  [502, 'server_error', 'server_errors'],
  [504, 'timeout', 'server_errors'],
] as const)('%i %s counts among %s', (status, outcome, field) => {
  const plan = planBatch([event({ status, outcome })], true);
  for (const name of ['successes', 'client_errors', 'server_errors']) {
    expect(added(plan, statsKeys.totals, name)).toBe(name === field ? 1 : 0);
  }
});

test('a user is the key, or the address where no valid key was given', () => {
  const { keyId: _, ...keyless } = event();
  expect([userOf(event()), userOf(keyless)]).toEqual(['key:abcdefghij', 'address:203.0.113.9']);
});

test('numbers that Redis would refuse are made whole', () => {
  const masked = { url: 1.6, key: -2, ip: Number.NaN, connection: Number.POSITIVE_INFINITY };
  const plan = planBatch([event({ responseMs: -4, generation: { endpoint: '/api/ai', masked } })], true);
  const amounts = plan.counts.flatMap(([, , fields]) => fields.filter((_, index) => index % 2 === 1));
  for (const amount of amounts) expect(amount).toMatch(/^\d{1,10}$/);
});

test('texts are kept only where the operator allows it, and never beyond their bound', () => {
  const generation = {
    endpoint: '/api/ai',
    promptPreview: 'p'.repeat(9_000),
    answerPreview: '\u{1F600}'.repeat(4_000),
  };
  const [kept] = planBatch([event({ generation } as Partial<RequestEvent>)], true).log;
  const texts = JSON.parse(kept?.[1] ?? '') as { prompt: string; answer: string };
  expect([texts.prompt.length, texts.answer.length <= 4_100, texts.answer.isWellFormed()]).toEqual([4_100, true, true]);
  const [off] = planBatch([event({ generation } as Partial<RequestEvent>)], false).log;
  expect(off?.[1]).toBe('');
  expect(off?.[0]).not.toContain('ppp');
});
