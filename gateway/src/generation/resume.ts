import type { GenerationEndpoint } from '@lontar/shared/endpoints.ts';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import { wasCharged } from '@lontar/shared/settlement/charge.ts';
import type { Failed, Settlement } from '@lontar/shared/settlement/settlement.ts';
import { type Caller, type CheckKeyDeps, checkKey, isCaller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import { elapsedMs, type RequestContext } from '../envelope/request-context.ts';
import type { StreamedAnswer } from '../envelope/streamed-answer.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { Waiting } from '../inbox/waiters.ts';
import type { ReaderDeps } from '../live/answer-reader.ts';
import type { Cursor } from '../live/cursor.ts';
import { isSettled } from '../live/find-answer.ts';
import { type AskedBefore, type FoundRequest, findRequest, stopFollowing } from '../live/find-request.ts';
import { type HeldFrames, holdFrames } from '../live/held-frames.ts';
import { inTurn } from '../live/reader-turns.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';
import { GENERATION_RULES, type ReadingLimits } from './generation-rules.ts';
import type { GenerationProtocol, SettledRequest } from './protocol.ts';
import { type ResumeReading, readResume } from './read-resume.ts';
import { firstOf } from './reply-wait.ts';
import { runStream } from './run-stream.ts';
import { shareLongTexts } from './share-long-texts.ts';

/** How much further than the partial text a reader may be, who has had frames: what is written in some seconds. */
const MOST_AHEAD = 65_536;
/** How long the settlement of a request may take after its caller's patience: the sweeper has settled it by then, ms. */
const SETTLED_BY_MS = 15_000;

export interface ResumeDeps extends CheckKeyDeps {
  /** Instance id of this gateway. */
  readonly gateway: string;
  readonly inbox: Inbox;
  readonly clock: RedisClock;
  readonly live: ReaderDeps;
  readonly metrics: Pick<GatewayMetrics, 'streamResumes'>;
  readonly reading: ReadingLimits;
  /** How long a caller waits at most, ms. */
  readonly timeoutMs: number;
  readonly freeFailuresPerHour: number;
  readonly replication?: Replication | undefined;
}

/** The form in which an answer is given once more. */
export interface ResumeForm {
  readonly endpoint: GenerationEndpoint;
  /** The request that is called so; `undefined` where none can be. */
  requestIdOf(name: string): string | undefined;
  readonly answer: GenerationProtocol['answer'];
  events(
    of: { readonly requestId: string; readonly job: SettledRequest['job'] },
    wanted: { readonly from: Cursor; readonly includeUsage: boolean },
  ): StreamRendering;
}

type Wanted = Extract<ResumeReading, { ok: true }>;

/**
 * Gives the answer of an earlier request of the same key once more, from any gateway, for as long as it is kept: in one
 * piece, for which it waits as the caller of the request does, or as it grows, from where the reader is. Counts as a request
 * of the address; charges nothing. Never rejects: where Redis fails, the answer says so.
 *
 * @param name what the caller calls the request
 */
export async function resume(
  deps: ResumeDeps,
  form: ResumeForm,
  context: RequestContext,
  name: string,
): Promise<Answer | StreamedAnswer> {
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) return caller;
  const common = { headers: rateLimitHeaders(caller.admission), report: { keyId: caller.keyId } };
  const wanted = readResume(context, name);
  if (!wanted.ok) return refuse(wanted.problem.error, { ...wanted.problem, ...common });
  const requestId = form.requestIdOf(name);
  if (requestId === undefined) return refuse('not_found', { message: NOT_KEPT, ...common });
  const waiting = deps.inbox.wait(requestId);
  const frames = wanted.isStream ? holdFrames((take) => deps.inbox.read(requestId, take)) : undefined;
  const end = () => {
    waiting.forget();
    frames?.stop();
    if (frames && deps.inbox.readersOf(requestId) === 0) void stopFollowing(deps.redis, requestId, deps.gateway);
  };
  const found = await find(deps, caller, requestId, wanted);
  const refusal = refusalOf(found, wanted, common);
  if (refusal || found === undefined || found.kind === 'none') {
    end();
    return refusal ?? unavailable(common.headers, common.report);
  }
  deps.metrics.streamResumes.inc({ state: found.kind });
  const resumed = { deps, form, context, caller, requestId, wanted, waiting, found };
  return frames ? streamOf(resumed, frames, end) : waitFor(resumed, end);
}

const NOT_KEPT = 'There is no request of this id and API key, or its answer is no longer kept.';

interface Resumed {
  readonly deps: ResumeDeps;
  readonly form: ResumeForm;
  readonly context: RequestContext;
  readonly caller: Caller;
  readonly requestId: string;
  readonly wanted: Wanted;
  readonly waiting: Waiting;
  readonly found: Found;
}

type Found = Extract<FoundRequest, { kind: 'settled' | 'open' }>;

/** @returns `undefined` where Redis cannot be asked */
async function find(
  deps: ResumeDeps,
  { keyId }: Caller,
  requestId: string,
  { isStream }: Wanted,
): Promise<Found | { kind: 'none' } | undefined> {
  try {
    const found = await findRequest(deps.redis, { requestId, keyId, ...(isStream && { gateway: deps.gateway }) });
    // What is told of a settled request is to outlive the primary, too.
    if (found.kind === 'settled') await deps.replication?.held();
    if (found.kind !== 'long') return found;
    const answer = await deps.live.finder.find(requestId, 'settled');
    return answer && isSettled(answer) ? { kind: 'settled', settlement: withoutTexts(answer) } : undefined;
  } catch (error) {
    deps.onRedisFailure(error);
    return undefined;
  }
}

