import { BareRun } from './bare-run.ts';
import { DIGIT, isIn, LINE_END, LONGEST_RUN, LOWER, stopsLeft, UPPER } from './characters.ts';
import type { TablePlace } from './table-columns.ts';

/** How far a verifier may look to the left of its anchor for context; a stream keeps as much of what it has emitted. */
export const LEFT_CONTEXT = 320;
/** How far a finding may begin to the left of its anchor; a stream withholds as much of an unbroken run. */
const LEFT_REACH = 256;
/** Runs up to this long are simply read again; longer ones are remembered. */
const SHORT_RUN = 16;
const REMEMBERED_RUNS = 6;
const STAR = 42;
/** Dot, hyphen, underscore. */
const JOINERS = new Set([46, 45, 95]);

const EMPTY = new Uint16Array(0);
const LARGEST_KEPT = 2 ** 20;

/** Room for the code units of one text at a time. Masking is synchronous, so all machines of a masker share it. */
export class Scratch {
  private bytes = Buffer.alloc(0);
  private units = EMPTY;

  /** The code units of `text`, valid until the next copy. */
  copy(text: string): Uint16Array {
    const size = text.length * 2;
    if (this.bytes.length < size) {
      const bytes = Buffer.from(new ArrayBuffer(Math.max(2 ** 16, 2 ** Math.ceil(Math.log2(size + 1)))));
      const units = new Uint16Array(bytes.buffer);
      bytes.write(text, 'utf16le');
      if (size > LARGEST_KEPT) return units;
      this.bytes = bytes;
      this.units = units;
      return units;
    }
    this.bytes.write(text, 'utf16le');
    return this.units;
  }
}

/**
 * The text a verifier may look at. All reading to the right goes through `at` and `run`, which notice when an answer
 * would depend on characters that have not arrived yet: the machine then asks again later. An answer given without
 * that is the answer for every continuation, which is why a stream equals the whole text under every chunking.
 */
export class TextWindow {
  text = '';
  /** The code units of the text, and whatever lies behind it: a flat array reads faster than any string. */
  codes: Uint16Array = EMPTY;
  length = 0;
  final = true;
  /** Set when a verifier wanted characters that have not arrived. */
  starved = false;
  /** The end of the last masked span: verifiers see nothing before it. */
  floor = 0;
  /** The table the scan is in, and what a verifier wants to follow it: taken over only when no verifier was starved. */
  table: TablePlace = { columns: [], column: -1 };
  nextTable: TablePlace | undefined;

  /** Anchors of a kind before these positions were found to lead nowhere. */
  pairsRejectedUntil = 0;
  hostRejectedUntil = 0;
  readonly bareRun = new BareRun();
  private longRuns: { bits: number; start: number; end: number }[] = [];
  /** Between these positions nothing looks drawn and no line ends. */
  private calmFrom = 0;
  private calmUntil = 0;

  private readonly scratch: Scratch;

  constructor(scratch: Scratch) {
    this.scratch = scratch;
  }

  show(text: string, final: boolean): void {
    this.text = text;
    this.codes = this.scratch.copy(text);
    this.length = text.length;
    this.final = final;
  }

  /** Moves every remembered position when the first `count` characters are dropped. */
  forget(count: number): void {
    this.floor = Math.max(0, this.floor - count);
    this.pairsRejectedUntil -= count;
    this.hostRejectedUntil -= count;
    this.longRuns = [];
    this.bareRun.forget();
    this.calmFrom = 0;
    this.calmUntil = 0;
  }

  /** The code unit at `index`, or -1 after the end. */
  at(index: number): number {
    if (index < this.length) return this.codes[index] ?? -1;
    if (!this.final) this.starved = true;
    return -1;
  }

  /** The code unit at an index that is known to lie in the text. */
  code(index: number): number {
    return this.codes[index] ?? -1;
  }

  /** The code unit at `index` looking left: -1 before the text and inside what is already masked. */
  before(index: number): number {
    return index < this.floor ? -1 : (this.codes[index] ?? -1);
  }

  /** The end of the run of characters in `bits` that begins at `from`, at most `limit` long. */
  run(from: number, bits: number, limit: number = LONGEST_RUN): number {
    const stop = Math.min(this.length, from + limit);
    const near = Math.min(stop, from + SHORT_RUN);
    let index = from;
    while (index < near && isIn(this.codes[index] ?? -1, bits)) index++;
    if (index === near && near < stop) index = this.longRun(from, index, bits, stop);
    if (index === this.length && index < from + limit && !this.final) this.starved = true;
    return index;
  }

