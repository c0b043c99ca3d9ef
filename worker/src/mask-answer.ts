import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { MaskCounts } from '@lontar/shared/settlement/settlement.ts';
import type { Masker } from './masking/mask.ts';

/** Characters of a prompt that the operator's log keeps. */
const PROMPT_PREVIEW_CHARS = 4_000;

export type MaskedAnswer =
  | { readonly kind: 'masked'; readonly text: string; readonly counts: MaskCounts; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

/**
 * Masks an answer and counts what was masked. Fails closed: if masking throws, there is no text to go on with, and the
 * reason is the error's type alone, because its message could quote the text.
 */
export function maskAnswer(
  { masker, metrics }: { readonly masker: Masker; readonly metrics: WorkerMetrics },
  text: string,
): MaskedAnswer {
  const startedAt = performance.now();
  try {
    const { text: masked, spans } = masker.mask(text);
    const durationMs = performance.now() - startedAt;
    const counts = { url: 0, key: 0, ip: 0, connection: 0 };
    for (const { type } of spans) {
      counts[type]++;
      metrics.secretsMasked.inc({ type });
    }
    metrics.maskingDuration.observe(durationMs / 1000);
    metrics.maskingOperations.inc({ result: spans.length > 0 ? 'secured' : 'normal' });
    return { kind: 'masked', text: masked, counts, durationMs };
  } catch (error) {
    metrics.maskingOperations.inc({ result: 'failed' });
    const reason = error instanceof Error ? error.name : typeof error;
    return { kind: 'failed', reason, durationMs: performance.now() - startedAt };
  }
}

/**
 * The beginning of a prompt for the operator's log, masked as a whole first, so that the cut cannot leave half of a
 * secret. `undefined` when it cannot be masked.
 */
export function previewPrompt(masker: Masker, prompt: string): string | undefined {
  try {
    const { text } = masker.mask(prompt);
    return text.length <= PROMPT_PREVIEW_CHARS ? text : `${text.slice(0, PROMPT_PREVIEW_CHARS).toWellFormed()}…`;
  } catch {
    return undefined;
  }
}
