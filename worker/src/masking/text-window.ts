import { ALNUM, CODE, DASH, DOT, isIn, LONGEST_RUN, lowerCase, stopsLeft, UNDERSCORE } from './characters.ts';
import { equalBlocksUntil } from './equal-blocks.ts';
import type { JudgeHost } from './host-judge.ts';
import type { Memory } from './memory.ts';
import { NO_TABLE, type TablePlace } from './table-place.ts';

/** What a character costs that a verifier takes out. */
const TAKING = 1;

/** How far a verifier may look to the left of its anchor for context; a stream keeps as much of what it has emitted. */
export const LEFT_CONTEXT = 320;
/** How far a finding may begin to the left of its anchor; a stream withholds as much of an unbroken run. */
export const LEFT_REACH = 256;
/** Runs up to this long are simply read again; longer ones are remembered. */
const SHORT_RUN = 16;
const REMEMBERED_RUNS = 6;
/** Behind so many characters whole blocks are compared. */
const COMPARED_SINGLY = 64;

interface LongRun {
  /** Its alphabet, or the table of what ends it. */
  readonly bits: number | Uint8Array;
  readonly start: number;
  end: number;
}

const EMPTY = new Uint16Array(0);
/** How far behind the name of a secret a sentence may speak of it. */
export const REACH_OF_NAME = 200;
/** Far before any text; a small integer, as positions are. */
const NOWHERE = -(2 ** 29);
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
 * would depend on characters that have not arrived yet: the machine then calls the verifier again later. An answer given without
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
  table: TablePlace = NO_TABLE;
  /** Where the last word was met that names a secret: far behind it no sentence speaks of one. */
  lastNamed = NOWHERE;
  nextTable: TablePlace | undefined;
  /** The furthest index that anything has depended on so far. */
  reach = 0;

  /** The work done, in looks at one character; the machine takes off what the text has paid for. See work-budget.ts. */
  steps = 0;

  /** What verifiers remember about this text, each by the memory it declares. */
  private readonly memories = new Map<Memory<unknown>, unknown>();
  private longRuns: LongRun[] = [];

  /** What a host says by itself, under the operator's lists of hosts. */
  readonly judgeHost: JudgeHost;
  private readonly scratch: Scratch;

  constructor(scratch: Scratch, judgeHost: JudgeHost) {
    this.scratch = scratch;
    this.judgeHost = judgeHost;
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
    this.reach -= count;
    this.lastNamed = Math.max(NOWHERE, this.lastNamed - count);
    this.longRuns = [];
    for (const [memory, state] of this.memories) memory.forget(state, count);
  }

  /** What a verifier remembers about this text; begun when it is first needed. */
  remembered<State>(memory: Memory<State>): State {
    const known = this.memories.get(memory);
    if (known !== undefined) return known as State;
    const state = memory.begin();
    this.memories.set(memory, state);
    return state;
  }

  /** The code unit at `index`, or -1 after the end. */
  at(index: number): number {
    this.steps++;
    if (index > this.reach) this.reach = index;
    if (index < this.length) return this.codes[index] ?? -1;
    if (!this.final) this.starved = true;
    return -1;
  }

  /** Counts the characters from `from` to `last`, which were read without `at`. */
  looked(from: number, last: number): void {
    this.steps += last - from + 1;
    if (last > this.reach) this.reach = last;
  }

  /** The code unit at an index that is known to lie in the text. */
  code(index: number): number {
    return this.codes[index] ?? -1;
  }

  /** The code unit at `index` looking left: -1 before the text and inside what is already masked. */
  before(index: number): number {
    return index < this.floor ? -1 : (this.codes[index] ?? -1);
  }

  /** Whether what was masked last ends inside a word, as a configured value may: another may begin there. */
  hasCutWord(): boolean {
    return isIn(this.code(this.floor - 1), ALNUM) && isIn(this.code(this.floor), ALNUM);
  }

  /** The end of the run of characters in `bits` that begins at `from`, at most `limit` long. */
  run(from: number, bits: number, limit: number = LONGEST_RUN): number {
    const stop = Math.min(this.length, from + limit);
    const near = Math.min(stop, from + SHORT_RUN);
    let index = from;
    while (index < near && isIn(this.codes[index] ?? -1, bits)) index++;
    this.steps += index - from + 1;
    if (index === near && near < stop) index = this.longRun(from, index, bits, stop);
    if (index > this.reach) this.reach = index;
    if (index === this.length && index < from + limit && !this.final) this.starved = true;
    return index;
  }

  /** The end of what begins at `from` and holds nothing that `stops` marks, at most `limit` long. Outside ASCII nothing stops. */
  runUntil(from: number, stops: Uint8Array, limit: number): number {
    const stop = Math.min(this.length, from + limit);
    let index = from;
    const near = Math.min(stop, from + SHORT_RUN);
    while (index < near && stops[this.codes[index] ?? 0] !== 1) index++;
    this.steps += index - from + 1;
    if (index === near && near < stop) {
      const known = this.longRuns.find((run) => run.bits === stops && run.start <= from && index <= run.end);
      const unknown = known === undefined ? index : Math.min(known.end, stop);
      for (index = unknown; index < stop && stops[this.codes[index] ?? 0] !== 1; index++);
      this.steps += index - unknown;
      this.rememberRun(known, { bits: stops, start: from, end: index });
    }
    if (index > this.reach) this.reach = index;
    if (index === this.length && index < from + limit && !this.final) this.starved = true;
    return index;
  }

  /** Goes on with a long run; what is known of it is remembered, so that many anchors inside one run stay linear. */
  private longRun(from: number, reached: number, bits: number, stop: number): number {
    const known = this.longRuns.find((run) => run.bits === bits && run.start <= from && reached <= run.end);
    let index = known === undefined ? reached : Math.min(known.end, stop);
    const unknown = index;
    while (index < stop && isIn(this.codes[index] ?? -1, bits)) index++;
    this.steps += index - unknown;
    this.rememberRun(known, { bits, start: from, end: index });
    return index;
  }

  private rememberRun(known: LongRun | undefined, run: LongRun): void {
    if (known !== undefined) known.end = Math.max(known.end, run.end);
    else {
      if (this.longRuns.length >= REMEMBERED_RUNS) this.longRuns.shift();
      this.longRuns.push(run);
    }
  }

  /** The start of the run of characters in `bits` that ends before `end`, at most `limit` long. */
  runBefore(end: number, bits: number, limit: number = LEFT_REACH): number {
    const stop = Math.max(this.floor, end - limit);
    let index = end;
    while (index > stop && isIn(this.codes[index - 1] ?? -1, bits)) index--;
    this.steps += ((end - index) >> 1) + 1;
    return index;
  }

  /**
   * The start of the unbroken run that holds the character before `end`, at most LEFT_REACH away. `${` that opens it is no
   * part of it: the code of a template would be withheld a token longer for two characters that are nothing of a secret.
   */
  unbrokenBefore(end: number): number {
    const stop = Math.max(this.floor, end - LEFT_REACH);
    let index = end;
    while (index > stop && !stopsLeft(this.codes[index - 1] ?? -1)) index--;
    this.steps += ((end - index) >> 1) + 1;
    // Also where the reach ends between the two: for a later `end` it must never begin earlier.
    if (this.opensTemplate(index, end)) return index + 2;
    return index > this.floor && this.opensTemplate(index - 1, end) ? index + 1 : index;
  }

  /** Whether `${` stands at `index`, whole before `end`. */
  opensTemplate(index: number, end: number): boolean {
    return index + 2 <= end && this.codes[index] === CODE.dollar && this.codes[index + 1] === CODE.openBrace;
  }

  /** Steps back from `end` over characters that are in `characters`, not beyond `from`. */
  trim(from: number, end: number, characters: string): number {
    let index = end;
    // Most values end in a letter or a digit.
    while (
      index > from &&
      !isIn(this.codes[index - 1] ?? -1, ALNUM) &&
      characters.includes(this.text.charAt(index - 1))
    )
      index--;
    this.steps += TAKING * (end - index) + 1;
    return index;
  }

  /** True when `expected` (lower case) stands at `index`, in any ASCII case. */
  matches(index: number, expected: string): boolean {
    for (let offset = 0; offset < expected.length; offset++) {
      const code = this.at(index + offset);
      if (lowerCase(code) !== expected.charCodeAt(offset)) return false;
    }
    return true;
  }

  /**
   * True when one of our markers stands at `end`, or after a joining dot, hyphen or underscore. What it replaced was a
   * continuation of the word before it, so that word is no address or host of its own: masking stays a fixed point.
   */
  touchesMarker(end: number): boolean {
    let index = end;
    while (index < end + 4 && isIn(this.at(index), DOT | DASH | UNDERSCORE)) index++;
    if (this.at(index) !== CODE.star || this.at(index + 1) !== CODE.star || this.at(index + 2) !== CODE.star)
      return false;
    const letter = this.at(index + 3);
    return letter === CODE.A || letter === CODE.I || letter === CODE.D;
  }

  /** Up to where, from `from` on and at most to `stop`, each character is the same as the one `distance` before it. */
  equalUntil(from: number, distance: number, stop: number): number {
    const { codes } = this;
    const near = Math.min(stop, from + COMPARED_SINGLY);
    let index = from;
    while (index < near && codes[index] === codes[index - distance]) index++;
    if (index === near && near < stop) index = equalBlocksUntil(codes, index, distance, stop);
    while (index < stop && codes[index] === codes[index - distance]) index++;
    return index;
  }

  /** The text from `from`, `length` characters of it; waits for all of them. */
  peek(from: number, length: number): string {
    if (from + length > this.length && !this.final) this.starved = true;
    return this.slice(from, from + length);
  }

  /** The text from `from` to `to`, taken out to be judged. */
  slice(from: number, to: number): string {
    if (to > from) this.steps += TAKING * (to - from);
    if (to > this.reach) this.reach = to;
    return this.text.slice(from, to);
  }

  /** True when `character` stands between `from` and `to`; the search is many times as fast as looking one by one. */
  holds(from: number, to: number, character: string): boolean {
    this.steps += (to - from) >> 4;
    if (to > this.reach) this.reach = to;
    return this.text.slice(from, to).includes(character);
  }

  /** Text left of `end`, at most `limit` characters and not beyond what is masked. Only for context, never for spans. */
  left(end: number, limit: number = LEFT_CONTEXT): string {
    return this.slice(Math.max(this.floor, end - limit), end);
  }
}
