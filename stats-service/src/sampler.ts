import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { momentKey, momentStart } from '@lontar/shared/moments.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { MOMENT_TTL_MS } from './stats-keys.ts';

const SAMPLE_MS = 5_000;

/**
 * Notes the queue's depth for the charts every few seconds. Several instances write the same point; the last one
 * counts. Never throws: where Redis fails, a point is missing.
 */
export function startSampler(deps: {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
}): { stop(): void } {
  const sample = async () => {
    const { waiting, oldestWaitingAgeMs } = await deps.queue.state();
    const moment = momentKey(momentStart(deps.clock.now()));
    await deps.redis
      .pipeline()
      .hset(moment, 'waiting', waiting, 'oldest', Math.round(oldestWaitingAgeMs))
      .pexpire(moment, MOMENT_TTL_MS)
      .exec();
  };
  // A sample that fails leaves a gap in the chart, which is the truth about it.
  const run = () => void sample().catch(() => undefined);
  run();
  const timer = setInterval(run, SAMPLE_MS);
  return { stop: () => clearInterval(timer) };
}
