import type { UpstreamSaid } from './upstream-said.ts';

/**
 * An upstream's response that is no answer, with all it holds: it may quote the prompt or a key, and never leaves this
 * folder. `toModelError` makes of it what may.
 */
export class UpstreamRefusal extends Error {
  /** 200 where a failure is dressed as an answer, or stands in a stream. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly said: UpstreamSaid;
  readonly isInStream: boolean;

  constructor(status: number, headers: Readonly<Record<string, string>>, said: UpstreamSaid, isInStream = false) {
    super('The upstream refused.');
    this.name = 'UpstreamRefusal';
    this.status = status;
    this.headers = headers;
    this.said = said;
    this.isInStream = isInStream;
  }
}
