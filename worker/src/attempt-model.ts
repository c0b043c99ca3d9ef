import type { FailureCause } from '@lontar/shared/failure-cause.ts';
import { chatOf } from '@lontar/shared/generation-job.ts';
import type { AbortReason, JobStart } from './job-start.ts';
import {
  ModelError,
  type ModelErrorKind,
  type ModelPart,
  type ModelRequest,
  type ModelResult,
} from './model/language-model.ts';
import type { ProcessDeps } from './process-generation.ts';
import { firstRoute } from './upstreams/first-route.ts';

export type AttemptResult =
  | { readonly kind: 'answer'; readonly answer: ModelResult; readonly durationMs: number }
  /** `wasRepeated`: a call before the one that failed so, in the same attempt, may have cost money. */
  | {
      readonly kind: 'failed';
      readonly error: ModelErrorKind;
      readonly retryAfterMs?: number | undefined;
      readonly wasRepeated: boolean;
      /** For the operator alone. */
      readonly cause: FailureCause;
    }
  /** `call`: how the call ended all the same; it may have been over when the end came. */
  | { readonly kind: 'aborted'; readonly reason: AttemptEnd; readonly call: ModelErrorKind };

/** Why an attempt was ended. */
export type AttemptEnd = AbortReason | 'deadline' | 'masking failed';

/** The model is well; that no text came of it is the caller's doing. */
const IS_CALLERS_DOING: ReadonlySet<ModelErrorKind> = new Set([
  'content_blocked',
  'output_used_up',
  'context_exceeded',
  'request_refused',
]);

/** The file of models was edited since the gateway took the request. */
const NO_SUCH_MODEL: FailureCause = { reason: 'refused', advice: 'This worker has no such model: look at its models.' };

/** Where the parts of an answer go that is streamed. */
export interface PartTaker {
  add(part: ModelPart): void;
  /** Aborts when the answer cannot be masked. */
  readonly unmaskable: AbortSignal;
}

/**
 * Makes one model attempt, which ends with the deadline, the loss of the job's lock, a caller's leaving, or the
 * worker's stop, whichever comes first. Whatever comes of it, the model has been asked.
 *
 * @param stream absent where the answer is wanted in one piece
 */
export async function attemptModel(
  deps: ProcessDeps,
  { job, signal, spentBefore }: JobStart & { readonly spentBefore: boolean },
  stream?: PartTaker,
): Promise<AttemptResult> {
  const chosen = firstRoute(deps, job.model);
  if (chosen === undefined) {
    return { kind: 'failed', error: 'refused', wasRepeated: false, cause: NO_SUCH_MODEL };
  }
  const { route, language } = chosen;
  const ending = new AbortController();
  const { signal: either } = ending;
  const timer = setTimeout(() => ending.abort('deadline'), Math.max(0, job.deadlineAt - deps.clock.now()));
  // Not `AbortSignal.any`, which costs several times as much.
  const onAbort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const onUnmaskable = () => ending.abort('masking failed' satisfies AttemptEnd);
  stream?.unmaskable.addEventListener('abort', onUnmaskable, { once: true });
  const request: ModelRequest = {
    requestId: job.id,
    model: route.model,
    chat: chatOf(job, deps.personas),
    maxOutputTokens: job.maxOutputTokens,
    ...(job.isDefaultOutput === true && { isDefaultOutput: true }),
    ...(spentBefore && { isSpent: true }),
  };
  const labels = { provider: language.provider, model: deps.modelLabel(job.model) };
  const startedAt = performance.now();
  let firstPartAt = 0;
  const onPart = (part: ModelPart) => {
    if (firstPartAt === 0) {
      firstPartAt = performance.now();
      deps.metrics.timeToFirstToken.observe(labels, (firstPartAt - startedAt) / 1000);
    }
    stream?.add(part);
  };
  try {
    const answer = await language.generate(request, either, stream && onPart);
    if (either.aborted) return { kind: 'aborted', reason: either.reason as AttemptEnd, call: 'none' };
    // A client of the OpenAI protocol reads an empty answer and its reason to end; the three endpoints promise text.
    if (job.v === 1 && answer.text.trim() === '') throw new ModelError('output_used_up');
    const durationMs = performance.now() - startedAt;
    deps.metrics.calls.observe({ ...labels, error_type: 'none' }, durationMs / 1000);
    deps.metrics.tokens.observe({ ...labels, token_type: 'input' }, answer.usage.input);
    deps.metrics.tokens.observe({ ...labels, token_type: 'output' }, answer.usage.output);
    const streamedMs = performance.now() - firstPartAt;
    if (firstPartAt > 0 && streamedMs > 1)
      deps.metrics.tokenRate.observe(labels, answer.usage.output / (streamedMs / 1000));
    deps.noteModelOutcome(undefined, language.provider);
    return { kind: 'answer', answer, durationMs };
  } catch (error) {
    const kind: ModelErrorKind = error instanceof ModelError ? error.kind : 'invalid_answer';
    deps.metrics.calls.observe({ ...labels, error_type: kind }, (performance.now() - startedAt) / 1000);
    if (either.aborted) return { kind: 'aborted', reason: either.reason as AttemptEnd, call: kind };
    const cause: FailureCause = { reason: kind, ...(error instanceof ModelError && error.upstream) };
    deps.noteModelOutcome(IS_CALLERS_DOING.has(kind) ? undefined : cause, language.provider);
    if (!(error instanceof ModelError)) return { kind: 'failed', error: kind, wasRepeated: false, cause };
    const { retryAfterMs, wasRepeated } = error;
    return { kind: 'failed', error: kind, retryAfterMs, wasRepeated, cause };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
