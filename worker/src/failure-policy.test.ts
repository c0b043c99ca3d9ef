import { describe, expect, test } from '@jest/globals';
import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import * as fc from 'fast-check';
import { decideFailure, type FailureDecision, type FailureInput, mayHaveCost } from './failure-policy.ts';
import { MODEL_ERROR_KINDS, type ModelErrorKind } from './model/language-model.ts';

const NOW = redisTime(1_000_000);
const base: FailureInput = {
  kind: 'server_error',
  attempt: 1,
  attempts: 5,
  spentBefore: false,
  now: NOW,
  deadlineAt: later(NOW, 120_000),
  random: 0.5,
};

const fail = (error: Extract<FailureDecision, { action: 'fail' }>['error']): FailureDecision => ({
  action: 'fail',
  error,
});

describe('what each kind becomes', () => {
  const expected: Record<ModelErrorKind, FailureDecision> = {
    rate_limited: { action: 'retry', delayMs: 125, reason: 'rate_limited' },
    server_error: { action: 'retry', delayMs: 125, reason: 'server_error' },
    connection: { action: 'retry', delayMs: 125, reason: 'connection' },
    cut_off: { action: 'retry', delayMs: 125, reason: 'cut_off' },
    timed_out: { action: 'retry', delayMs: 125, reason: 'timed_out' },
    refused: fail('upstream_error'),
    unauthorized: fail('upstream_error'),
    invalid_answer: fail('upstream_error'),
    empty_answer: fail('upstream_error'),
    output_used_up: fail('output_used_up'),
    context_exceeded: fail('context_exceeded'),
    request_refused: fail('request_refused'),
    too_large: fail('upstream_error'),
    content_blocked: fail('content_blocked'),
    cancelled: fail('client_closed'),
    none: fail('internal_error'),
  };
  test.each(MODEL_ERROR_KINDS)('%s', (kind) => {
    expect(decideFailure({ ...base, kind })).toEqual(expected[kind]);
  });
});

const cases: { readonly name: string; readonly given: Partial<FailureInput>; readonly decided: FailureDecision }[] = [
  {
    name: 'no jitter at its lowest',
    given: { random: 0 },
    decided: { action: 'retry', delayMs: 0, reason: 'server_error' },
  },
  { name: 'doubles', given: { attempt: 3 }, decided: { action: 'retry', delayMs: 500, reason: 'server_error' } },
  {
    name: 'is capped',
    given: { attempt: 40, attempts: 50 },
    decided: { action: 'retry', delayMs: 4_000, reason: 'server_error' },
  },
  {
    name: 'a call that may have cost money is made again once',
    given: { kind: 'timed_out', attempt: 2, spentBefore: true },
    decided: fail('timed_out'),
  },
  {
    name: 'after such a call one that cost nothing is made again all the same',
    given: { spentBefore: true },
    decided: { action: 'retry', delayMs: 125, reason: 'server_error' },
  },
  { name: 'after a part of the answer was seen', given: { isVisible: true }, decided: fail('upstream_error') },
  { name: 'the last attempt', given: { attempt: 5 }, decided: fail('upstream_error') },
  { name: 'the last attempt that timed out', given: { attempt: 5, kind: 'timed_out' }, decided: fail('timed_out') },
  {
    name: 'waits for Retry-After first',
    given: { kind: 'rate_limited', retryAfterMs: 3_000 },
    decided: { action: 'retry', delayMs: 3_125, reason: 'rate_limited' },
  },
  {
    name: 'a Retry-After in the past is none',
    given: { retryAfterMs: -5 },
    decided: { action: 'retry', delayMs: 125, reason: 'server_error' },
  },
  {
    name: 'a Retry-After past the deadline is not waited for',
    given: { kind: 'rate_limited', retryAfterMs: 120_000 },
    decided: fail('upstream_error'),
  },
  {
    name: 'exactly 50 ms are left',
    given: { deadlineAt: later(NOW, 175) },
    decided: { action: 'retry', delayMs: 125, reason: 'server_error' },
  },
  { name: 'less than 50 ms are left', given: { deadlineAt: later(NOW, 174) }, decided: fail('upstream_error') },
  { name: 'timed out with nothing left', given: { kind: 'timed_out', deadlineAt: NOW }, decided: fail('timed_out') },
  { name: 'the deadline has passed', given: { deadlineAt: later(NOW, -10_000) }, decided: fail('upstream_error') },
  { name: 'refused with time left', given: { kind: 'refused', retryAfterMs: 1 }, decided: fail('upstream_error') },
];

test.each(cases)('$name', ({ given, decided }) => {
  expect(decideFailure({ ...base, ...given })).toEqual(decided);
});

test('a retry never starts too late, too early, or once too often', () => {
  const inputs = fc.record({
    kind: fc.constantFrom(...MODEL_ERROR_KINDS),
    retryAfterMs: fc.option(fc.integer({ min: -1_000, max: 1e12 }), { nil: undefined }),
    attempt: fc.integer({ min: 1, max: 2_000 }),
    attempts: fc.integer({ min: 1, max: 2_000 }),
    spentBefore: fc.boolean(),
    now: fc.integer({ min: 0, max: 1e13 }).map(redisTime),
    deadlineAt: fc.integer({ min: 0, max: 1e13 }).map(redisTime),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });
  fc.assert(
    fc.property(inputs, (input) => {
      const decision = decideFailure(input);
      if (decision.action === 'fail') return;
      expect(Number.isInteger(decision.delayMs)).toBe(true);
      expect(input.attempt).toBeLessThan(input.attempts);
      expect(input.now + decision.delayMs).toBeLessThanOrEqual(input.deadlineAt - 50);
      expect(input.spentBefore && mayHaveCost(input.kind)).toBe(false);
      const asked = Math.max(0, input.retryAfterMs ?? 0);
      expect(decision.delayMs).toBeGreaterThanOrEqual(asked);
      expect(decision.delayMs).toBeLessThan(asked + GENERATION_JOB.backoff.capMs);
    }),
  );
});

test('whatever the upstream does, a request makes at most two calls that may have cost money, and five in all', () => {
  const outcomes = fc.array(fc.constantFrom(...MODEL_ERROR_KINDS), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(outcomes, (kinds) => {
      let spent = 0;
      let calls = 0;
      for (const kind of kinds) {
        const decision = decideFailure({ ...base, kind, attempt: ++calls, spentBefore: spent > 0 });
        if (mayHaveCost(kind)) spent++;
        if (decision.action === 'fail') break;
      }
      expect(spent).toBeLessThanOrEqual(2);
      expect(calls).toBeLessThanOrEqual(5);
    }),
  );
});
