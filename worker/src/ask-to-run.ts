import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Rejoined, rejoin } from '@lontar/shared/settlement/settle.ts';
import { LATE_JOB_MS, WITHDRAWALS_FIRST_MS } from '@lontar/shared/time-budget.ts';
import type { JobStart } from './job-start.ts';
import { type UntilTakenDeps, untilTaken } from './until-taken.ts';

const LOOK_AGAIN_MS = 100;

export interface AskDeps extends UntilTakenDeps {
  readonly redis: Redis;
  /** `FREE_FAILURES_PER_HOUR`. */
  readonly freeFailuresPerHour: number;
  /** See `RedisPresence.returnedAt`. */
  readonly redisReturnedAt: () => RedisTime;
  /** See `RedisPresence.promotedAt`. */
  readonly redisPromotedAt: () => RedisTime;
  /** See `RedisPresence.outageEndedAt`. */
  readonly redisOutageEndedAt: () => RedisTime;
}

/**
 * Asks whether a start may run, without a word to Redis for a first one that is fresh, and came to this primary.
 *
 * @returns `alone` where it may once no other suspect runs in this worker: see `askAlone`
 */
export async function askToRun(deps: AskDeps, start: JobStart, now: RedisTime): Promise<Rejoined> {
  const { receivedAt } = start.job;
  const isFresh = now - receivedAt < LATE_JOB_MS && receivedAt >= deps.redisPromotedAt();
  if (start.number === 1 && isFresh) return { kind: 'run', spent: false };
  await untilWithdrawn(deps, start.job);
  return ask(deps, start, false);
}

/** Asks again for a start that is alone by now. */
export function askAlone(deps: AskDeps, start: JobStart): Promise<Rejoined> {
  return ask(deps, start, true);
}

async function ask(deps: AskDeps, { job, number: start, losses }: JobStart, alone: boolean): Promise<Rejoined> {
  const { id: requestId, keyId, gateway: replyTo, receivedAt } = job;
  const answer = await untilTaken(deps, job, () => {
    const redisBackAt = deps.redisOutageEndedAt();
    const { freeFailuresPerHour } = deps;
    const known = { requestId, keyId, replyTo, start, losses, receivedAt, redisBackAt, alone, freeFailuresPerHour };
    return rejoin(deps.redis, known);
  });
  return answer ?? { kind: 'gone' };
}

/** Waits where a gateway may have refused the job's request, and not have been able to say so yet. */
async function untilWithdrawn({ clock, redisReturnedAt, redisPromotedAt }: AskDeps, job: GenerationJob): Promise<void> {
  const mayBeRefused = () => {
    const returnedAt = Math.max(redisReturnedAt(), redisPromotedAt());
    return job.receivedAt < returnedAt && clock.now() < Math.min(returnedAt + WITHDRAWALS_FIRST_MS, job.deadlineAt);
  };
  while (mayBeRefused()) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
