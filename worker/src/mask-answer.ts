import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import type { ToolCall } from '@lontar/shared/chat-request.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import { MASK_TYPES, type MaskCounts } from '@lontar/shared/settlement/settlement.ts';
import type { OpenStream } from './live/live-plane.ts';
import { addCounts, maskAndCount, maskToolCall, noCounts } from './mask-tool-call.ts';
import type { Masker } from './masking/mask.ts';
import { MaskingBudgetExceeded } from './masking/work-budget.ts';
import type { ModelResult } from './model/language-model.ts';

/** Characters of a prompt, and of an answer, that the operator's log keeps. */
const PREVIEW_CHARS = 4_000;
/** After so long others have their turn, ms: most answers are masked by then, and do not wait, in memory, for one another. */
const LONGEST_TURN_MS = 1;

/** What of an answer is text, all of it masked. */
export interface MaskedAnswer {
  readonly text: string;
  readonly reasoning?: string;
  /** Whether the text is what the model says in place of one that it refuses. */
  readonly isRefusal?: true;
  readonly toolCalls?: readonly ToolCall[];
  readonly counts: MaskCounts;
}

export type MaskedResult =
  | { readonly kind: 'masked'; readonly answer: MaskedAnswer; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

type MaskingMetrics = Pick<WorkerMetrics, 'secretsMasked' | 'maskingDuration' | 'maskingOperations'>;

export type AnswerText = Pick<ModelResult, 'text' | 'reasoning' | 'refusal' | 'toolCalls'>;

/**
 * Masks an answer and counts what was masked. Fails closed: if masking throws, there is no text to go on with, and the
 * reason is the error's type alone, because its message could quote the text. A long answer is masked in slices, and
 * other jobs have their turn between two of them. Never rejects.
 */
export function maskAnswer(masker: Masker, metrics: MaskingMetrics, answer: AnswerText): Promise<MaskedResult> {
  let durationMs = 0;
  const timed = (steps: Iterator<undefined, MaskedAnswer>) => {
    const startedAt = performance.now();
    try {
      return steps.next();
    } finally {
      durationMs += performance.now() - startedAt;
    }
  };
  const mask = async () => {
    const steps = maskInSteps(masker, answer);
    let step = timed(steps);
    for (let turnEnds = LONGEST_TURN_MS; step.done !== true; step = timed(steps)) {
      if (durationMs < turnEnds) continue;
      await othersHadTheirTurn();
      turnEnds = durationMs + LONGEST_TURN_MS;
    }
    return step.value;
  };
  return conclude(metrics, mask, () => durationMs);
}

/** As `maskAnswer`, for an answer that was masked as it came. */
export function finishStream(
  { stream, add, finish }: OpenStream,
  metrics: MaskingMetrics,
  answer: AnswerText,
): Promise<MaskedResult> {
  const { transcript } = stream;
  const mask = async () => {
    for (const part of transcript.missingOf(answer)) add(part);
    await finish();
    const { text, refusal, reasoning, calls, counts } = transcript;
    return withoutNothing({ text, refusal, reasoning, toolCalls: calls }, counts);
  };
  return conclude(metrics, mask, () => stream.maskMs);
}

function* maskInSteps(
  masker: Masker,
  { text, reasoning = '', refusal = '', toolCalls = [] }: AnswerText,
): Generator<undefined, MaskedAnswer> {
  const counts = noCounts();
  const maskedReasoning = reasoning === '' ? '' : yield* maskAndCount(masker, reasoning, counts);
  const maskedText = yield* maskAndCount(masker, text, counts);
  const maskedRefusal = refusal === '' ? '' : yield* maskAndCount(masker, refusal, counts);
  const calls: ToolCall[] = [];
  for (const given of toolCalls) {
    const masked = yield* maskToolCall(masker, given);
    addCounts(counts, masked.counts);
    calls.push(masked.call);
    yield;
  }
  return withoutNothing(
    { text: maskedText, refusal: maskedRefusal, reasoning: maskedReasoning, toolCalls: calls },
    counts,
  );
}

/** There is a text or a refusal: one place holds both, so that every version can read it. */
function withoutNothing(
  { text, refusal, reasoning, toolCalls }: Required<AnswerText>,
  counts: MaskCounts,
): MaskedAnswer {
  return {
    text: refusal === '' ? text : refusal,
    ...(refusal !== '' && { isRefusal: true }),
    ...(reasoning !== '' && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    counts,
  };
}

async function conclude(
  metrics: MaskingMetrics,
  mask: () => Promise<MaskedAnswer>,
  durationMs: () => number,
): Promise<MaskedResult> {
  try {
    const answer = await mask();
    let secrets = 0;
    for (const type of MASK_TYPES) {
      metrics.secretsMasked.inc({ type }, answer.counts[type]);
      secrets += answer.counts[type];
    }
    metrics.maskingDuration.observe(durationMs() / 1000);
    metrics.maskingOperations.inc({ result: secrets > 0 ? 'secured' : 'normal' });
    return { kind: 'masked', answer, durationMs: durationMs() };
  } catch (error) {
    metrics.maskingOperations.inc({ result: error instanceof MaskingBudgetExceeded ? 'refused' : 'failed' });
    const reason = error instanceof Error ? error.name : typeof error;
    return { kind: 'failed', reason, durationMs: durationMs() };
  }
}

/**
 * The beginning of a prompt for the operator's log, cut where no half of a secret is left. `undefined` when it cannot be
 * masked.
 */
export function previewPrompt(masker: Masker, prompt: string): string | undefined {
  try {
    const { text, whole } = masker.maskBeginning(prompt, PREVIEW_CHARS);
    return whole && text.length <= PREVIEW_CHARS ? text : `${text.slice(0, PREVIEW_CHARS).toWellFormed()}…`;
  } catch {
    return undefined;
  }
}

/**
 * The same of an answer that its caller may see more of than the log.
 *
 * @param masker masks everything
 * @returns empty where it cannot be masked: what the caller gets must not stand in for it
 */
export function previewAnswer(masker: Masker, answer: string): string {
  return previewPrompt(masker, answer) ?? '';
}
