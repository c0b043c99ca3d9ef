import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Readiness } from '@lontar/shared/http/probes.ts';
import type { Instance } from '@lontar/shared/instances.ts';
import type { ModelCatalog } from '@lontar/shared/models/catalog.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { workerFailure } from '@lontar/shared/worker-failure.ts';

/** What a worker can say of itself at any moment; its heartbeat carries the same. */
export type WorkerCondition = Pick<Instance, 'id' | 'startedAt' | 'inFlight' | 'slots' | 'draining' | 'lastProgressAt'>;

/** A file of models that says nothing of `total` allows an hour: nobody waits so long to learn that a worker is stuck. */
const LONGEST_JUDGED_MS = 300_000;

/**
 * How long one start of a job may take, ms: a call, and where a model has another route, one more after it. The deadline of
 * the request ends both earlier.
 */
export function longestStartMs({ models }: Pick<ModelCatalog, 'models'>): number {
  const longest = [...models.values()].map(({ deadlines, routes }) => deadlines.totalMs * (routes.length > 1 ? 2 : 1));
  return Math.min(LONGEST_JUDGED_MS, Math.max(0, ...longest));
}

/**
 * Whether a worker is of use: Redis takes its writes, it is not about to stop, and it does not sit idle before a queue
 * with jobs.
 *
 * @param deps.redis a connection that fails fast, so that a probe is answered within a second
 * @param deps.longestStartMs how long one start of a job may take, ms
 * @throws when Redis does not answer; the listener then says "not ready"
 */
export async function judgeReadiness(deps: {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
  readonly worker: WorkerCondition;
  readonly longestStartMs: number;
}): Promise<Readiness> {
  const { redis, clock, queue, worker, longestStartMs } = deps;
  if (worker.draining) return { ready: false, reason: 'draining' };
  // A write: a Redis that is full or read-only answers a reader all the same.
  const [backlog] = await Promise.all([queue.state(), redis.set(redisKeys.probe(worker.id), '1', 'EX', 60)]);
  const failure = workerFailure(worker, { now: clock.now(), backlog, longestJobMs: longestStartMs });
  return failure === undefined ? { ready: true } : { ready: false, reason: failure };
}
