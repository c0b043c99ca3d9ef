import type { FailureCause } from '@lontar/shared/failure-cause.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import {
  ModelError,
  type ModelErrorKind,
  type ModelPart,
  type ModelRequest,
  type ModelResult,
} from './model/language-model.ts';
import type { CallOutcome } from './upstreams/judge-end.ts';
import type { Choice } from './upstreams/route-chooser.ts';

export interface CallDeps {
  readonly metrics: Pick<
    WorkerMetrics,
    'calls' | 'tokens' | 'timeToFirstToken' | 'tokenRate' | 'upstreamCalls' | 'upstreamTokens'
  >;
  /** @param failure why the call failed; undefined where the model is well */
  readonly noteModelOutcome: (failure: FailureCause | undefined, provider: string) => void;
}

export type CallResult =
  | { readonly kind: 'answer'; readonly answer: ModelResult; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly error: ModelErrorKind;
      readonly retryAfterMs?: number | undefined;
      /** The provider made the call again, and the first time may have cost money. */
      readonly wasRepeated: boolean;
      /** Whether the model may have been asked. */
      readonly wasAsked: boolean;
      /** Whether it may succeed elsewhere: it is not the request that is at fault. */
      readonly isUpstreams: boolean;
      /** For the operator alone. */
      readonly cause: FailureCause;
      /** See `ModelError`. */
      readonly field?: string | undefined;
    };

type Route = Extract<Choice, { kind: 'route' }>;

export interface Call {
  readonly job: GenerationJob;
  readonly choice: Route;
  readonly request: ModelRequest;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** Absent where the answer may come in one piece. */
  readonly onPart?: ((part: ModelPart) => void) | undefined;
  /** An earlier call of the same start, to another upstream, failed so: the same again may be the request's doing. */
  readonly failedBefore?: ModelErrorKind | undefined;
}

/** The model is well; that no text came of it is the caller's doing. */
const IS_CALLERS_DOING: ReadonlySet<ModelErrorKind> = new Set([
  'content_blocked',
  'output_used_up',
  'context_exceeded',
  'request_refused',
]);

/** What an upstream that is well does to a request that it cannot take, in its own words. */
const REQUEST_STATUSES: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** Failures that no request can cause. */
const NEVER_THE_REQUESTS: ReadonlySet<ModelErrorKind> = new Set(['rate_limited', 'unauthorized', 'connection']);

/** Makes one call to one upstream, measures it, and says how it ended. Never rejects. */
export async function callModel(deps: CallDeps, call: Call): Promise<CallResult> {
  const { job, choice, request, signal, onPart } = call;
  const { metrics } = deps;
  const labels = { provider: choice.language.provider, model: choice.labels.model };
  const startedAt = performance.now();
  let firstPartAt = 0;
  let lastPartAt = 0;
  const measuredPart = (part: ModelPart) => {
    lastPartAt = performance.now();
    if (firstPartAt === 0) firstPartAt = lastPartAt;
    onPart?.(part);
  };
  try {
    const answer = await choice.language.generate(request, signal, onPart && measuredPart);
    // A client of the OpenAI protocol reads an empty answer and its reason to end; the three endpoints promise text.
    if (job.v === 1 && (answer.text + (answer.refusal ?? '')).trim() === '') throw new ModelError('output_used_up');
    const endedAt = performance.now();
    const { input, output } = answer.usage;
    metrics.calls.observe({ ...labels, error_type: 'none' }, (endedAt - startedAt) / 1000);
    metrics.tokens.observe({ ...labels, token_type: 'input' }, input);
    metrics.tokens.observe({ ...labels, token_type: 'output' }, output);
    metrics.upstreamTokens.inc({ ...choice.labels, token_type: 'input' }, input);
    metrics.upstreamTokens.inc({ ...choice.labels, token_type: 'output' }, output);
    const streamedMs = endedAt - firstPartAt;
    if (firstPartAt > 0 && streamedMs > 1) metrics.tokenRate.observe(labels, output / (streamedMs / 1000));
    const firstTokenMs = firstPartAt > 0 ? firstPartAt - startedAt : undefined;
    end(deps, call, { kind: 'none', tokens: input + output, firstTokenMs });
    if (!signal.aborted) deps.noteModelOutcome(undefined, choice.language.provider);
    return { kind: 'answer', answer, durationMs: endedAt - startedAt };
  } catch (error) {
    const failure = error instanceof ModelError ? error : new ModelError('invalid_answer');
    metrics.calls.observe({ ...labels, error_type: failure.kind }, (performance.now() - startedAt) / 1000);
    const isFlowing = lastPartAt > 0 && performance.now() - lastPartAt < (request.deadlines?.idleMs ?? 0);
    return failed(deps, call, failure, { isFlowing, isSilent: onPart !== undefined && lastPartAt === 0 });
  } finally {
    // Not when the first part comes: that is on its way to its reader.
    const seconds = (firstPartAt - startedAt) / 1000;
    if (firstPartAt > 0) metrics.timeToFirstToken.observe({ ...labels, ...choice.labels }, seconds);
  }
}

interface Heard {
  /** The answer was on its way, and not silent for too long. */
  readonly isFlowing: boolean;
  /** Nothing of it had come, and it would have been seen. */
  readonly isSilent: boolean;
}

function failed(deps: CallDeps, call: Call, failure: ModelError, { isFlowing, isSilent }: Heard): CallResult {
  const { kind, retryAfterMs, wasRepeated, wasAsked, field } = failure;
  const isRequests = kind === 'refused' && REQUEST_STATUSES.has(failure.status) && !failure.isUnknownModel;
  // The whole time of an answer that was on its way is our own limit; what comes after our own end says nothing.
  const isOurs = call.signal.aborted || (kind === 'timed_out' && isFlowing);
  const isSameElsewhere = call.failedBefore === kind && !NEVER_THE_REQUESTS.has(kind);
  const said = isRequests ? 'request_refused' : kind;
  const isOurDeadline = isSilent && call.signal.aborted && call.signal.reason === 'deadline';
  const sameElsewhere = isSameElsewhere && !isOurs ? 'request' : undefined;
  const doubt = isOurDeadline ? 'deadline' : sameElsewhere;
  end(deps, call, { kind: isOurs ? 'ended by us' : said, doubt, retryAfterMs });
  const cause: FailureCause = { reason: kind, ...failure.upstream };
  const isCallers = IS_CALLERS_DOING.has(kind);
  if (!call.signal.aborted) deps.noteModelOutcome(isCallers ? undefined : cause, call.choice.language.provider);
  const isUpstreams = !isRequests && !isCallers && kind !== 'cancelled';
  return { kind: 'failed', error: kind, retryAfterMs, wasRepeated, wasAsked, isUpstreams, cause, field };
}

function end({ metrics }: CallDeps, { choice }: Call, outcome: CallOutcome): void {
  metrics.upstreamCalls.inc({ ...choice.labels, outcome: choice.done(outcome) });
}