  /** Goes on with a long run; what is known of it is remembered, so that many anchors inside one run stay linear. */
  private longRun(from: number, reached: number, bits: number, stop: number): number {
    const known = this.longRuns.find((run) => run.bits === bits && run.start <= from && reached <= run.end);
    let index = known === undefined ? reached : Math.min(known.end, stop);
    while (index < stop && isIn(this.codes[index] ?? -1, bits)) index++;
    if (known !== undefined) known.end = Math.max(known.end, index);
    else {
      if (this.longRuns.length >= REMEMBERED_RUNS) this.longRuns.shift();
      this.longRuns.push({ bits, start: from, end: index });
    }
    return index;
  }

  /**
   * False when no word of at least `shortest` characters of `bits` on the rest of the line, as far as `stop`, holds a
   * digit or a capital after a lower-case letter: nothing there was drawn at random. Calm text is remembered.
   */
  holdsDrawn(from: number, stop: number, bits: number, shortest: number): boolean {
    const known = from >= this.calmFrom && from < this.calmUntil;
    if (!known) this.calmFrom = from;
    let index = known ? this.calmUntil : from;
    // A word that began in the calm part has at least these characters.
    let wordStart = known ? this.runBefore(index, bits, LONGEST_RUN) : from;
    let calm = true;
    let drawn = false;
    for (; index < stop + LONGEST_RUN; index++) {
      const code = this.at(index);
      if (isIn(code, DIGIT) || (isIn(code, UPPER) && index > wordStart && isIn(this.code(index - 1), LOWER))) {
        drawn = true;
        if (calm) this.calmUntil = index;
        calm = false;
      }
      if (isIn(code, bits)) continue;
      if (drawn && index - wordStart >= shortest) return true;
      if (code < 0 || index >= stop || isIn(code, LINE_END)) {
        if (calm) this.calmUntil = index;
        return false;
      }
      wordStart = index + 1;
      drawn = false;
    }
    return true;
  }

  /** The start of the run of characters in `bits` that ends before `end`, at most `limit` long. */
  runBefore(end: number, bits: number, limit: number = LEFT_REACH): number {
    const stop = Math.max(this.floor, end - limit);
    let index = end;
    while (index > stop && isIn(this.codes[index - 1] ?? -1, bits)) index--;
    return index;
  }

  /** The start of the unbroken run that holds the character before `end`, at most LEFT_REACH away. */
  unbrokenBefore(end: number): number {
    const stop = Math.max(this.floor, end - LEFT_REACH);
    let index = end;
    while (index > stop && !stopsLeft(this.codes[index - 1] ?? -1)) index--;
    return index;
  }

  /** Steps back from `end` over characters that are in `characters`, not beyond `from`. */
  trim(from: number, end: number, characters: string): number {
    let index = end;
    while (index > from && characters.includes(this.text.charAt(index - 1))) index--;
    return index;
  }

  /** True when `expected` (lower case) stands at `index`, in any ASCII case. */
  matches(index: number, expected: string): boolean {
    for (let offset = 0; offset < expected.length; offset++) {
      const code = this.at(index + offset);
      const folded = code >= 65 && code <= 90 ? code | 32 : code;
      if (folded !== expected.charCodeAt(offset)) return false;
    }
    return true;
  }

  /**
   * True when one of our markers stands at `end`, or after a joining dot, hyphen or underscore. What it replaced was a
   * continuation of the word before it, so that word is no address or host of its own: masking stays a fixed point.
   */
  touchesMarker(end: number): boolean {
    let index = end;
    while (index < end + 4 && JOINERS.has(this.at(index))) index++;
    if (this.at(index) !== STAR || this.at(index + 1) !== STAR || this.at(index + 2) !== STAR) return false;
    const letter = this.at(index + 3);
    return letter === 65 || letter === 73 || letter === 68;
  }

  /** The text from `from`, `length` characters of it; waits for all of them. */
  peek(from: number, length: number): string {
    if (from + length > this.length && !this.final) this.starved = true;
    return this.text.slice(from, from + length);
  }

  /** Text left of `end`, at most `limit` characters and not beyond what is masked. Only for context, never for spans. */
  left(end: number, limit: number = LEFT_CONTEXT): string {
    return this.text.slice(Math.max(this.floor, end - limit), end);
  }
}
