import { classesOf, DIGIT, LINE_END, LONGEST_RUN, LOWER, UPPER } from './characters.ts';
import type { Memory } from './memory.ts';
import type { TextWindow } from './text-window.ts';

/** The part of a text that was last seen to hold nothing drawn, so that many names inside it stay linear. */
class CalmText {
  /** Between these positions nothing looks drawn and no line ends. */
  private from = 0;
  private until = 0;
  /** Where the word begins that goes on at `until`. */
  private word = 0;
  /** A drawn word that was met last: where it begins, how far it was read, and of which characters. */
  private drawnFrom = -1;
  private drawnUntil = 0;
  private drawnBits = 0;
  /** From here to it no line ends. */
  private drawnSince = 0;

  forget(): void {
    this.drawnFrom = -1;
    this.from = 0;
    this.until = 0;
  }

  /**
   * False when no word of at least `shortest` characters of `bits` on the rest of the line, as far as `stop`, holds a
   * digit or a capital after a lower-case letter: nothing there was drawn at random. Calm text is remembered.
   */
  holdsDrawn(window: TextWindow, from: number, stop: number, bits: number, shortest: number): boolean {
    if (from <= this.drawnFrom && this.isKnownDrawn(from, stop, bits, shortest)) return true;
    const known = from >= this.from && from < this.until;
    if (!known) this.from = from;
    let index = known ? this.until : from;
    // A word that began in the calm part, perhaps before `from`, is taken for longer than it is rather than for shorter.
    let wordStart = known ? this.word : from;
    let calm = true;
    let drawn = false;
    // This reads behind every name: each character is looked up once, and what is read is counted where it ends.
    const { length } = window;
    const first = index;
    let before = classesOf(window.code(index - 1));
    for (; index < stop + LONGEST_RUN; index++) {
      const code = index < length ? window.code(index) : window.at(index);
      const classes = classesOf(code);
      const inWord = (classes & bits) !== 0;
      if ((classes & DIGIT) !== 0 || ((classes & UPPER) !== 0 && index > wordStart && (before & LOWER) !== 0)) {
        drawn = true;
        if (calm) this.remember(index, wordStart);
        calm = false;
      }
      before = classes;
      // Not only at the end of the word: one of thousands of characters would be read for every name inside it.
      if (drawn && index - wordStart + (inWord ? 1 : 0) >= shortest) {
        this.rememberDrawn(from, wordStart, index + (inWord ? 1 : 0), bits);
        window.looked(first, index);
        return true;
      }
      if (inWord) continue;
      if (code < 0 || index >= stop || (classes & LINE_END) !== 0) {
        if (calm) this.remember(index, wordStart);
        window.looked(first, index);
        return false;
      }
      wordStart = index + 1;
      drawn = false;
    }
    if (calm) this.remember(index, wordStart);
    window.looked(first, index - 1);
    return true;
  }

  /** Several names stand before the same word. */
  private isKnownDrawn(from: number, stop: number, bits: number, shortest: number): boolean {
    const { drawnFrom, drawnUntil, drawnSince } = this;
    return from >= drawnSince && drawnUntil <= stop && bits === this.drawnBits && drawnUntil - drawnFrom >= shortest;
  }

  private rememberDrawn(since: number, from: number, until: number, bits: number): void {
    this.drawnSince = since;
    this.drawnFrom = from;
    this.drawnUntil = until;
    this.drawnBits = bits;
  }

  private remember(until: number, word: number): void {
    this.until = until;
    this.word = word;
  }
}

const CALM_TEXT: Memory<CalmText> = { begin: () => new CalmText(), forget: (calm) => calm.forget() };

/**
 * False when no word of at least `shortest` characters of `bits` on the rest of the line, as far as `stop`, holds a
 * digit or a capital after a lower-case letter: nothing there was drawn at random.
 */
export function holdsDrawn(window: TextWindow, from: number, stop: number, bits: number, shortest: number): boolean {
  return window.remembered(CALM_TEXT).holdsDrawn(window, from, stop, bits, shortest);
}