/** A reader of its events may take minutes for it, and finds the texts again as it has room. */
function withoutTexts(settlement: Settlement): Settlement {
  if (settlement.outcome === 'failed' || settlement.text === '') return settlement;
  const { reasoning = '', ...rest } = settlement;
  return { ...rest, text: '', textLength: settlement.text.length, reasoningLength: reasoning.length };
}

function refusalOf(
  found: Found | { kind: 'none' } | undefined,
  { isStream, from }: Wanted,
  common: Pick<Answer, 'headers'> & { readonly report: { readonly keyId: string } },
): Answer | undefined {
  if (found === undefined) return undefined;
  if (found.kind === 'none') return refuse('not_found', { message: NOT_KEPT, ...common });
  if (!isStream) return undefined;
  const most = lengthOf(found);
  if (from.text <= most) return undefined;
  const message = `starting_after is ${from.text}, and the text has ${most} UTF-16 units at most by now.`;
  return refuse('invalid_parameter', { message, param: 'starting_after', ...common });
}

/** How much of the text a reader can have. */
function lengthOf(found: Found): number {
  if (found.kind === 'open') return found.texts ? found.texts.text.length + MOST_AHEAD : Number.POSITIVE_INFINITY;
  // What was sent of an answer that failed is not kept.
  if (found.settlement.outcome === 'failed') return Number.POSITIVE_INFINITY;
  return found.settlement.textLength ?? found.settlement.text.length;
}

async function waitFor(resumed: Resumed, end: () => void): Promise<Answer> {
  const { deps, requestId, caller } = resumed;
  try {
    const settlement = await settlementOf(resumed);
    const whole = lacksTexts(settlement) ? await deps.live.finder.find(requestId, 'settled') : settlement;
    if (whole && isSettled(whole)) return await answerManyOf(resumed, whole);
    return unavailable(rateLimitHeaders(caller.admission), { keyId: caller.keyId });
  } finally {
    end();
  }
}

/** An answer that may be asked for by hundreds at once. */
function answerManyOf(resumed: Resumed, settlement: Settlement): Answer | Promise<Answer> {
  const answer = answerOf(resumed, settlement);
  const body = shareLongTexts(answer.body, settlement);
  return body === answer.body ? answer : inTurn(() => ({ ...answer, body }));
}

/** Whether only the length of its texts is said: it is long, or the reply was for a gateway that has streamed them. */
function lacksTexts(settlement: Settlement): boolean {
  if (settlement.outcome === 'failed') return false;
  const { text, textLength = text.length, reasoning = '', reasoningLength = reasoning.length } = settlement;
  return textLength > text.length || reasoningLength > reasoning.length;
}

function streamOf(resumed: Resumed, frames: HeldFrames, end: () => void): StreamedAnswer {
  const { deps, form, caller, requestId, wanted, found } = resumed;
  const job = jobOf(resumed, found.kind === 'settled' ? found.settlement : undefined);
  return {
    headers: { ...rateLimitHeaders(caller.admission), 'X-Model': job.model },
    async run(sink) {
      const run = {
        requestId,
        frames,
        form: form.events({ requestId, job }, wanted),
        ...(found.kind === 'open' && { later: found.texts ?? ('to be found' as const) }),
        settlement: () => settlementOf(resumed),
        answer: (settlement: Settlement) => answerOf(resumed, settlement),
      };
      try {
        return await runStream(deps.live, run, sink);
      } finally {
        end();
      }
    },
  };
}

/** A reader who leaves stops nothing, and a gateway that ends leaves the rest to another one. */
async function settlementOf({ deps, context, waiting, found }: Resumed): Promise<Settlement> {
  if (found.kind === 'settled') return found.settlement;
  const waitMs = deps.timeoutMs + SETTLED_BY_MS;
  const end = await firstOf({ reply: waiting.reply, gone: context.gone, waitMs });
  return typeof end === 'object' ? end : { v: 1, outcome: 'failed', error: ENDINGS[end] };
}

const ENDINGS = { gone: 'client_closed', 'given up': 'service_unavailable', deadline: 'timed_out' } as const;

function answerOf(resumed: Resumed, settlement: Settlement): Answer {
  const { deps, form, context, caller, requestId } = resumed;
  const { admission, keyId } = caller;
  if (settlement.outcome === 'failed') return failed(settlement, caller);
  // The same number for answer and statistics, which know this request by its own id.
  elapsedMs(context);
  const { reading, freeFailuresPerHour } = deps;
  const about = { context: { ...context, id: requestId }, job: jobOf(resumed, settlement), admission };
  const answer = form.answer(settlement, { ...about, reading, freeFailuresPerHour });
  return { ...answer, report: { outcome: 'success', keyId } };
}

function failed(settlement: Failed, { admission, keyId }: Caller): Answer {
  const { error, charged } = settlement;
  const paid = charged === undefined ? '' : ` The request was ${wasCharged(settlement) ? '' : 'not '}charged.`;
  const message = `${ERROR_CATALOG[error].message}${paid}`;
  return refuse(error, { message, headers: rateLimitHeaders(admission), report: { keyId } });
}

/** What is told of the job in an answer; of one whose workers did not say, what is most likely. */
function jobOf({ deps, form, caller, found }: Resumed, settlement: Settlement | undefined): SettledRequest['job'] {
  const asked: AskedBefore = found.kind === 'open' ? found.asked : {};
  const said = settlement?.outcome === 'answered' ? settlement : undefined;
  return {
    endpoint: form.endpoint,
    keyId: caller.keyId,
    model: said?.model ?? asked.model ?? GENERATION_RULES.defaultModel,
    maxOutputTokens: 0,
    receivedAt: said?.receivedAt ?? asked.receivedAt ?? deps.clock.now(),
  };
}
