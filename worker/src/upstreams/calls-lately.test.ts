import { expect, test } from '@jest/globals';
import { timeBucket } from '@lontar/shared/models/call-report.ts';
import { createCallsLately, type EndedCall } from './calls-lately.ts';

const MINUTE_MS = 60_000;
const BEGIN = 1_800_000_000_000;
const call = (over: Partial<EndedCall> = {}): EndedCall => ({
  model: 'm',
  route: { upstream: 'a', model: 'x' },
  class: 'answered',
  durationMs: 200,
  ...over,
});

test('calls are counted by route and outcome, with the times of those that were answered', () => {
  const calls = createCallsLately();
  calls.note(call({ firstTokenMs: 50 }), BEGIN);
  calls.note(call(), BEGIN + 1);
  calls.note(call({ class: 'stalled', durationMs: 9_000 }), BEGIN + 2);
  calls.note(call({ route: { upstream: 'b', model: 'x' }, class: 'limited' }), BEGIN + 3);
  expect(calls.tell(BEGIN + 4)).toEqual([
    {
      ...{ model: 'm', upstream: 'a', route: 'x', outcomes: [2, 0, 1, 0, 0, 0] },
      durations: [[timeBucket(200), 2]],
      firstTokens: [[timeBucket(50), 1]],
    },
    { model: 'm', upstream: 'b', route: 'x', outcomes: [0, 0, 0, 1, 0, 0], durations: [], firstTokens: [] },
  ]);
});

test('calls are forgotten after five minutes', () => {
  const calls = createCallsLately();
  for (let minute = 0; minute < 10; minute += 1) calls.note(call(), BEGIN + minute * MINUTE_MS);
  expect(calls.tell(BEGIN + 9 * MINUTE_MS)[0]?.outcomes[0]).toBe(5);
  expect(calls.tell(BEGIN + 12 * MINUTE_MS)[0]?.outcomes[0]).toBe(2);
  expect(calls.tell(BEGIN + 20 * MINUTE_MS)).toEqual([]);
});

test('a clock that was set back loses no call and makes no list grow', () => {
  const calls = createCallsLately();
  calls.note(call(), BEGIN);
  for (let index = 0; index < 100; index += 1) calls.note(call(), BEGIN - index * MINUTE_MS);
  expect(calls.tell(BEGIN)[0]?.outcomes[0]).toBe(101);
});

test('a file with thousands of routes is told of in part, and old ones make room', () => {
  const calls = createCallsLately();
  for (let index = 0; index < 1_000; index += 1) calls.note(call({ model: `m${index}` }), BEGIN);
  expect(calls.tell(BEGIN)).toHaveLength(300);
  calls.note(call({ model: 'new' }), BEGIN + 10 * MINUTE_MS);
  expect(calls.tell(BEGIN + 10 * MINUTE_MS).map(({ model }) => model)).toEqual(['new']);
});
