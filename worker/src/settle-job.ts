import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { CallCharge, WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { wasCharged } from '@lontar/shared/settlement/charge.ts';
import { findReservation } from '@lontar/shared/settlement/reservations.ts';
import { noteCost, noteReturn, type SettleResult, settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { ThrottledLogger } from '@lontar/shared/throttled-log.ts';
import { mayHaveCost } from './failure-policy.ts';
import type { JobStart } from './job-start.ts';
import type { OpenStream } from './live/live-plane.ts';
import type { ModelErrorKind } from './model/language-model.ts';
import { type UntilTakenDeps, untilTaken } from './until-taken.ts';

export interface SettleDeps extends UntilTakenDeps {
  readonly redis: Redis;
  /** Thinned: callers can cause its lines at will. */
  readonly logger: ThrottledLogger;
  readonly metrics: WorkerMetrics;
  /** `FREE_FAILURES_PER_HOUR`. */
  readonly freeFailuresPerHour: number;
}

/** One start, and what this worker knows of its request. */
export interface Run extends JobStart {
  readonly startedAt: RedisTime;
  /** Whether an earlier call may have cost money: one is noted, or a start ended without a word. */
  readonly spentBefore: boolean;
  /** Whether one before the last, in this start, may have. */
  readonly spentNow?: boolean;
  /** The route that was called last: its upstream, and the upstream's name of the model. */
  readonly route?: string | undefined;
  /** Where its answer is streamed. */
  readonly stream?: OpenStream | undefined;
}

/**
 * Settles the request of a start that has come to its end, and finishes its job, in one step. Never rejects: where Redis
 * fails, it tries again until the deadline.
 *
 * @param call how this start's model call ended; absent where none was made
 * @param textJson of an answer whose own text is empty, see `withJsonOfText`
 */
export async function settleJob(
  deps: SettleDeps,
  run: Run,
  settlement: Settlement,
  call: ModelErrorKind | undefined,
  textJson?: Buffer,
): Promise<void> {
  const { job, number: attempt } = run;
  const { id: requestId, keyId, gateway: replyTo } = job;
  const { freeFailuresPerHour } = deps;
  // Its last words are with the gateway before the failure that follows them.
  if (settlement.outcome === 'failed') await run.stream?.release();
  // Whatever ended the call, the upstream has worked once a part of an answer was here.
  const hasWorked = (run.stream?.stream.transcript.received ?? 0) > 0;
  const cost = run.spentBefore || hasWorked || (call !== undefined && mayHaveCost(call)) ? 'yes' : 'no';
  const told = ofJob(settlement, job);
  const result = await untilTaken(deps, job, () => {
    const { followers = [], kept } = run.stream?.stream ?? {};
    const streamed = job.stream === true && { streamed: { followers, kept } };
    return run.settle({ keyId, settlement: told, textJson, cost, freeFailuresPerHour, attempt, replyTo, ...streamed });
  });
  countCall(deps, call, chargeOf(result));
  if (result && result.kind !== 'settled') {
    deps.logger.info({ requestId, result: result.kind }, 'settlement lost: already settled');
  }
}

/** With what callers are told of the job who ask for its answer once more, when it is gone. */
function ofJob(settlement: Settlement, { model, receivedAt }: GenerationJob): Settlement {
  return settlement.outcome === 'answered' ? { ...settlement, model, receivedAt } : settlement;
}

/**
 * Settles a request whose job no worker can run, so that its caller need not wait for the deadline.
 *
 * @param job undefined where its data cannot be read; its gateway then finds the stored result
 * @throws when Redis fails; whether the request is settled is then unknown, and a repeated settlement changes nothing
 */
export async function settleGivenUp(
  { redis, freeFailuresPerHour }: Pick<SettleDeps, 'redis' | 'freeFailuresPerHour'>,
  requestId: string,
  job: GenerationJob | undefined,
): Promise<void> {
  const keyId = job?.keyId ?? (await findReservation(redis, requestId)) ?? '';
  const settlement = { v: 1, outcome: 'failed', error: 'internal_error' } as const;
  // A job that can be read is given up after it was started; of one that cannot, the model was never called.
  const cost = job === undefined ? 'no' : 'yes';
  await settle(redis, {
    requestId,
    keyId,
    settlement,
    cost,
    freeFailuresPerHour,
    ...(job && { replyTo: job.gateway }),
  });
}

/**
 * A job goes back to the queue after this call; the note comes first, because the next worker cannot know of it. Never
 * rejects: where Redis fails, the note is repeated until the deadline.
 */
export async function noteRetry(deps: SettleDeps, { job, spentBefore }: Run, call: ModelErrorKind): Promise<void> {
  const request = { requestId: job.id, keyId: job.keyId };
  if (spentBefore || mayHaveCost(call)) await untilTaken(deps, job, () => noteCost(deps.redis, request));
  countCall(deps, call, 'open');
}

/**
 * A stopping worker hands a job back. Noted once at most, because its time is short: a start without a note counts as
 * one that may have cost money.
 * Never rejects: a note that Redis did not take is missing.
 *
 * @param call how this start's model call ended; absent where none was made
 */
export async function noteHandBack(
  deps: SettleDeps,
  { job, number: start, attempt, losses, spentNow = false }: Run,
  call: ModelErrorKind | undefined,
): Promise<void> {
  const request = { requestId: job.id, keyId: job.keyId };
  // Each earlier start used up an attempt, was lost, or was handed back.
  const handedBackBefore = start - 1 - (attempt - 1) - losses;
  try {
    if (spentNow || (call !== undefined && mayHaveCost(call))) await noteCost(deps.redis, request);
    else await noteReturn(deps.redis, request, handedBackBefore + 1);
  } catch (error) {
    deps.onRedisFailure(error);
  }
  countCall(deps, call, 'open');
}

function chargeOf(result: SettleResult | undefined): CallCharge {
  if (result?.kind !== 'settled' && result?.kind !== 'already') return 'open';
  return wasCharged(result.settlement) ? 'charged' : 'given_back';
}

/** Each call is counted once, when it is known who pays for it. */
export function countCall(
  { metrics }: Pick<SettleDeps, 'metrics'>,
  outcome: ModelErrorKind | undefined,
  charge: CallCharge,
): void {
  if (outcome !== undefined) metrics.callCharges.inc({ outcome, charge });
}
