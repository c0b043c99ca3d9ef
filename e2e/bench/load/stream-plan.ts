import type { StreamWish } from '../wish.ts';

/** What a reader of streams is to do. */
export interface StreamPlan {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly wish: StreamWish;
  /** Streams that are open at once. */
  readonly streams: number;
  /** Over which they are opened, ms. */
  readonly rampMs: number;
  /** Times that all of them are read, one after the other. */
  readonly turns: number;
  /** Where the mock upstream says when it sent each token. */
  readonly upstreamPort: number;
}

/** How one stream went. */
export interface StreamSeen {
  /** From the request to the first text, ms. */
  readonly firstMs: number;
  /**
   * From the first token that the upstream sent to the one with which masking can show it, ms. Of no meaning for text that
   * is not masked.
   */
  readonly withheldMs: number;
  /** From the request to the end, ms. */
  readonly wholeMs: number;
  /** Why it was not whole, in order and ended as it should; absent where it was. */
  readonly broken?: string;
}

/** Of `received`, ms. */
export const RECEIVED_STEP_MS = 100;

export type StreamMessage =
  | { readonly kind: 'opened' }
  | {
      readonly kind: 'finished';
      readonly seen: readonly StreamSeen[];
      /** From the sending of a token by the upstream to its reading here, ms, sorted. */
      readonly gaps: Float64Array;
      /** The same from the sending of the token with which masking can show it: until then it has to withhold it. */
      readonly besideGaps: Float64Array;
      /** Characters of all streams together that were read in each tenth of a second since `startedAt`, Unix ms. */
      readonly received: Float64Array;
      readonly startedAt: number;
      readonly seconds: number;
    };
