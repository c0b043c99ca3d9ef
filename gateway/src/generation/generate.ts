import { hashApiKey } from '@lontar/shared/api-key.ts';
import type { Endpoint } from '@lontar/shared/endpoints.ts';
import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { GatewayMetrics } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { type Admission, type AdmissionRules, admit } from '../admission/admit.ts';
import { bindingLimit, rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { type Answer, refuse } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { answerSettlement } from './answer-settlement.ts';
import { awaitSettlement } from './await-settlement.ts';
import type { ReadingLimits } from './generation-rules.ts';
import { gatherFields } from './given-fields.ts';
import { type GenerationAsk, type GenerationReading, readGeneration } from './read-generation.ts';
import type { Turnstile } from './turnstile.ts';

export interface GenerateDeps {
  /** Instance id of this gateway. */
  readonly gateway: string;
  readonly redis: Redis;
  readonly queue: GenerationQueue;
  readonly inbox: Inbox;
  readonly clock: RedisClock;
  readonly metrics: GatewayMetrics;
  readonly pepper: string;
  readonly rules: AdmissionRules;
  readonly reading: ReadingLimits;
  /** How long a caller waits at most, ms. */
  readonly timeoutMs: number;
  /** Where bursts wait for their turn with Redis. */
  readonly turnstile: Turnstile;
  /** Told about each Redis failure; must not flood the log. */
  readonly onRedisFailure: (error: unknown) => void;
}

/**
 * Answers one generation request: reads it, asks for admission, enqueues its job, waits for the settlement. The gateway
 * itself never calls a model.
 */
export async function generate(deps: GenerateDeps, endpoint: Endpoint, context: RequestContext): Promise<Answer> {
  const begun = await deps.turnstile.pass(() => begin(deps, endpoint, context));
  if (begun === undefined) return unavailable();
  if (begun.kind === 'refused') return begun.answer;
  const { job, headers, remaining } = begun;
  try {
    const settlement = await awaitSettlement(deps, {
      requestId: context.id,
      keyId: job.keyId,
      reply: begun.reply,
      gone: context.gone,
      waitMs: job.deadlineAt - deps.clock.now(),
    });
    return answerSettlement(settlement, { endpoint, context, keyId: job.keyId, model: job.model, headers, remaining });
  } finally {
    deps.inbox.forget(context.id);
  }
}

type Begun =
  | { readonly kind: 'refused'; readonly answer: Answer }
  | {
      readonly kind: 'enqueued';
      readonly job: GenerationJob;
      readonly reply: Promise<Settlement>;
      readonly headers: Record<string, string>;
      /** What is left under the limit that binds soonest. */
      readonly remaining: number;
    };

/** Everything that is between a request and the wait for its settlement. */
async function begin(deps: GenerateDeps, endpoint: Endpoint, context: RequestContext): Promise<Begun> {
  const refused = (answer: Answer): Begun => ({ kind: 'refused', answer });
  const reading = readGeneration(gatherFields(context.query, context.body, context.headers), deps.reading);
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
  const reply = await enqueue(deps, job);
  if (reply === undefined) return refused(unavailable(headers, owner));
  return { kind: 'enqueued', job, reply: reply.settled, headers, remaining: bindingLimit(admission).remaining };
}

async function askAdmission(
  deps: GenerateDeps,
  context: RequestContext,
  reading: GenerationReading,
): Promise<Admission | undefined> {
  const presented = reading.kind === 'missing' ? undefined : reading.key;
  const key =
    presented?.id === undefined ? undefined : { id: presented.id, hash: hashApiKey(presented.text, deps.pepper) };
  const stopTimer = deps.metrics.admissionDuration.startTimer();
  try {
    return await admit(deps.redis, deps.rules, {
      mode: reading.kind !== 'ask' ? 'count' : key ? 'generate' : 'bad-key',
      requestId: context.id,
      address: context.address,
      addressBits: context.addressBits,
      ...(key && { key }),
      ...(reading.kind === 'ask' && { model: reading.ask.model }),
    });
  } catch (error) {
    deps.onRedisFailure(error);
    // Redis may have admitted it all the same: the reply was lost, not the write. What it reserved goes back at once.
    if (key && reading.kind === 'ask') void withdraw(deps, context.id, key.id);
    return undefined;
  } finally {
    stopTimer();
  }
}

function describeJob(
  deps: GenerateDeps,
  endpoint: Endpoint,
  context: RequestContext,
  ask: GenerationAsk,
  keyId: string,
  admission: Admission,
): GenerationJob {
  const receivedAt = deps.clock.now() - Math.round(performance.now() - context.receivedAt);
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
    deadlineAt: receivedAt + deps.timeoutMs,
  };
}

/** @returns the reply to come, in an object so that nobody waits for it here; `undefined` when Redis refused the job */
async function enqueue(
  deps: GenerateDeps,
  job: GenerationJob,
): Promise<{ readonly settled: Promise<Settlement> } | undefined> {
  const settled = deps.inbox.wait(job.id);
  try {
    await deps.queue.add(job);
    return { settled };
  } catch (error) {
    deps.inbox.forget(job.id);
    deps.onRedisFailure(error);
    // The job may be in the queue all the same: its reply was lost, not refused. Settling first makes it void.
    void withdraw(deps, job.id, job.keyId);
    return undefined;
  }
}

async function withdraw(deps: GenerateDeps, requestId: string, keyId: string): Promise<void> {
  try {
    const settlement = { v: 1, outcome: 'failed', error: 'service_unavailable' } as const;
    await settle(deps.redis, { requestId, keyId, settlement, cancel: true });
    await deps.queue.remove(requestId);
  } catch (error) {
    // The sweeper gives the reservation back when its time is over.
    deps.onRedisFailure(error);
  }
}

/** The answer while Redis cannot be reached. */
export function unavailable(headers: Record<string, string> = {}, report: { keyId?: string } = {}): Answer {
  return refuse('service_unavailable', { headers: { ...headers, 'Retry-After': '2' }, report });
}

/** How long a reservation lasts: as long as the caller waits, and then some, before the sweeper gives it back. */
export function reservationMs(timeoutMs: number): number {
  return timeoutMs + GENERATION_JOB.sweepGraceMs;
}
