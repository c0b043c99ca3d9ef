import { expect, test } from '@jest/globals';
import { redisTime } from '../testing/redis-time.ts';
import type { Instance } from './instances.ts';
import { later } from './redis-clock.ts';
import { type Backlog, workerFailure } from './worker-failure.ts';

const NOW = redisTime(Date.UTC(2026, 0, 31));
const LONGEST_JOB_MS = 120_000;
const busy = { inFlight: 10 };
const stuck = { lastProgressAt: later(NOW, -60_000) };
const stuckForLong = { lastProgressAt: later(NOW, -200_000) };

function failure(part: Partial<Instance>, backlog: Partial<Backlog> = {}): string | undefined {
  const worker = {
    startedAt: later(NOW, -3_600_000),
    lastProgressAt: later(NOW, -1_000),
    slots: 10,
    inFlight: 2,
    draining: false,
  };
  return workerFailure(
    { ...worker, ...part },
    {
      now: NOW,
      longestJobMs: LONGEST_JOB_MS,
      backlog: { waiting: 5, paused: false, oldestWaitingAgeMs: 300_000, ...backlog },
    },
  );
}

test.each<[string, Partial<Instance>, Partial<Backlog>, boolean]>([
  ['nothing waits', stuck, { waiting: 0, oldestWaitingAgeMs: 0 }, false],
  ['progress a moment ago', {}, {}, false],
  ['free slots, and no progress', stuck, {}, true],
  ['the first job after an idle hour has just come', stuck, { waiting: 1, oldestWaitingAgeMs: 20 }, false],
  ['the queue is paused', stuck, { paused: true }, false],
  ['all slots busy with long requests', { ...stuck, ...busy }, {}, false],
  ['all slots busy for longer than any request', { ...stuckForLong, ...busy }, {}, true],
  ['just started', { startedAt: later(NOW, -1_000), lastProgressAt: redisTime(0) }, {}, false],
  ['draining', { ...stuck, draining: true }, {}, false],
])('%s', (_, worker, backlog, fails) => {
  expect(failure(worker, backlog) !== undefined).toBe(fails);
});

test('the reason names how long, and how many wait', () => {
  expect(failure(stuck)).toBe('no progress for 60 s while 5 jobs wait');
});
