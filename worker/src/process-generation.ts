import type { Endpoint, PublicModel } from '@lontar/shared/endpoints.ts';
import type { GenerationFailure } from '@lontar/shared/errors.ts';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { JobOutcome, WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { findReservation } from '@lontar/shared/settlement/reservations.ts';
import { rejoin, settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { type AttemptResult, attemptModel } from './attempt-model.ts';
import { decideFailure } from './failure-policy.ts';
import type { JobEnd, JobStart } from './job-runner.ts';
import { maskAnswer, previewPrompt } from './mask-answer.ts';
import type { Masker } from './masking/mask.ts';
import type { LanguageModel } from './model/language-model.ts';

/**
 * A job older than this is asked about before the model is called: its caller may have been refused meanwhile, because
 * the gateway's own write was slow. Below the gateway's patience with Redis, ms.
 */
const LATE_MS = 500;
/**
 * After Redis was away, gateways first withdraw the requests that they refused meanwhile; jobs from before its return
 * wait so long for that, ms.
 */
const WITHDRAWALS_FIRST_MS = 2_000;
const LOOK_AGAIN_MS = 100;
const WRITE_RETRY_MS = 200;

export interface ProcessDeps {
  readonly redis: Redis;
  /** See `RedisPresence.returnedAt`. */
  readonly redisReturnedAt: () => number;
  readonly clock: RedisClock;
  readonly logger: Logger;
  readonly metrics: WorkerMetrics;
  readonly model: LanguageModel;
  readonly upstreamName: (model: PublicModel) => string;
  readonly personas: Readonly<Record<Endpoint, string>>;
  readonly masker: Masker;
  /** Whether the operator's log shows masked text. */
  readonly keepPreviews: boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly noteModelOutcome: (ok: boolean) => void;
  /** Told about each write that Redis refused; must not flood the log. */
  readonly onRedisFailure: (error: unknown) => void;
}

/**
 * One start of a generation job: ask whether it may run, call the model, mask, settle. The settlement carries the reply;
 * whoever settles first wins, so a start too many changes nothing.
 */
export async function processGeneration(deps: ProcessDeps, start: JobStart): Promise<JobEnd> {
  const { job } = start;
  const startedAt = deps.clock.now();
  if (start.start === 1) deps.metrics.jobWait.observe(Math.max(0, startedAt - job.receivedAt) / 1000);

  const mayRun = await askToRun(deps, start, startedAt);
  if (mayRun !== 'run') return finish(deps, start, startedAt, mayRun === 'settled' ? 'repeated' : 'cancelled');
  if (startedAt >= job.deadlineAt) {
    await settleFailure(deps, start, 'timed_out');
    return finish(deps, start, startedAt, 'expired');
  }

  const result = await attemptModel(deps, start);
  if (result.kind === 'aborted') return finishAborted(deps, start, startedAt, result.reason);
  if (result.kind === 'failed') return finishFailure(deps, start, startedAt, result);
  const settlement = maskAndDescribe(deps, start, startedAt, result);
  await settleJob(deps, start, settlement);
  return finish(deps, start, startedAt, settlement.outcome);
}

/**
 * Settles a request whose job nobody can run, so that its caller need not wait for the deadline.
 *
 * @param job undefined where its data cannot be read; its gateway then finds the stored result
 */
export async function settleGivenUp(
  { redis }: Pick<ProcessDeps, 'redis'>,
  requestId: string,
  job: GenerationJob | undefined,
): Promise<void> {
  const keyId = job?.keyId ?? (await findReservation(redis, requestId)) ?? '';
  const settlement = { v: 1, outcome: 'failed', error: 'internal_error' } as const;
  await settle(redis, { requestId, keyId, settlement, ...(job && { replyTo: job.gateway }) });
}

async function askToRun(deps: ProcessDeps, { job, start }: JobStart, now: number): Promise<'run' | 'settled' | 'gone'> {
  if (start === 1 && now - job.receivedAt < LATE_MS) return 'run';
  await untilWithdrawn(deps, job);
  const { id: requestId, keyId, gateway: replyTo } = job;
  const answer = await untilTaken(deps, job, () => rejoin(deps.redis, { requestId, keyId, replyTo, start }));
  return answer ?? 'gone';
}

/** Waits where a gateway may have refused the job's request, and not have been able to say so yet. */
async function untilWithdrawn({ clock, redisReturnedAt }: ProcessDeps, job: GenerationJob): Promise<void> {
  const mayBeRefused = () => {
    const returnedAt = redisReturnedAt();
    return job.receivedAt < returnedAt && clock.now() < Math.min(returnedAt + WITHDRAWALS_FIRST_MS, job.deadlineAt);
  };
  while (mayBeRefused()) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}

async function finishAborted(
  deps: ProcessDeps,
  start: JobStart,
  startedAt: number,
  reason: 'deadline' | 'cancelled' | 'lock lost' | 'stopping',
): Promise<JobEnd> {
  if (reason === 'deadline') {
    await settleFailure(deps, start, 'timed_out');
    return finish(deps, start, startedAt, 'expired');
  }
  if (reason !== 'stopping') return finish(deps, start, startedAt, 'cancelled');
  finish(deps, start, startedAt, 'retried');
  return { kind: 'again', delayMs: 0 };
}

async function finishFailure(
  deps: ProcessDeps,
  start: JobStart,
  startedAt: number,
  failure: Extract<AttemptResult, { kind: 'failed' }>,
): Promise<JobEnd> {
  const { job, attempt } = start;
  const decision = decideFailure({
    kind: failure.error,
    retryAfterMs: failure.retryAfterMs,
    attempt,
    attempts: GENERATION_JOB.attempts,
    now: deps.clock.now(),
    deadlineAt: job.deadlineAt,
    random: deps.random(),
  });
  const line = { requestId: job.id, attempt, reason: failure.error };
  if (decision.action === 'retry') {
    deps.logger.warn({ ...line, delayMs: decision.delayMs }, 'a model attempt failed; it will be made again');
    deps.metrics.retries.inc({ reason: decision.reason });
    finish(deps, start, startedAt, 'retried');
    return { kind: 'again', delayMs: decision.delayMs };
  }
  deps.logger.warn({ ...line, error: decision.error }, 'a request failed at the model');
  await settleFailure(deps, start, decision.error);
  return finish(deps, start, startedAt, 'failed');
}

function maskAndDescribe(
  deps: ProcessDeps,
  start: JobStart,
  startedAt: number,
  result: Extract<AttemptResult, { kind: 'answer' }>,
): Settlement {
  const { job, attempt } = start;
  const masked = maskAnswer(deps, result.answer.text);
  const work = {
    attempts: attempt,
    queuedMs: Math.max(0, startedAt - job.receivedAt),
    modelMs: Math.round(result.durationMs),
    maskMs: masked.durationMs,
  };
  if (masked.kind === 'failed') {
    deps.logger.error({ requestId: job.id, reason: masked.reason }, 'masking failed; the answer was refused');
    return { v: 1, outcome: 'failed', error: 'masking_failed', work };
  }
  const promptPreview = deps.keepPreviews ? previewPrompt(deps.masker, job.prompt) : undefined;
  return {
    v: 1,
    outcome: 'answered',
    text: masked.text,
    masked: masked.counts,
    usage: result.answer.usage,
    work: { ...work, ...(promptPreview !== undefined && { promptPreview }) },
  };
}

async function settleFailure(deps: ProcessDeps, start: JobStart, error: GenerationFailure): Promise<void> {
  await settleJob(deps, start, { v: 1, outcome: 'failed', error });
}

async function settleJob(deps: ProcessDeps, { job, start }: JobStart, settlement: Settlement): Promise<void> {
  const { id: requestId, keyId, gateway: replyTo } = job;
  const result = await untilTaken(deps, job, () =>
    settle(deps.redis, { requestId, keyId, settlement, attempt: start, replyTo }),
  );
  if (result && result.kind !== 'settled') {
    deps.logger.info({ requestId, result: result.kind }, 'somebody else settled first');
  }
}

/**
 * Writes, and goes on trying while Redis refuses (full, read-only, failing over): giving up would waste work that is
 * paid for.
 *
 * @returns undefined after the job's deadline: nobody waits any more, and the gateway or the sweeper gives the credit back
 */
async function untilTaken<T>(deps: ProcessDeps, job: GenerationJob, write: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      deps.onRedisFailure(error);
      if (deps.clock.now() > job.deadlineAt) return undefined;
      await new Promise((resolve) => setTimeout(resolve, WRITE_RETRY_MS));
    }
  }
}

function finish(deps: ProcessDeps, start: JobStart, startedAt: number, outcome: JobOutcome): JobEnd {
  const durationMs = deps.clock.now() - startedAt;
  deps.metrics.jobsProcessed.inc({ outcome });
  deps.metrics.jobProcess.observe({ outcome }, durationMs / 1000);
  deps.logger.debug({ requestId: start.job.id, outcome, durationMs, attempt: start.attempt }, 'job finished');
  return { kind: 'done' };
}
