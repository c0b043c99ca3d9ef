import type { Endpoint } from '@lontar/shared/endpoints.ts';
import type { FailureCause } from '@lontar/shared/failure-cause.ts';
import { askedText, GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import type { JobOutcome } from '@lontar/shared/metrics.ts';
import type { CatalogSource } from '@lontar/shared/models/catalog.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import { type AnswerInParts, withJsonOfText } from '@lontar/shared/settlement/known-literal.ts';
import type { Rejoined } from '@lontar/shared/settlement/settle.ts';
import type { Answered, FinishReason } from '@lontar/shared/settlement/settlement.ts';
import { type AnswerPolicy, answerPolicyOf } from './answer-policy.ts';
import { type AskDeps, askAlone, askToRun } from './ask-to-run.ts';
import { type AttemptEnd, type AttemptResult, attemptModel } from './attempt-model.ts';
import { failedAs, workOf } from './describe-failure.ts';
import { decideFailure } from './failure-policy.ts';
import type { AbortReason, JobEnd, JobStart } from './job-start.ts';
import type { LivePlane } from './live/live-plane.ts';
import { finishStream, maskAnswer, previewAnswer, previewPrompt } from './mask-answer.ts';
import type { Masker } from './masking/mask.ts';
import type { ModelErrorKind, ModelResult } from './model/language-model.ts';
import type { Quarantine } from './quarantine.ts';
import { countCall, noteHandBack, noteRetry, type Run, type SettleDeps, settleJob } from './settle-job.ts';
import { knowsModel } from './upstreams/await-model.ts';
import type { RouteChooser } from './upstreams/route-chooser.ts';

export interface ProcessDeps extends AskDeps, SettleDeps {
  readonly quarantine: Quarantine;
  readonly catalog: Pick<CatalogSource, 'current' | 'onChange'>;
  readonly chooser: RouteChooser;
  readonly personas: Readonly<Record<Endpoint, string>>;
  readonly masker: Masker;
  readonly live: LivePlane;
  /** Whether the operator's log shows masked text. */
  readonly keepPreviews: boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** @param failure why the call failed; undefined where the model is well */
  readonly noteModelOutcome: (failure: FailureCause | undefined, provider: string) => void;
}

/**
 * One start of a generation job: ask whether it may run, call the model, mask, settle. The settlement carries the reply;
 * the first settlement wins, so a start too many changes nothing.
 */
export async function processGeneration(deps: ProcessDeps, start: JobStart): Promise<JobEnd> {
  const { job } = start;
  const startedAt = deps.clock.now();
  if (start.number === 1) deps.metrics.jobWait.observe(Math.max(0, startedAt - job.receivedAt) / 1000);

  const mayRun = await askToRun(deps, start, startedAt);
  if (mayRun.kind !== 'alone') return goOn(deps, start, startedAt, mayRun);
  const leave = await deps.quarantine.enter(start.signal);
  if (leave === undefined) return finishAborted(deps, runOf(start, startedAt, mayRun), abortReason(start));
  try {
    return await goOn(deps, start, deps.clock.now(), await askAlone(deps, start));
  } finally {
    leave();
  }
}

async function goOn(deps: ProcessDeps, start: JobStart, startedAt: RedisTime, mayRun: Rejoined): Promise<JobEnd> {
  const { job, signal } = start;
  const run = runOf(start, startedAt, mayRun);
  if (mayRun.kind === 'overtaken') return finish(deps, run, 'lock_lost');
  if (mayRun.kind === 'settled') return finish(deps, run, 'repeated');
  if (mayRun.kind === 'gone') return finish(deps, run, 'cancelled');
  if (mayRun.kind === 'left') return finishAborted(deps, run, 'cancelled');
  if (mayRun.kind === 'broken') return finishBroken(deps, run, undefined);
  if (mayRun.kind === 'deadly') return giveUpDeadly(deps, run, mayRun.deaths);
  if (signal.aborted) return finishAborted(deps, run, abortReason(start));
  if (startedAt >= job.deadlineAt) return finishAborted(deps, run, 'deadline');

  if (!(await knowsModel(deps.catalog, job.model, signal))) {
    return signal.aborted ? finishAborted(deps, run, abortReason(start)) : finishUnknown(deps, run);
  }
  const policy = await answerPolicyOf(deps.masker, job);
  if (job.stream !== true) return work(deps, run, policy);
  const stream = deps.live.open({ job, start: start.number, masker: policy.masker });
  try {
    return await work(deps, { ...run, stream }, policy);
  } finally {
    stream.close();
  }
}

async function work(deps: ProcessDeps, given: Run, policy: AnswerPolicy): Promise<JobEnd> {
  const result = await attemptModel(deps, given, given.stream);
  const { route, wasRepeated } = result;
  const run = { ...given, route, spentNow: wasRepeated, spentBefore: given.spentBefore || wasRepeated };
  if (result.kind === 'aborted') return finishAborted(deps, run, result.reason, result.call);
  if (result.kind === 'failed') return finishFailure(deps, run, result);
  if (result.kind === 'unavailable') return finishUnavailable(deps, run, result.retryInMs);
  return settleAnswer(deps, run, await maskAndDescribe(deps, run, policy, result));
}

/** A function of its own: while Redis is asked, nothing holds what the model has said. */
async function settleAnswer(deps: ProcessDeps, run: Run, { settlement, textJson }: AnswerInParts): Promise<JobEnd> {
  await settleJob(deps, run, settlement, 'none', textJson);
  return finish(deps, run, settlement.outcome);
}

/** A start whose worker was lost may have asked the model; one that was handed back has noted whether it did. */
function runOf(start: JobStart, startedAt: RedisTime, mayRun: Rejoined): Run {
  return { ...start, startedAt, spentBefore: start.losses > 0 || ('spent' in mayRun && mayRun.spent) };
}

/** A job that workers die of: no other one may take it, and the caller has waited long enough. */
async function giveUpDeadly(deps: ProcessDeps, run: Run, deaths: number): Promise<JobEnd> {
  const line = { requestId: run.job.id, deaths };
  deps.logger.error(line, 'a job was given up: each worker that had it died or went silent (a poison pill)');
  deps.metrics.jobsGivenUp.inc({ reason: 'poison_pill' });
  await settleJob(deps, run, { v: 1, outcome: 'failed', error: 'internal_error' }, undefined);
  return finish(deps, run, 'failed');
}

/** The gateway that took the request has another file of models than this worker. */
async function finishUnknown(deps: ProcessDeps, run: Run): Promise<JobEnd> {
  const line = { requestId: run.job.id, model: run.job.model };
  deps.logger.error(line, 'a job asks for a model that this worker does not know: compare the files of models');
  await settleJob(deps, run, failedAs('upstream_error', run), undefined);
  return finish(deps, run, 'failed');
}

/** An answer of which a part was seen, and whose start came to no end: no other start's text may follow. */
async function finishBroken(deps: ProcessDeps, run: Run, call: ModelErrorKind | undefined): Promise<JobEnd> {
  deps.logger.warn(
    { requestId: run.job.id, start: run.number },
    'a stream broke off: its worker was lost, or had to stop',
  );
  deps.metrics.streamsBroken.inc();
  await settleJob(deps, { ...run, spentBefore: true }, failedAs('stream_broken', run), call);
  return finish(deps, run, 'failed');
}

/** No upstream takes a call before the deadline; the model was not asked in this start. */
async function finishUnavailable(deps: ProcessDeps, run: Run, retryInMs: number): Promise<JobEnd> {
  const { id: requestId, model } = run.job;
  deps.logger.warn({ requestId, model, retryInMs }, 'a request failed: no upstream of its model takes calls now');
  // Where an earlier start has asked a model, its failure is what the request comes to: that may have cost money.
  const error = run.spentBefore ? 'upstream_error' : 'service_unavailable';
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000));
  const cause: FailureCause = {
    reason: 'left_alone',
    advice: `All upstreams of the model failed or refused before, and are left alone for another ${retryAfterSeconds} s. The failed rows before this one say why.`,
  };
  await settleJob(deps, run, { ...failedAs(error, run), retryAfterSeconds, cause }, undefined);
  return finish(deps, run, 'failed');
}

