import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import type { Answer } from '../envelope/answer.ts';
import type { CallPart } from './answer-stream.ts';
import type { Cursor } from './cursor.ts';

/**
 * How one protocol writes an answer as events. What it gives back goes to the caller as it is; empty where the protocol
 * has no such thing. A text has at most `MOST_AT_ONCE` units, and the cursor stands behind it.
 */
export interface StreamRendering {
  /** What is sent of the answer, where the caller names nothing else. */
  readonly from: Cursor;
  reasoning(text: string, cursor: Cursor): string;
  text(text: string, cursor: Cursor): string;
  /** What the model says in place of a text. */
  refusal(text: string, cursor: Cursor): string;
  call(part: CallPart, cursor: Cursor): string;
  /**
   * All that comes after the last piece of an answer that is whole.
   *
   * @param answer as it would have been given in one piece, without its texts
   */
  done(answer: Answer, settlement: Answered, cursor: Cursor): string;
  /** The end of an answer that broke off, with the error as it would have been answered. */
  failure(answer: Answer): string;
  /** What a caller can do who wants the rest, where this gateway stops before the answer is whole. */
  howToResume(cursor: Cursor): string;
}
