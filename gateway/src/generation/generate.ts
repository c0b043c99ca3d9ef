import type { Endpoint } from '@lontar/shared/endpoints.ts';
import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { later, type RedisClock } from '@lontar/shared/redis-clock.ts';
import { ENQUEUED_BY_MS } from '@lontar/shared/time-budget.ts';
import { within } from '@lontar/shared/within.ts';
import { type Admission, admit } from '../admission/admit.ts';
import type { CheckKeyDeps } from '../admission/check-key.ts';
import { keyToJudge } from '../admission/key-to-judge.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { isCrossSite } from '../caller/cross-site.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { answerSettlement } from './answer-settlement.ts';
import { type AwaitDeps, awaitSettlement } from './await-settlement.ts';
import type { ReadingLimits } from './generation-rules.ts';
import { gatherFields } from './given-fields.ts';
import type { JudgeDeps } from './judge-head.ts';
import { type GenerationAsk, type GenerationReading, readGeneration } from './read-generation.ts';
import type { Withdrawals } from './withdrawals.ts';

/** What it takes to ask for admission. */
interface AskDeps extends CheckKeyDeps {
  readonly metrics: Pick<GatewayMetrics, 'admissionDuration'>;
  readonly withdrawals: Withdrawals;
}

/** What it takes to describe a job. */
interface JobDeps {
  /** Instance id of this gateway. */
  readonly gateway: string;
  readonly clock: RedisClock;
  /** How long a caller waits at most, ms. */
  readonly timeoutMs: number;
}

/** What it takes to enqueue one. */
interface EnqueueDeps extends Pick<AskDeps, 'withdrawals' | 'onRedisFailure'>, Pick<JobDeps, 'clock'> {
  readonly queue: GenerationQueue;
  readonly inbox: Inbox;
}

export interface GenerateDeps extends AskDeps, JobDeps, EnqueueDeps, JudgeDeps, AwaitDeps {
  readonly reading: ReadingLimits;
}

/**
 * Answers one generation request: reads it, asks for admission, enqueues its job, waits for the settlement. The gateway
 * itself never calls a model.
 */
export async function generate(deps: GenerateDeps, endpoint: Endpoint, context: RequestContext): Promise<Answer> {
  const begun = await deps.turnstile.pass(() => begin(deps, endpoint, context));
  if (begun === undefined) return unavailable();
  if (begun.kind === 'refused') return begun.answer;
  const { job, admission } = begun;
  try {
    const settlement = await awaitSettlement(deps, {
      requestId: context.id,
      keyId: job.keyId,
      reply: begun.reply,
      gone: context.gone,
      waitMs: job.deadlineAt - deps.clock.now(),
    });
    const { reading, freeFailuresPerHour } = deps;
    return answerSettlement(settlement, { context, job, admission, reading, freeFailuresPerHour });
  } finally {
    deps.inbox.forget(context.id);
  }
}

type Begun =
  | { readonly kind: 'refused'; readonly answer: Answer }
  | {
      readonly kind: 'enqueued';
      readonly job: GenerationJob;
      readonly reply: ReturnType<Inbox['wait']>;
      readonly admission: Admission;
    };

