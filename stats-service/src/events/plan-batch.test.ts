import { expect, test } from '@jest/globals';
import { userOf, utcDay } from '@lontar/shared/event-counts.ts';
import {
  counterFields,
  parsePerson,
  parseTallyField,
  personMember,
  type TallyField,
  type TallyPerson,
} from '@lontar/shared/event-tally.ts';
import { momentKey, momentStart } from '@lontar/shared/moments.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { statsKeys } from '../stats-keys.ts';
import { type BatchPlan, planBatch as planTold } from './plan-batch.ts';

const planBatch = (events: readonly RequestEvent[], keepTexts: boolean) =>
  planTold(
    events.map((event) => ({ event, count: 1 })),
    keepTexts,
  );
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
  const place = plan.keys.indexOf(key) + 11;
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

test('notes the latest minute of each key, also of refused requests and of those that are told as numbers', () => {
  const refused = event({ at: AT + 60_000, status: 429, outcome: 'rate_limited' });
  const minute = Math.floor(AT / 60_000);
  const told = [refused, event({ at: AT - 60_000 }), event({ keyId: 'other00000' })];
  const { keyId: _, ...nobodys } = event();
  const people = [[{ day: '2026-01-31', user: 'key:abcdefghij', address: '192.0.2.1' }, AT + 120_000]] as const;
  const numbers = { counters: [], people };
  const plan = planTold(
    [...told, nobodys].map((event) => ({ event, count: 1 })),
    true,
    numbers,
  );
  expect(plan.used).toEqual([
    ['abcdefghij', String(minute + 2)],
    ['other00000', String(minute)],
  ]);
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
  expect([plan.log.length, plan.refused.length]).toEqual([0, 1]);
});

test('a caller who left and paid is a row of the log, and counts nowhere', () => {
  const generation = { endpoint: '/api/ai', model: 'ai-2.5-flash', charged: true } as const;
  const left = event({ status: 499, outcome: 'client_error', error: 'client_closed', generation });
  const plan = planBatch([left], true);
  expect({ counts: plan.counts, people: plan.people, active: plan.active }).toEqual({
    counts: [],
    people: [],
    active: [],
  });
  expect(plan.log.map(([row]) => JSON.parse(row) as unknown)).toEqual([
    expect.objectContaining({ error: 'client_closed', charged: true }),
  ]);
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

test('texts that were told beside their event are kept as they were written, within a bound', () => {
  const texts = JSON.stringify({ prompt: 'tell me', answer: '\u{1F600}\n'.repeat(2_000) });
  const rowsOf = (given: string, keepTexts: boolean) =>
    planTold([{ event: event(), texts: given, count: 1 }], keepTexts).log.map(([, kept]) => kept);
  expect(rowsOf(texts, true)).toEqual([texts]);
  expect(rowsOf(texts, false)).toEqual(['']);
  expect(rowsOf(`"${'x'.repeat(100_000)}"`, true)).toEqual(['']);
});

test('an event counts as often as it stands for, and its address once', () => {
  const refused = event({ status: 403, outcome: 'blocked', error: 'address_blocked' });
  const plan = planTold(
    [
      { event: refused, count: 1 },
      { event: refused, count: 36 },
    ],
    true,
  );
  expect(added(plan, statsKeys.totals, 'status:403')).toBe(37);
  expect(added(plan, momentKey(momentStart(AT)), 'outcome:blocked')).toBe(37);
  expect(plan.people.every(([, , , , , members]) => members.length === 1)).toBe(true);
  expect(plan.log).toEqual([]);
  // The same name twice: one row in the log, of 37.
  expect(plan.refused.map(([name, , , , count]) => [name, count])).toEqual([
    [`${Math.floor(AT / 1000)} 203.0.113.9 generation address_blocked`, '1'],
    [`${Math.floor(AT / 1000)} 203.0.113.9 generation address_blocked`, '36'],
  ]);
});

test('refusals of requests for generation share no row with others: usage counts those alone', () => {
  const blocked = { status: 403, outcome: 'blocked', error: 'address_blocked' } as const;
  const plan = planBatch(
    ['/api/ai', '/v1/chat/completions', '/api/upload', 'other'].map((route) => event({ ...blocked, route })),
    true,
  );
  const names = plan.refused.map(([name, shared]) => [name.replace(/^\d+ /, ''), shared]);
  const [generation, other] = ['generation', 'other'].map((kind) => [
    `203.0.113.9 ${kind} address_blocked`,
    `shared ${kind} address_blocked`,
  ]);
  expect(names).toEqual([generation, generation, other, other]);
});

test('counters that a gateway has added up count as the events themselves', () => {
  const events = [
    event(),
    event({ responseMs: 900 }),
    event({ status: 429, outcome: 'rate_limited', address: '203.0.113.8' }),
  ];
  const counters = new Map<string, number>();
  for (const one of events)
    counterFields(one, (field, amount) => counters.set(field, (counters.get(field) ?? 0) + amount));
  const numbers = {
    counters: [...counters].map(([field, amount]) => [parseTallyField(field) as TallyField, amount] as const),
    people: events.map((one) => [parsePerson(personMember(one) ?? '') as TallyPerson, one.at] as const),
  };
  const [whole, folded] = [planBatch(events, true), planTold([], true, numbers)];
  const keys = [statsKeys.totals, statsKeys.day(utcDay(AT)), statsKeys.responseTimes(utcDay(AT))];
  const fieldsOf = (plan: BatchPlan, key: string) => {
    const fields = plan.counts.find(([at]) => plan.keys[at - 10] === key)?.[2] ?? [];
    return Object.fromEntries(fields.flatMap((field, at) => (at % 2 === 0 ? [[field, fields[at + 1]]] : [])));
  };
  for (const key of keys) expect(fieldsOf(folded, key)).toEqual(fieldsOf(whole, key));
  const peopleOf = (plan: BatchPlan) =>
    Object.fromEntries(plan.people.map(([set, , , , , members]) => [plan.keys[set - 10], members]));
  expect(peopleOf(folded)).toEqual(peopleOf(whole));
  expect(folded.active).toEqual(whole.active);
});
