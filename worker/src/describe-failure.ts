import type { GenerationFailure } from '@lontar/shared/errors.ts';
import { askedText } from '@lontar/shared/generation-job.ts';
import type { Failed } from '@lontar/shared/settlement/settlement.ts';
import type { Run, SettleDeps } from './settle-job.ts';

/** Of English text, about. */
const CHARACTERS_OF_TOKEN = 4;

/** A failure, with what was used of the answer as far as it came, where it came in parts. */
export function failedAs(error: GenerationFailure, { job, stream, route }: Run): Failed {
  const received = stream?.stream.transcript.received ?? 0;
  const failed: Failed = { v: 1, outcome: 'failed', error, ...(route !== undefined && { route }) };
  if (received === 0) return failed;
  return {
    ...failed,
    usage: { input: tokensOf(askedText(job).length), output: tokensOf(received), isEstimated: true },
  };
}

/** Where the time of a request went whose model call failed. Earlier attempts are in what it waited for this one. */
export function workOf(
  { clock }: Pick<SettleDeps, 'clock'>,
  { job, attempt, startedAt }: Run,
): NonNullable<Failed['work']> {
  const modelMs = Math.max(0, clock.now() - startedAt);
  return { attempts: attempt, queuedMs: Math.max(0, startedAt - job.receivedAt), modelMs, maskMs: 0 };
}

/** About how many tokens text has that its upstream has not counted. */
function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_OF_TOKEN);
}
