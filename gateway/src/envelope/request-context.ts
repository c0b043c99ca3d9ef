import type { IncomingHttpHeaders } from 'node:http';
import type { Leaving } from './leaving.ts';

/** The API key as it was presented: genuine in form, with its id, or not a key at all. */
export interface PresentedKey {
  readonly text: string;
  /** Absent where form or checksum are wrong. */
  readonly id?: string;
}

/** What a request says of its caller's API key, in all places that may name it; see `identify`. */
export type GivenKey =
  | { readonly kind: 'absent' | 'blank' | 'not_text' }
  | { readonly kind: 'repeated'; readonly times: number }
  | { readonly kind: 'presented'; readonly key: PresentedKey };

/** In which of the two public forms a path answers: the envelope, or as OpenAI does (everything under `/v1`). */
export type Protocol = 'envelope' | 'openai';

/** What the shell knows of a request when a handler gets it. */
export interface RequestContext {
  /** Request id. */
  readonly id: string;
  readonly method: string;
  readonly protocol: Protocol;
  /** Whether pages of other origins may read the answer: it is the API's. */
  readonly isOpenToPages?: boolean;
  /** By this process's monotonic clock (`performance.now()`), ms. */
  readonly receivedAt: number;
  /** Empty from when the fields of a request for generation were read: a prompt may be long, and the request waits. */
  query: URLSearchParams;
  /** JSON object of a POST, from when it was read until its fields were. */
  body: Readonly<Record<string, unknown>> | undefined;
  /** What was read of its body into memory, and thrown away since, bytes. */
  bodyBytes?: number;
  readonly headers: IncomingHttpHeaders;
  /** The caller's API key, by the head alone until the body has been read. */
  key: GivenKey;
  /** The form that limits are counted by. */
  readonly address: string;
  readonly addressBits: string;
  /** Whether the caller has left before the answer. */
  readonly gone: Leaving;
  /** What of its query and body is ignored, for the header `X-Ignored-Parameters`. */
  ignoredParameters?: string | undefined;
  /** `response_time`, once it has been measured: the answer and the statistics hold the same number. */
  responseMs?: number;
}

/** Whole ms from receipt to now; measured once, so that the answer and the statistics agree. */
export function elapsedMs(context: RequestContext): number {
  context.responseMs ??= Math.round(performance.now() - context.receivedAt);
  return context.responseMs;
}