/** Why a job's work ended early; a worker that stops sends jobs away before their signals fire. */
function abortReason({ signal }: JobStart): AbortReason {
  return signal.aborted ? (signal.reason as AbortReason) : 'stopping';
}

/** @param call how the model call ended; absent where none was made */
async function finishAborted(deps: ProcessDeps, run: Run, reason: AttemptEnd, call?: ModelErrorKind): Promise<JobEnd> {
  switch (reason) {
    case 'deadline':
      // Without a call it has only waited.
      await settleJob(deps, run, { ...failedAs('timed_out', run), ...(call && { work: workOf(deps, run) }) }, call);
      return finish(deps, run, 'expired');
    case 'cancelled':
      await settleJob(deps, run, failedAs('client_closed', run), call);
      return finish(deps, run, 'cancelled');
    case 'masking failed': {
      const masked = run.stream && (await finishStream(run.stream, deps.metrics, { text: '' }));
      noteUnmasked(deps, run, masked?.kind === 'failed' ? masked.reason : '');
      await settleJob(deps, run, failedAs('masking_failed', run), call);
      return finish(deps, run, 'failed');
    }
    case 'lock lost':
      countCall(deps, call, 'open');
      return finish(deps, run, 'lock_lost');
    case 'stopping':
      if (await run.stream?.isVisible()) return finishBroken(deps, run, call);
      await noteHandBack(deps, run, call);
      finish(deps, run, 'retried');
      return { kind: 'handed back' };
  }
}

