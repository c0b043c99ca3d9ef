/**
 * The budget of work of masking. A step is about one look at one character. Every character that the scan passes pays for
 * STEPS_PER_CHARACTER steps; what verifiers use beyond that is a debt, paid by the characters that follow, and masking is
 * refused where the debt exceeds MOST_DEBT. So the work between any two places of a text is bounded by their distance,
 * whatever the text holds, and a slice of a stream takes no longer than a text of its own.
 *
 * Fitted on documentation and sources, which use 1 to 17 steps a character and never owe more than 20,000, and on the
 * bench's 93 hostile families, which use 41 at most. A step takes 1 to 5 ns. (A worker thread with a clock would bound the
 * time itself, but handing a text over costs half as much again as masking it: 0.17 ms instead of 0.09 for 8 KB.)
 */
export const STEPS_PER_CHARACTER = 400;
/** As much as one verifier may use that reads the longest block there is several times. */
export const MOST_DEBT = 1_000_000;
/** What asking a verifier costs before it has looked at anything. */
export const STEPS_PER_QUESTION = 16;

/** What the characters of a text have paid so far. */
export class Payment {
  /** How many steps. */
  paid = 0;
  /** Those before this index have paid. */
  private until = 0;

  /** Takes what the text up to `end` pays off `debt`, in steps, and returns what is left of it. */
  pay(debt: number, end: number): number {
    const pays = Math.min(debt, STEPS_PER_CHARACTER * (end - this.until));
    this.until = end;
    this.paid += pays;
    return debt - pays;
  }

  /** The first `count` characters of the text were dropped. */
  forget(count: number): void {
    this.until -= count;
  }
}

/** Masking would take too much work for the text's length: there is no masked text, and the caller has to refuse. */
export class MaskingBudgetExceeded extends Error {
  override readonly name = 'MaskingBudgetExceeded';

  constructor() {
    // Nothing of the text may be in it.
    super('masking this text would take too much work');
  }
}
