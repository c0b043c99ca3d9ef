import type { Instance } from './instances.ts';
import type { RedisTime } from './redis-clock.ts';
import { IDLE_PROGRESS_MS } from './time-budget.ts';

/** Jobs that wait for a worker. */
export interface Backlog {
  readonly waiting: number;
  /** Whether the operator has paused the queue: then nothing is to be done. */
  readonly paused: boolean;
  /** How long the oldest waiting job has waited, ms. */
  readonly oldestWaitingAgeMs: number;
}

export interface WorkerCircumstances {
  readonly now: RedisTime;
  readonly backlog: Backlog;
  /** How long a job may take, ms: a worker whose slots are all busy shows no progress for that long, rightly. */
  readonly longestJobMs: number;
}

/**
 * Why a worker counts as failing: alive, but without progress while jobs wait. The worker's readiness, the health answer
 * and the fleet's view all judge by this.
 *
 * @returns the reason in words; `undefined` when it does not
 */
export function workerFailure(
  worker: Pick<Instance, 'startedAt' | 'lastProgressAt' | 'slots' | 'inFlight' | 'draining'>,
  { now, backlog, longestJobMs }: WorkerCircumstances,
): string | undefined {
  if (backlog.waiting === 0 || backlog.paused || worker.draining) return undefined;
  // After an idle hour a job that came a moment ago says nothing against the worker.
  const since = Math.min(now - Math.max(worker.lastProgressAt ?? 0, worker.startedAt), backlog.oldestWaitingAgeMs);
  const free = (worker.slots ?? 0) - worker.inFlight > 0;
  const limit = free ? IDLE_PROGRESS_MS : longestJobMs + IDLE_PROGRESS_MS;
  return since > limit ? `no progress for ${Math.round(since / 1000)} s while ${backlog.waiting} jobs wait` : undefined;
}
