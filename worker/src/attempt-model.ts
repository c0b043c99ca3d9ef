import type { FailureCause } from '@lontar/shared/failure-cause.ts';
import { askedText, chatOf } from '@lontar/shared/generation-job.ts';
import { type Call, type CallResult, callModel } from './call-model.ts';
import { mayHaveCost } from './failure-policy.ts';
import { callHedged } from './hedged-call.ts';
import type { AbortReason, JobStart } from './job-start.ts';
import type { ModelErrorKind, ModelPart, ModelRequest, ModelResult } from './model/language-model.ts';
import { estimateTokens } from './model/token-estimate.ts';
import type { ProcessDeps } from './process-generation.ts';
import { countCall } from './settle-job.ts';
import { type Choice, keyOfRoute } from './upstreams/route-chooser.ts';

/** What came of an attempt. `wasRepeated`: a call before the last one, in the same attempt, may have cost money. */
export type AttemptResult = { readonly wasRepeated: boolean; readonly route?: string | undefined } & (
  | { readonly kind: 'answer'; readonly answer: ModelResult; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly error: ModelErrorKind;
      readonly retryAfterMs?: number | undefined;
      /** For the operator alone. */
      readonly cause: FailureCause;
      /** See `ModelError`. */
      readonly field?: string | undefined;
      /** Another route could answer, and could not be asked in this attempt. */
      readonly hasOtherRoute?: boolean;
    }
  /** `call`: how the call ended all the same; it may have been over when the end came. Absent where none was made. */
  | { readonly kind: 'aborted'; readonly reason: AttemptEnd; readonly call: ModelErrorKind | undefined }
  /** No upstream takes a call; the soonest may in so many ms. */
  | { readonly kind: 'unavailable'; readonly retryInMs: number }
);

/** Why an attempt was ended. */
export type AttemptEnd = AbortReason | 'deadline' | 'masking failed';

/** The file of models was edited since the gateway took the request. */
const NO_SUCH_MODEL: FailureCause = { reason: 'refused', advice: 'This worker has no such model: look at its models.' };

/** Calls of one attempt at most, each to another route. */
const MOST_CALLS = 3;
/** What an answer is taken to have in tokens before it is there: a caller's limit is mostly far above what it gets. */
const USUAL_ANSWER_TOKENS = 512;

/** Where the parts of an answer go that is streamed. */
export interface PartTaker {
  add(part: ModelPart): void;
  /** Aborts when the answer cannot be masked. */
  readonly unmaskable: AbortSignal;
}

type Start = JobStart & { readonly spentBefore: boolean };

/**
 * Makes one model attempt: a call to a route that can take it, and where that fails before any of the answer has come,
 * to the next, at most three, and one after a failure that may have cost money. It ends with the deadline, the loss of the
 * job's lock, a caller's leaving, or the worker's stop, whichever comes first.
 *
 * @param stream absent where the answer is wanted in one piece
 */
export async function attemptModel(deps: ProcessDeps, start: Start, stream?: PartTaker): Promise<AttemptResult> {
  const { job, signal } = start;
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort('deadline'), Math.max(0, job.deadlineAt - deps.clock.now()));
  // Not `AbortSignal.any`, which costs several times as much.
  const onAbort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const onUnmaskable = () => ending.abort('masking failed' satisfies AttemptEnd);
  stream?.unmaskable.addEventListener('abort', onUnmaskable, { once: true });
  try {
    return await askRoutes(deps, start, ending.signal, stream);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    stream?.unmaskable.removeEventListener('abort', onUnmaskable);
  }
}

/** What is known of the calls of an attempt so far. */
interface Calls {
  count: number;
  readonly tried: Set<string>;
  /** A call of the attempt may have cost money, and one before the last. */
  hasSpent: boolean;
  hadSpent: boolean;
  /** A part of an answer has come: no other answer may follow it. */
  hasParts: boolean;
  last: (CallResult & { kind: 'failed' }) | undefined;
  route: string | undefined;
}

async function askRoutes(
  deps: ProcessDeps,
  start: Start,
  signal: AbortSignal,
  stream: PartTaker | undefined,
): Promise<AttemptResult> {
  const calls: Calls = {
    count: 0,
    tried: new Set(),
    hasSpent: false,
    hadSpent: false,
    hasParts: false,
    last: undefined,
    route: undefined,
  };
  for (;;) {
    const asking = choose(deps, start, signal, calls);
    const choice = asking instanceof Promise ? await asking : asking;
    const { last, route, hadSpent: wasRepeated } = calls;
    if (choice.kind === 'route' && signal.aborted) choice.done({ kind: 'ended by us' });
    if (signal.aborted) {
      return { kind: 'aborted', reason: signal.reason as AttemptEnd, call: last?.error, wasRepeated, route };
    }
    if (choice.kind === 'stopping')
      return { kind: 'aborted', reason: 'stopping', call: last?.error, wasRepeated, route };
    if (choice.kind !== 'route' && last) {
      const { error, cause } = last;
      return { kind: 'failed', error, cause, wasRepeated, route, hasOtherRoute: true };
    }
    if (choice.kind === 'unknown') return { kind: 'failed', error: 'refused', wasRepeated, cause: NO_SUCH_MODEL };
    if (choice.kind === 'none') return { kind: 'unavailable', retryInMs: choice.retryInMs, wasRepeated };
    const result = await callRoute(deps, start, { signal, stream, calls, choice });
    if (result !== undefined) return result;
  }
}

