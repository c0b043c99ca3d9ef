import type { Answer } from './answer.ts';

/**
 * The caller's end of an answer that is sent as it grows. Its head goes out with the first event, or after a while without
 * any: until then the answer may still be another one.
 */
export interface EventSink {
  /** Whether the head is out: what goes wrong now is an event. */
  readonly isBegun: boolean;
  /** Whether more may be written now; what is written all the same takes memory until the caller reads it. */
  readonly hasRoom: boolean;
  /** Whether the caller has left. */
  readonly isOver: boolean;
  /** Writes events, in the form of an event stream. */
  write(events: string): void;
  /** Calls back each time that there is room again. */
  onRoom(listener: () => void): void;
  /** Resolves when there is room, or the caller has left. */
  room(): Promise<void>;
}

/** What a handler gives back instead of an answer that is sent in one piece. */
export interface StreamedAnswer {
  /** Of the head, beside those of every event stream. */
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the answer, and gives what is left to be said. Never rejects because the caller has left. */
  run(sink: EventSink): Promise<StreamEnd>;
}

export type StreamEnd =
  /** Nothing was written: the caller gets this. */
  | { readonly kind: 'unbegun'; readonly answer: Answer }
  | {
      readonly kind: 'begun';
      /** The last events: the end of the answer, or the error that ends it. */
      readonly last: string;
      /** What the answer counts as: as it would have been in one piece. */
      readonly answer: Answer;
    };

export function isStreamed(answer: Answer | StreamedAnswer): answer is StreamedAnswer {
  return 'run' in answer;
}