async function finishFailure(
  deps: ProcessDeps,
  run: Run,
  failure: Extract<AttemptResult, { kind: 'failed' }>,
): Promise<JobEnd> {
  const { job, attempt, spentBefore, route } = run;
  const decision = decideFailure({
    kind: failure.error,
    retryAfterMs: failure.retryAfterMs,
    attempt,
    attempts: GENERATION_JOB.attempts,
    spentBefore,
    hasOtherRoute: failure.hasOtherRoute === true,
    isVisible: (await run.stream?.isVisible()) === true,
    now: deps.clock.now(),
    deadlineAt: job.deadlineAt,
    random: deps.random(),
  });
  const line = { requestId: job.id, attempt, route, reason: failure.error };
  if (decision.action === 'retry') {
    await noteRetry(deps, run, failure.error);
    deps.logger.warn({ ...line, delayMs: decision.delayMs }, 'a model attempt failed; it will be made again');
    deps.metrics.retries.inc({ reason: decision.reason });
    finish(deps, run, 'retried');
    return { kind: 'again', delayMs: decision.delayMs };
  }
  deps.logger.warn({ ...line, code: decision.error }, 'a request failed at the model');
  const settlement = {
    ...failedAs(decision.error, run),
    cause: failure.cause,
    work: workOf(deps, run),
    ...(decision.error === 'request_refused' && failure.field !== undefined && { param: failure.field }),
  };
  await settleJob(deps, run, settlement, failure.error);
  return finish(deps, run, 'failed');
}

async function maskAndDescribe(
  deps: ProcessDeps,
  run: Run,
  { masker, showsMore }: AnswerPolicy,
  { answer, durationMs }: Extract<AttemptResult, { kind: 'answer' }>,
): Promise<AnswerInParts> {
  const { job, attempt, startedAt, stream, route } = run;
  // The three endpoints with a persona have no place for reasoning, tool calls and refusals.
  const said = answer.refusal ?? answer.text;
  const wanted = job.v === 1 ? { text: said } : answer;
  const masked = await (stream ? finishStream(stream, deps.metrics, wanted) : maskAnswer(masker, deps.metrics, wanted));
  const work = {
    attempts: attempt,
    queuedMs: Math.max(0, startedAt - job.receivedAt),
    modelMs: Math.round(durationMs),
    maskMs: masked.durationMs,
  };
  if (masked.kind === 'failed') {
    noteUnmasked(deps, run, masked.reason);
    return { settlement: { ...failedAs('masking_failed', { ...run, stream: undefined }), work } };
  }
  const promptPreview = deps.keepPreviews ? previewPrompt(deps.masker, askedText(job)) : undefined;
  const answerPreview = deps.keepPreviews && showsMore ? previewAnswer(deps.masker, said) : undefined;
  const { text, isRefusal, reasoning, toolCalls, counts } = masked.answer;
  const finishReason = finishReasonOf(job, answer, toolCalls !== undefined);
  const answered: Answered = {
    v: 1,
    outcome: 'answered',
    text,
    ...(isRefusal && { isRefusal }),
    ...(reasoning !== undefined && { reasoning }),
    ...(toolCalls !== undefined && { toolCalls: [...toolCalls] }),
    ...(finishReason !== 'stop' && { finishReason }),
    masked: counts,
    usage: answer.usage,
    ...(route !== undefined && { route }),
    work: {
      ...work,
      ...(promptPreview !== undefined && { promptPreview }),
      ...(answerPreview !== undefined && { answerPreview }),
    },
  };
  // Of a stream, Redis has the text in parts.
  return withJsonOfText(answered, stream ? undefined : answer.literal);
}

/** Some upstreams end with `stop` where they call tools. A reason of the upstream's own is told as an end. */
function finishReasonOf({ v }: GenerationJob, { finishReason }: ModelResult, callsTools: boolean): FinishReason {
  if (v === 1) return finishReason === 'length' || finishReason === 'content_filter' ? finishReason : 'stop';
  if (finishReason !== 'stop' && finishReason !== 'other') return finishReason;
  return callsTools ? 'tool_calls' : 'stop';
}

function noteUnmasked(deps: ProcessDeps, { job }: Run, reason: string): void {
  deps.logger.error({ requestId: job.id, reason }, 'masking failed; the answer was refused');
}

function finish(deps: ProcessDeps, run: Run, outcome: JobOutcome): JobEnd {
  const durationMs = deps.clock.now() - run.startedAt;
  deps.metrics.jobsProcessed.inc({ outcome });
  deps.metrics.jobProcess.observe({ outcome }, durationMs / 1000);
  const { job, attempt, route } = run;
  deps.logger.debug({ requestId: job.id, outcome, durationMs, attempt, route }, 'job finished');
  return { kind: 'done' };
}
