import { expect, test } from '@jest/globals';
import { createRegistry, workerMetrics } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { MODEL_ERROR_KINDS } from './model/language-model.ts';
import { createProgress } from './progress.ts';

test('a worker says since when its model fails, how often, and why it did last; a success ends that', () => {
  let now = 1_000;
  const clock: RedisClock = { now: () => redisTime(now), stop: () => undefined };
  const metrics = workerMetrics(createRegistry('worker', 'x'), MODEL_ERROR_KINDS);
  const progress = createProgress(metrics, 'openai', clock);
  expect(progress.describe().model).toEqual({ provider: 'openai', lastOutcome: 'none', at: 1_000 });
  progress.noteModelOutcome({ reason: 'connection', upstreamCode: 'ECONNREFUSED' }, 'openai');
  now = 2_000;
  progress.noteModelOutcome({ reason: 'unauthorized', upstreamStatus: 401 }, 'openai');
  expect(progress.describe().model).toEqual({
    provider: 'openai',
    lastOutcome: 'failed',
    at: 2_000,
    failure: { reason: 'unauthorized', upstreamStatus: 401, since: 1_000, times: 2 },
  });
  now = 3_000;
  progress.noteModelOutcome(undefined, 'gemini');
  expect(progress.describe().model).toEqual({ provider: 'gemini', lastOutcome: 'ok', at: 3_000 });
});
