import { oneATurn } from '@lontar/shared/one-a-turn.ts';

/** UTF-16 units of an answer that are written at once. */
const MOST_AT_ONCE = 16_384;

/**
 * Writes a long answer to one of its readers in a turn of the event loop. Many may ask for one at once: together they would keep all
 * other callers waiting. One line for all readers, because there is one event loop.
 */
export const inTurn = oneATurn();

/** @param units of the answer that the reader has not got: a short rest is written at once */
export function inTurnIfLong<Result>(units: number, write: () => Result): Result | Promise<Result> {
  return units > MOST_AT_ONCE ? inTurn(write) : write();
}
