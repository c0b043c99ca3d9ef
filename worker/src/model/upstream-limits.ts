/** What bounds every attempt at a real upstream. */
export interface UpstreamLimits {
  /** How long one attempt may take, ms. */
  readonly timeoutMs: number;
  /** How long connecting may take, ms; part of `timeoutMs`. */
  readonly connectTimeoutMs: number;
  /** The largest answer that is read, bytes. */
  readonly maxAnswerBytes: number;
}