function choose(
  deps: ProcessDeps,
  { job, number, spentBefore }: Start,
  signal: AbortSignal,
  calls: Calls,
  // Where one call has failed already, the queue knows how to wait.
  waits = calls.count === 0,
) {
  return deps.chooser.choose({
    model: job.model,
    callId: `${job.id}:${number}:${calls.count}`,
    tried: calls.tried,
    estimateTokens: () => estimateTokens(askedText(job)) + Math.min(job.maxOutputTokens, USUAL_ANSWER_TOKENS),
    deadlineAt: job.deadlineAt,
    waits,
    isLastCall: spentBefore || calls.hasSpent,
    signal,
  });
}

interface Turn {
  readonly signal: AbortSignal;
  readonly stream: PartTaker | undefined;
  readonly calls: Calls;
  readonly choice: Extract<Choice, { kind: 'route' }>;
}

/** @returns undefined where the next route is to be asked */
async function callRoute(deps: ProcessDeps, start: Start, turn: Turn): Promise<AttemptResult | undefined> {
  const { signal, stream, calls, choice } = turn;
  const spentBefore = start.spentBefore || calls.hasSpent;
  const failedBefore = calls.last?.error;
  // The call before this one was not the last of its start.
  if (calls.last) countCall(deps, calls.last.error, 'open');
  calls.count += 1;
  calls.tried.add(keyOfRoute(choice.route));
  calls.route = keyOfRoute(choice.route);
  const onPart = (part: ModelPart) => {
    calls.hasParts = true;
    stream?.add(part);
  };
  const result = await makeCall(deps, start, turn, {
    job: start.job,
    choice,
    signal,
    failedBefore,
    request: requestOf(deps, start, choice, spentBefore),
    // Where there is another route to go to, silence has to be heard: an answer in one piece is silent until it is whole.
    onPart: stream || choice.hasOthers ? onPart : undefined,
  });
  const { route } = calls;
  const wasRepeated = calls.hasSpent;
  if (signal.aborted) {
    const call = result.kind === 'answer' ? 'none' : result.wasAsked ? result.error : undefined;
    return { kind: 'aborted', reason: signal.reason as AttemptEnd, call, wasRepeated, route };
  }
  if (result.kind === 'answer') return { ...result, wasRepeated, route };
  const { error, cause, field } = result;
  // Who chooses among routes knows how long each wants to be left alone.
  const retryAfterMs = choice.binds ? undefined : result.retryAfterMs;
  const isSpent = mayHaveCost(error) || result.wasRepeated;
  const isOver =
    calls.count === MOST_CALLS ||
    !choice.hasOthers ||
    !result.isUpstreams ||
    (stream !== undefined && calls.hasParts) ||
    (isSpent && spentBefore) ||
    calls.hasSpent;
  if (isOver) {
    const hasOtherRoute = calls.count === MOST_CALLS && choice.hasOthers && result.isUpstreams;
    const hadSpent = wasRepeated || result.wasRepeated;
    return { kind: 'failed', error, retryAfterMs, cause, field, wasRepeated: hadSpent, route, hasOtherRoute };
  }
  calls.hadSpent = wasRepeated || result.wasRepeated;
  calls.hasSpent ||= isSpent;
  calls.last = result;
  const { upstream, model } = choice.route;
  deps.logger.warn(
    { requestId: start.job.id, upstream, upstreamModel: model, reason: error },
    'a model call failed; another route is asked, if one can take it',
  );
  return undefined;
}

/** Makes a call, and where its model's calls are hedged and it is slow, a second one beside it. */
async function makeCall(deps: ProcessDeps, start: Start, turn: Turn, call: Call): Promise<CallResult> {
  const { calls, choice, signal } = turn;
  const afterMs = choice.hedgeAfterMs;
  // The work of tools must not be begun twice, nor may a request cost more than twice.
  const callsTools = start.job.v === 2 && start.job.chat.tools !== undefined;
  const isFirst = calls.count === 1 && !start.spentBefore;
  if (afterMs === undefined || callsTools || !isFirst || !choice.hasOthers) return callModel(deps, call);
  const second = async (): Promise<Call | undefined> => {
    const other = await choose(deps, start, signal, calls, false);
    if (other.kind !== 'route') return undefined;
    return { ...call, choice: other, request: requestOf(deps, start, other, true) };
  };
  const { result, call: kept, loser } = await callHedged(deps, call, { afterMs, second });
  if (loser === undefined) return result;
  const lost = loser.result.kind === 'answer' ? 'none' : loser.result.error;
  countCall(deps, lost, 'open');
  deps.metrics.hedges.inc({ winner: kept === call || kept.choice === choice ? 'first' : 'second' });
  calls.count += 1;
  for (const { choice: asked } of [kept, loser.call]) calls.tried.add(keyOfRoute(asked.route));
  calls.route = keyOfRoute(kept.choice.route);
  calls.hasSpent ||= mayHaveCost(lost);
  return result;
}

function requestOf(
  deps: ProcessDeps,
  { job }: Start,
  { model, route }: Turn['choice'],
  spentBefore: boolean,
): ModelRequest {
  return {
    requestId: job.id,
    model: route.model,
    chat: chatOf(job, deps.personas),
    maxOutputTokens: job.maxOutputTokens,
    deadlines: model.deadlines,
    ...(job.isDefaultOutput === true && { isDefaultOutput: true }),
    ...(spentBefore && { isSpent: true }),
  };
}
