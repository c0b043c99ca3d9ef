import type { IncomingHttpHeaders } from 'node:http';

/** What the shell knows of a request when a handler gets it. */
export interface RequestContext {
  /** Request id. */
  readonly id: string;
  readonly method: string;
  /** By this process's monotonic clock (`performance.now()`), ms. */
  readonly receivedAt: number;
  readonly query: URLSearchParams;
  /** JSON object of a POST. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The form that limits are counted by. */
  readonly address: string;
  readonly addressBits: string;
  /** Aborts when the caller leaves before the answer. */
  readonly gone: AbortSignal;
  /** `response_time`, once it has been measured: the answer and the statistics tell the same number. */
  responseMs?: number;
}

/** Whole ms from receipt to now; measured once, so that the answer and the statistics agree. */
export function elapsedMs(context: RequestContext): number {
  context.responseMs ??= Math.round(performance.now() - context.receivedAt);
  return context.responseMs;
}
