import type { Endpoint, PublicModel } from '@lontar/shared/endpoints.ts';
import { askedText, GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import type { JobOutcome } from '@lontar/shared/metrics.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Rejoined } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import { answerPolicyOf } from './answer-policy.ts';
import { type AskDeps, askAlone, askToRun } from './ask-to-run.ts';
import { type AttemptResult, attemptModel } from './attempt-model.ts';
import { decideFailure } from './failure-policy.ts';
import type { AbortReason, JobEnd, JobStart } from './job-start.ts';
import { maskAnswer, previewAnswer, previewPrompt } from './mask-answer.ts';
import type { Masker } from './masking/mask.ts';
import type { LanguageModel, ModelErrorKind } from './model/language-model.ts';
import type { Quarantine } from './quarantine.ts';
import { countCall, noteHandBack, noteRetry, type Run, type SettleDeps, settleJob } from './settle-job.ts';

export interface ProcessDeps extends AskDeps, SettleDeps {
  readonly quarantine: Quarantine;
  readonly model: LanguageModel;
  readonly upstreamName: (model: PublicModel) => string;
  readonly personas: Readonly<Record<Endpoint, string>>;
  readonly masker: Masker;
  /** Whether the operator's log shows masked text. */
  readonly keepPreviews: boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly noteModelOutcome: (ok: boolean) => void;
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
  if (mayRun.kind === 'deadly') return giveUpDeadly(deps, run, mayRun.deaths);
  if (signal.aborted) return finishAborted(deps, run, abortReason(start));
  if (startedAt >= job.deadlineAt) return finishAborted(deps, run, 'deadline');

  const result = await attemptModel(deps, start);
  if (result.kind === 'aborted') return finishAborted(deps, run, result.reason, result.call);
  if (result.kind === 'failed') return finishFailure(deps, run, result);
  const settlement = await maskAndDescribe(deps, run, result);
  await settleJob(deps, run, settlement, 'none');
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

/** Why a job's work ended early; a worker that stops sends jobs away before their signals fire. */
function abortReason({ signal }: JobStart): AbortReason {
  return signal.aborted ? (signal.reason as AbortReason) : 'stopping';
}

/** @param call how the model call ended; absent where none was made */
async function finishAborted(
  deps: ProcessDeps,
  run: Run,
  reason: AbortReason | 'deadline',
  call?: ModelErrorKind,
): Promise<JobEnd> {
  switch (reason) {
    case 'deadline':
      await settleJob(deps, run, { v: 1, outcome: 'failed', error: 'timed_out' }, call);
      return finish(deps, run, 'expired');
    case 'cancelled':
      await settleJob(deps, run, { v: 1, outcome: 'failed', error: 'client_closed' }, call);
      return finish(deps, run, 'cancelled');
    case 'lock lost':
      countCall(deps, call, 'open');
      return finish(deps, run, 'lock_lost');
    case 'stopping':
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
  const { job, attempt, spentBefore } = run;
  const decision = decideFailure({
    kind: failure.error,
    retryAfterMs: failure.retryAfterMs,
    attempt,
    attempts: GENERATION_JOB.attempts,
    spentBefore,
    now: deps.clock.now(),
    deadlineAt: job.deadlineAt,
    random: deps.random(),
  });
  const line = { requestId: job.id, attempt, reason: failure.error };
  if (decision.action === 'retry') {
    await noteRetry(deps, run, failure.error);
    deps.logger.warn({ ...line, delayMs: decision.delayMs }, 'a model attempt failed; it will be made again');
    deps.metrics.retries.inc({ reason: decision.reason });
    finish(deps, run, 'retried');
    return { kind: 'again', delayMs: decision.delayMs };
  }
  deps.logger.warn({ ...line, error: decision.error }, 'a request failed at the model');
  await settleJob(deps, run, { v: 1, outcome: 'failed', error: decision.error }, failure.error);
  return finish(deps, run, 'failed');
}

async function maskAndDescribe(
  deps: ProcessDeps,
  { job, attempt, startedAt }: Run,
  result: Extract<AttemptResult, { kind: 'answer' }>,
): Promise<Settlement> {
  const policy = await answerPolicyOf(deps.masker, job);
  const masked = await maskAnswer({ ...deps, masker: policy.masker }, result.answer.text);
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
  const promptPreview = deps.keepPreviews ? previewPrompt(deps.masker, askedText(job)) : undefined;
  const answerPreview =
    deps.keepPreviews && policy.showsMore ? previewAnswer(deps.masker, result.answer.text) : undefined;
  return {
    v: 1,
    outcome: 'answered',
    text: masked.text,
    ...(result.answer.finishReason === 'length' && { finishReason: 'length' }),
    masked: masked.counts,
    usage: result.answer.usage,
    work: {
      ...work,
      ...(promptPreview !== undefined && { promptPreview }),
      ...(answerPreview !== undefined && { answerPreview }),
    },
  };
}

function finish(deps: ProcessDeps, run: Run, outcome: JobOutcome): JobEnd {
  const durationMs = deps.clock.now() - run.startedAt;
  deps.metrics.jobsProcessed.inc({ outcome });
  deps.metrics.jobProcess.observe({ outcome }, durationMs / 1000);
  deps.logger.debug({ requestId: run.job.id, outcome, durationMs, attempt: run.attempt }, 'job finished');
  return { kind: 'done' };
}
