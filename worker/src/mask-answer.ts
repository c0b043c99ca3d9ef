import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { MaskCounts } from '@lontar/shared/settlement/settlement.ts';
import type { Masker, MaskResult } from './masking/mask.ts';
import { MaskingBudgetExceeded } from './masking/work-budget.ts';

/** Characters of a prompt, and of an answer, that the operator's log keeps. */
const PREVIEW_CHARS = 4_000;

export type MaskedResult =
  | { readonly kind: 'masked'; readonly text: string; readonly counts: MaskCounts; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

/**
 * Masks an answer and counts what was masked. Fails closed: if masking throws, there is no text to go on with, and the
 * reason is the error's type alone, because its message could quote the text. A long answer is masked in slices, and
 * other jobs have their turn between two of them.
 */
export async function maskAnswer(
  { masker, metrics }: { readonly masker: Masker; readonly metrics: WorkerMetrics },
  text: string,
): Promise<MaskedResult> {
  let durationMs = 0;
  const timed = (steps: Iterator<undefined, MaskResult>) => {
    const startedAt = performance.now();
    try {
      return steps.next();
    } finally {
      durationMs += performance.now() - startedAt;
    }
  };
  try {
    const steps = masker.maskInSlices(text);
    let step = timed(steps);
    for (; step.done !== true; step = timed(steps)) await othersHadTheirTurn();
    const { text: masked, spans } = step.value;
    const counts = { url: 0, key: 0, ip: 0, connection: 0 };
    for (const { type } of spans) {
      counts[type]++;
      metrics.secretsMasked.inc({ type });
    }
    metrics.maskingDuration.observe(durationMs / 1000);
    metrics.maskingOperations.inc({ result: spans.length > 0 ? 'secured' : 'normal' });
    return { kind: 'masked', text: masked, counts, durationMs };
  } catch (error) {
    metrics.maskingOperations.inc({ result: error instanceof MaskingBudgetExceeded ? 'refused' : 'failed' });
    const reason = error instanceof Error ? error.name : typeof error;
    return { kind: 'failed', reason, durationMs };
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