/** Everything that is between a request and the wait for its settlement. */
async function begin(deps: GenerateDeps, endpoint: Endpoint, context: RequestContext): Promise<Begun> {
  const refused = (answer: Answer): Begun => ({ kind: 'refused', answer });
  // A body may come slowly, and a burst waits in line: who has left or waited too long by now costs nobody anything more.
  if (context.gone.aborted) return refused(refuse('client_closed'));
  if (performance.now() - context.receivedAt >= deps.timeoutMs) return refused(refuse('timed_out'));
  const reading = readGeneration(gatherFields(context.query, context.body), context.key, deps.reading);
  // A request in flight has no use for it, and it may be long.
  context.body = undefined;
  const enqueueBy = performance.now() + ENQUEUED_BY_MS;
  const admission = await askAdmission(deps, context, reading);
  if (admission === undefined) return refused(unavailable());
  const keyId = reading.kind === 'missing' ? undefined : reading.key?.id;
  const owner = admission.genuineKey && keyId !== undefined ? { keyId } : {};
  const refusal = refusalFor(admission, keyId);
  if (refusal) return refused(refusal);

  const headers = rateLimitHeaders(admission);
  if (reading.kind === 'missing') return refused(refuse('missing_parameters', { headers }));
  if (reading.kind === 'invalid') {
    return refused(refuse('invalid_parameter', { message: reading.message, headers, report: owner }));
  }
  if (keyId === undefined) return refused(refuse('invalid_api_key', { headers }));

  const job = describeJob(deps, endpoint, context, reading.ask, keyId, admission);
  const reply = await enqueue(deps, job, enqueueBy);
  if (reply === undefined) return refused(unavailable(headers, owner));
  return { kind: 'enqueued', job, reply: reply.settled, admission };
}

async function askAdmission(
  deps: AskDeps,
  context: RequestContext,
  reading: GenerationReading,
): Promise<Admission | undefined> {
  const presented = reading.kind === 'missing' ? undefined : reading.key;
  const key = presented && keyToJudge(presented, deps.pepper);
  const stopTimer = deps.metrics.admissionDuration.startTimer();
  try {
    return await admit(deps.redis, deps.rules, {
      mode: reading.kind !== 'ask' ? 'count' : key ? 'generate' : 'bad-key',
      requestId: context.id,
      address: context.address,
      addressBits: context.addressBits,
      ...(key && { key }),
      ...(reading.kind === 'ask' && { model: reading.ask.model }),
      isCrossSite: isCrossSite(context.headers),
    });
  } catch (error) {
    deps.onRedisFailure(error);
    // Redis may have admitted it all the same: the reply was lost, not the write. What it reserved goes back at once.
    if (key && reading.kind === 'ask') deps.withdrawals.add(context.id, key.id, 'service_unavailable');
    return undefined;
  } finally {
    stopTimer();
  }
}

function describeJob(
  deps: JobDeps,
  endpoint: Endpoint,
  context: RequestContext,
  ask: GenerationAsk,
  keyId: string,
  admission: Admission,
): GenerationJob {
  const receivedAt = later(deps.clock.now(), -Math.round(performance.now() - context.receivedAt));
  return {
    v: 1,
    id: context.id,
    endpoint,
    prompt: ask.prompt,
    model: ask.model,
    temperature: ask.temperature,
    maxOutputTokens: Math.min(ask.maxOutputTokens, admission.maxOutputTokens ?? ask.maxOutputTokens),
    keyId,
    gateway: deps.gateway,
    receivedAt,
    deadlineAt: later(receivedAt, deps.timeoutMs),
  };
}

/**
 * @param enqueueBy by this process's monotonic clock, ms
 * @returns the reply to come, in an object so that nobody waits for it here; `undefined` when Redis refused the job
 */
async function enqueue(
  deps: EnqueueDeps,
  job: GenerationJob,
  enqueueBy: number,
): Promise<{ readonly settled: ReturnType<Inbox['wait']> } | undefined> {
  const settled = deps.inbox.wait(job.id);
  try {
    // The answer may be here before the queue has confirmed the job.
    const added = within(enqueueBy - performance.now(), deps.queue.add(job, deps.clock.now()), tooSlow);
    await Promise.race([added, settled]);
    return { settled };
  } catch (error) {
    deps.inbox.forget(job.id);
    deps.onRedisFailure(error);
    // The job may be in the queue all the same: its reply was lost, not refused. Settling first makes it void.
    deps.withdrawals.add(job.id, job.keyId, 'service_unavailable');
    return undefined;
  }
}

function tooSlow(): never {
  throw new RedisAwayError('Redis was too slow', { replied: false });
}

/** How long a reservation lasts: as long as the caller waits, and then some, before the sweeper gives it back. */
export function reservationMs(timeoutMs: number): number {
  return timeoutMs + GENERATION_JOB.sweepGraceMs;
}
