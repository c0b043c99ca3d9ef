import type { Redact } from './upstream-words.ts';

/** What bounds every attempt at a real upstream, and what is told of it. */
export interface UpstreamLimits {
  /** How long one attempt may take, ms. */
  readonly timeoutMs: number;
  /** How long connecting may take, ms; part of `timeoutMs`. */
  readonly connectTimeoutMs: number;
  /** The largest answer that is read, bytes. */
  readonly maxAnswerBytes: number;
  /** Masks what an upstream says before it is told to the operator; without it nothing is told. */
  readonly redact?: Redact | undefined;
  /** Told of each request that was sent again because its connection had gone stale. */
  readonly onResent?: (() => void) | undefined;
}
