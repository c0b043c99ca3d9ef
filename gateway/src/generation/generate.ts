import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { GENERATION_JOB, type GenerationJob, writeJobToAdmit } from '@lontar/shared/generation-job.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { later, type RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { COMMAND_TIMEOUT_MS } from '@lontar/shared/time-budget.ts';
import { within } from '@lontar/shared/within.ts';
import { type Admission, type AdmissionInput, type AdmissionRules, admit } from '../admission/admit.ts';
import type { CheckKeyDeps } from '../admission/check-key.ts';
import { hasRoomFor, type LongJobBounds } from '../admission/hold-long-job.ts';
import { keyToJudge } from '../admission/key-to-judge.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { refusalFor } from '../admission/refusal.ts';
import { isCrossSite } from '../caller/cross-site.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { PresentedKey, RequestContext } from '../envelope/request-context.ts';
import type { StreamedAnswer } from '../envelope/streamed-answer.ts';
import type { Waiting } from '../inbox/waiters.ts';
import { type HeldFrames, holdFrames } from '../live/held-frames.ts';
import { awaitSettlement } from './await-settlement.ts';
import type { ReadingLimits } from './generation-rules.ts';
import type { JudgeDeps } from './judge-head.ts';
import type { EventForm, GenerationProtocol, Reading } from './protocol.ts';
import { type StreamDeps, streamAnswer } from './stream-answer.ts';
import type { Withdrawals } from './withdrawals.ts';

