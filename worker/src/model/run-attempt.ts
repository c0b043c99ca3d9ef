import { machineNow } from '@lontar/shared/machine-time.ts';
import { type Attempt, startAttempt } from './attempt.ts';
import type { ModelRequest, ModelResult } from './language-model.ts';
import { toModelError } from './to-model-error.ts';
import { deadlinesFor, type UpstreamLimits } from './upstream-limits.ts';
import { type Advise, type DescribeFailure, tellFailure } from './upstream-words.ts';

/** What every attempt at one upstream goes by. */
export interface AttemptTerms extends UpstreamLimits {
  readonly describe: DescribeFailure | undefined;
  readonly advise?: Advise | undefined;
}

/**
 * Runs one attempt under its own clock, and turns whatever it fails with into the one error that others may read; the
 * operator is told of it.
 *
 * @param wasRepeated whether a call before the last one may have cost money; looked at where the attempt fails
 * @throws ModelError
 */
export async function runAttempt(
  request: ModelRequest,
  signal: AbortSignal,
  terms: AttemptTerms,
  ask: (attempt: Attempt) => Promise<ModelResult>,
  wasRepeated: () => boolean = () => false,
): Promise<ModelResult> {
  const attempt = startAttempt(signal, deadlinesFor(request, terms));
  try {
    return await ask(attempt);
  } catch (error) {
    const failed = { ended: attempt.ended(), request, describe: terms.describe };
    const failure = toModelError(error, failed, machineNow());
    failure.wasRepeated = wasRepeated();
    failure.wasAsked = attempt.wasAsked();
    await tellFailure(failure, request, terms);
    throw failure;
  } finally {
    attempt.finish();
  }
}
