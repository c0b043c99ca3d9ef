import type { RepeatReason } from '@lontar/shared/metrics.ts';
import type { Deadlines } from '@lontar/shared/models/catalog.ts';
import type { ModelErrorKind, ModelRequest, UpstreamWords } from './language-model.ts';
import type { SettingNames } from './upstream-advice.ts';
import type { Redact } from './upstream-words.ts';

/** What is told of an upstream. */
export interface ModelReports {
  /** Masks what an upstream says before it is told to the operator; without it nothing is told. */
  readonly redact?: Redact | undefined;
  /** Told of each refusal, and of each connection that failed. */
  readonly onFailure?: ((failure: ToldFailure) => void) | undefined;
  /** Told of each call that is made again at once in the same attempt. */
  readonly onRepeat?: ((reason: RepeatReason) => void) | undefined;
}

/** A line of the operator's log. */
export type ToldFailure = UpstreamWords & { readonly requestId: string; readonly reason: ModelErrorKind };

/** What bounds every attempt at a real upstream, and what is told of it. */
export interface UpstreamLimits extends ModelReports {
  /** How long one attempt may take whose request says nothing of that, ms. */
  readonly timeoutMs: number;
  /** How long connecting may take, ms; part of `timeoutMs`. */
  readonly connectTimeoutMs: number;
  /** The largest answer that is read, bytes. */
  readonly maxAnswerBytes: number;
  /** How the settings of this upstream are called, for advice; none is given where absent. */
  readonly settings?: SettingNames | undefined;
}

/** How long each part of an attempt may take: what its request says, else the upstream's one limit for all. */
export function deadlinesFor(
  request: Pick<ModelRequest, 'deadlines'>,
  { timeoutMs, connectTimeoutMs }: Pick<UpstreamLimits, 'timeoutMs' | 'connectTimeoutMs'>,
): Deadlines {
  const limits = { connectMs: connectTimeoutMs, firstTokenMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs };
  return request.deadlines ?? limits;
}