/** What it takes to ask for admission. */
interface AskDeps extends CheckKeyDeps, Pick<StreamDeps, 'replication'> {
  readonly rules: AdmissionRules & LongJobBounds;
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

export interface GenerateDeps extends AskDeps, JobDeps, JudgeDeps, StreamDeps {
  readonly rules: AskDeps['rules'];
  readonly reading: ReadingLimits;
  readonly metrics: AskDeps['metrics'] & StreamDeps['metrics'] & Pick<GatewayMetrics, 'streamResumes'>;
}

/**
 * Answers one generation request: reads it, asks for admission, which enqueues its job, and waits for the settlement, or
 * sends the answer as it grows. The gateway itself never calls a model.
 */
export async function generate(
  deps: GenerateDeps,
  protocol: GenerationProtocol,
  context: RequestContext,
): Promise<Answer | StreamedAnswer> {
  const begun = await enqueue(deps, protocol, context);
  if (begun.kind === 'refused') return begun.answer;
  const { job, admission, waiting, streaming } = begun;
  const { reading, freeFailuresPerHour } = deps;
  const about = { context, job, admission, reading, freeFailuresPerHour };
  const answer = (settlement: Settlement) => protocol.answer(settlement, about);
  if (streaming) {
    const { frames, events } = streaming;
    const form = events({ requestId: context.id, job });
    return streamAnswer(deps, { context, job, admission, waiting, frames, form, answer });
  }
  try {
    const settlement = await awaitSettlement(deps, {
      requestId: context.id,
      keyId: job.keyId,
      reply: waiting.reply,
      gone: context.gone,
      onDisconnect: admission.onDisconnect,
      waitMs: job.deadlineAt - deps.clock.now(),
    });
    return answer(settlement);
  } finally {
    waiting.forget();
  }
}

const NO_QUERY = new URLSearchParams();

/** What is kept of a job while its request waits: not what the caller wrote, which may be megabytes. */
type WaitedJob = Pick<GenerationJob, 'keyId' | 'endpoint' | 'model' | 'receivedAt' | 'deadlineAt' | 'maxOutputTokens'>;

/** What came of a request's beginning. Of one that is in the queue, the wait and the reading of frames have to be ended. */
type Enqueued =
  | { readonly kind: 'refused'; readonly answer: Answer }
  | {
      readonly kind: 'enqueued';
      readonly job: WaitedJob;
      readonly waiting: Waiting;
      readonly admission: Admission;
      /** Of an answer that is to be sent as it grows. */
      readonly streaming: { readonly frames: HeldFrames; readonly events: EventForm } | undefined;
    };

/**
 * Everything that is between a request and the wait for its settlement, in the order of arrival where many come at once.
 *
 * @throws whatever the protocol's reading throws, a bug of ours; where Redis fails, the request is refused
 */
async function enqueue(deps: GenerateDeps, protocol: GenerationProtocol, context: RequestContext): Promise<Enqueued> {
  const begun = await deps.turnstile.pass(() => begin(deps, protocol, context));
  return begun ?? { kind: 'refused', answer: unavailable() };
}

async function begin(deps: GenerateDeps, protocol: GenerationProtocol, context: RequestContext): Promise<Enqueued> {
  const refused = (answer: Answer): Enqueued => ({ kind: 'refused', answer });
  // A body may come slowly, and a burst waits in line: drop requests that are disconnected or past their deadline first.
  if (context.gone.isGone) return refused(refuse('client_closed'));
  if (performance.now() - context.receivedAt >= deps.timeoutMs) return refused(refuse('timed_out'));
  const reading = protocol.read(context, deps.reading);
  // A request in flight has no use for them, and they may be long.
  context.body = undefined;
  context.query = NO_QUERY;
  const asked = describeJob(deps, context, reading);
  // Before admission: the answer may be here as soon as Redis has the job.
  const waiting = asked && deps.inbox.wait(asked.id);
  const streaming = asked && streamingOf(deps, asked.id, reading);
  const mode = modeOf(reading, asked, protocol);
  const admission = await askAdmission(deps, context, { mode, key: reading.key, job: asked });
  const refusal = admission === undefined ? unavailable() : refusalOf(admission, reading);
  if (refusal !== undefined || admission === undefined || asked === undefined || waiting === undefined) {
    waiting?.forget();
    streaming?.frames.stop();
    return refused(refusal ?? unavailable());
  }
  const maxOutputTokens = Math.min(asked.maxOutputTokens, admission.maxOutputTokens ?? asked.maxOutputTokens);
  const { keyId, endpoint, model, receivedAt, deadlineAt } = asked;
  const job = { keyId, endpoint, model, receivedAt, deadlineAt, maxOutputTokens };
  return { kind: 'enqueued', job, waiting, streaming, admission };
}

function streamingOf({ inbox }: Pick<GenerateDeps, 'inbox'>, requestId: string, reading: Reading) {
  if (reading.kind !== 'ask' || reading.events === undefined) return undefined;
  return { frames: holdFrames((take) => inbox.read(requestId, take)), events: reading.events };
}

/** What admission is asked about a request. */
function modeOf(
  { kind, key }: Reading,
  job: GenerationJob | undefined,
  { judgesKeyFirst }: GenerationProtocol,
): AdmissionInput['mode'] {
  if (kind === 'ask') return job ? 'generate' : 'bad-key';
  if (!judgesKeyFirst || key === undefined) return 'count';
  return key.id === undefined ? 'bad-key' : 'check';
}

/** The answer for a request that goes no further; `undefined` for one that is in the queue now. */
function refusalOf(admission: Admission, reading: Reading): Answer | undefined {
  const keyId = reading.key?.id;
  const refusal = refusalFor(admission, keyId);
  if (refusal) return refusal;
  if (reading.kind === 'refused') {
    const headers = rateLimitHeaders(admission);
    const owner = admission.genuineKey && keyId !== undefined ? { keyId } : {};
    const { error, message, param, fault } = reading;
    return refuse(error, { ...(message !== undefined && { message }), param, fault, headers, report: owner });
  }
  return keyId === undefined ? refuse('invalid_api_key', { headers: rateLimitHeaders(admission) }) : undefined;
}

interface Asked {
  readonly mode: AdmissionInput['mode'];
  readonly key: PresentedKey | undefined;
  readonly job: GenerationJob | undefined;
}

/** @returns `undefined` where Redis could not be asked, or answered too late, or too few replicas have it */
async function askAdmission(deps: AskDeps, context: RequestContext, asked: Asked): Promise<Admission | undefined> {
  const { job } = asked;
  const { replication } = deps;
  const stopTimer = deps.metrics.admissionDuration.startTimer();
  const startedAt = performance.now();
  let isAdmitted = false;
  try {
    const asking = askRedis(deps, context, asked);
    if (!replication) return await asking;
    const untilHeld = async () => {
      const admission = await asking;
      isAdmitted = admission.decision === 'admitted';
      if (isAdmitted) await replication.held();
      return admission;
    };
    // Redis and its replicas have the time of one command, so that a refusal comes in time.
    return await within(COMMAND_TIMEOUT_MS, untilHeld(), () => {
      throw new RedisAwayError('Redis or its replicas did not answer in time', { replied: false });
    });
  } catch (error) {
    deps.onRedisFailure(error);
    // Redis may have admitted it all the same: the reply was lost, not the write. Settling first makes its job void, and
    // gives back what was reserved.
    const withdrawn = job && deps.withdrawals.add(job.id, job.keyId, 'service_unavailable');
    // Where it is known to be in the queue, the caller is refused once no worker starts it any more, if there is time.
    const leftMs = COMMAND_TIMEOUT_MS - (performance.now() - startedAt);
    if (withdrawn && isAdmitted && leftMs > 0) await within(leftMs, withdrawn, () => undefined);
    return undefined;
  } finally {
    stopTimer();
  }
}

async function askRedis(deps: AskDeps, context: RequestContext, { mode, key, job }: Asked): Promise<Admission> {
  const judged = key && keyToJudge(key, deps.pepper);
  const written = job && writeJobToAdmit(job);
  const whose = { requestId: context.id, address: context.address, addressBits: context.addressBits };
  if (written && !(await hasRoomFor(deps.redis, deps.rules, context.id, written))) {
    const counted = await admit(deps.redis, deps.rules, { ...whose, mode: 'count' });
    return counted.decision === 'counted' ? { ...counted, decision: 'queue_full' } : counted;
  }
  return admit(deps.redis, deps.rules, {
    ...whose,
    mode,
    ...(judged && { key: judged }),
    ...(written && { model: job.model, job: written }),
    isCrossSite: isCrossSite(context.headers),
  });
}

/** @returns `undefined` where nothing is asked for that a worker could do, or by no key that can exist */
function describeJob(deps: JobDeps, context: RequestContext, reading: Reading): GenerationJob | undefined {
  if (reading.kind !== 'ask' || reading.key.id === undefined) return undefined;
  const receivedAt = later(deps.clock.now(), -Math.round(performance.now() - context.receivedAt));
  const patienceMs = Math.min(deps.timeoutMs, reading.patienceMs ?? deps.timeoutMs);
  const { v, endpoint, model } = reading.ask;
  // What is short comes first: a reader who asks for the answer once more reads no more of it (find-request.lua).
  const short = { v, endpoint, model, id: context.id, keyId: reading.key.id, gateway: deps.gateway };
  const times = { receivedAt, deadlineAt: later(receivedAt, patienceMs) };
  return { ...short, ...times, ...(reading.events && { stream: true }), ...reading.ask };
}

/** How long a reservation lasts: as long as the caller waits, and then some, before the sweeper gives it back. */
export function reservationMs(timeoutMs: number): number {
  return timeoutMs + GENERATION_JOB.sweepGraceMs;
}
