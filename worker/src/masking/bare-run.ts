import { ALNUM, ASCII, CODE, isIn, LONGEST_RUN, WORD } from './characters.ts';
import type { Memory } from './memory.ts';
import type { TextWindow } from './text-window.ts';

const [PASS, STOP, OPEN, CLOSE] = [0, 1, 2, 3] as const;
/** Values up to this long are simply read; of longer ones it is remembered where they end. */
const SHORT_VALUE = 64;
/** A run longer than this is begun anew, so that it takes bounded memory. */
const LONGEST_REMEMBERED = 16 * LONGEST_RUN;

/** What each ASCII character does to a bare value; control characters, blanks and the rest end it. */
const KINDS = new Uint8Array(ASCII).fill(STOP, 0, CODE.space + 1).fill(STOP, CODE.delete);
for (const character of ',;<>|"\'`\\') KINDS[character.charCodeAt(0)] = STOP;
for (const character of '([{') KINDS[character.charCodeAt(0)] = OPEN;
for (const character of ')]}') KINDS[character.charCodeAt(0)] = CLOSE;

/**
 * Where a value without quotes ends that begins at `start`: before what ends it, or before a closing bracket that it has
 * not opened itself; after LONGEST_RUN characters at the latest.
 */
export function endOfBare(window: TextWindow, start: number, inQuery: boolean): number {
  const near = readAlone(window, start, start + SHORT_VALUE, inQuery);
  if (near < start + SHORT_VALUE) return near;
  const end = window.remembered(BARE_RUN).endFrom(window, start, inQuery);
  // A pipe that joins a number counts for this value alone, and nothing is remembered that waits for more text.
  if (window.starved || end < near) return readAlone(window, start, start + LONGEST_RUN, inQuery);
  return end;
}

function readAlone(window: TextWindow, start: number, stop: number, inQuery: boolean): number {
  let depth = 0;
  let index = start;
  for (; index < stop; index++) {
    const kind = kindAt(window, index, inQuery);
    if (kind === PASS) continue;
    if (kind === OPEN) depth++;
    else if (kind === CLOSE && depth > 0) depth--;
    else if (!joinsNumber(window, start, index)) break;
  }
  return index;
}

function kindAt(window: TextWindow, index: number, inQuery: boolean): number {
  const code = window.at(index);
  if (code !== CODE.ampersand) return code < 0 ? STOP : (KINDS[code] ?? STOP);
  const ends =
    inQuery || beginsParameter(window, index) || window.matches(index, '&quot;') || window.matches(index, '&amp;');
  return ends ? STOP : PASS;
}

/** `&name=` after a value: the next parameter of a form or a query. */
function beginsParameter(window: TextWindow, at: number): boolean {
  const end = window.run(at + 1, WORD, 32);
  return end > at + 1 && window.at(end) === CODE.equals;
}

/** The pipe between the number and the secret of a Facebook app token. */
export function joinsNumber(window: TextWindow, start: number, at: number): boolean {
  return (
    window.at(at) === CODE.pipe &&
    isIn(window.at(at + 1), ALNUM) &&
    at - start > 14 &&
    at - start < 18 &&
    /^\d+$/.test(window.slice(start, at))
  );
}

/**
 * A run of characters that was read once for all values that begin inside it. A text may name a secret every few
 * characters, each with a value as long as the run: reading each anew would take hundreds of looks at every character.
 */
class BareRun {
  private start = 0;
  private end = 0;
  private inQuery = false;
  private stopped = true;
  /** Positions of brackets that are open at `end`. */
  private open: number[] = [];
  /** For each position from `start` on: the bracket it stands in, or -1. */
  private around: number[] = [];
  private closedBy = new Map<number, number>();

  forget(): void {
    this.begin(0, false);
    this.stopped = true;
  }

  /** As `endOfBare`, pipes aside; what it gives while the window is starved is of no use. */
  endFrom(window: TextWindow, start: number, inQuery: boolean): number {
    const isKnown = inQuery === this.inQuery && start >= this.start && start < this.end + (this.stopped ? 0 : 1);
    if (!isKnown || this.end - this.start > LONGEST_REMEMBERED) this.begin(start, inQuery);
    const limit = start + LONGEST_RUN;
    const bracket = start < this.end ? (this.around[start - this.start] ?? -1) : (this.open.at(-1) ?? -1);
    const closed = this.closedBy.get(bracket);
    if (closed !== undefined) return Math.min(closed, limit);
    while (!this.stopped && this.end < limit) {
      if (this.readOne(window) === bracket && bracket >= 0) return this.end - 1;
      if (window.starved) break;
    }
    return Math.min(this.end, limit);
  }

  private begin(start: number, inQuery: boolean): void {
    this.start = start;
    this.end = start;
    this.inQuery = inQuery;
    this.stopped = false;
    this.open = [];
    this.around = [];
    this.closedBy.clear();
  }

  /** Takes one character more; gives the bracket that it closed, or -1. */
  private readOne(window: TextWindow): number {
    const kind = kindAt(window, this.end, this.inQuery);
    if (window.starved) return -1;
    if (kind === STOP || (kind === CLOSE && this.open.length === 0)) {
      this.stopped = true;
      return -1;
    }
    this.around.push(this.open.at(-1) ?? -1);
    let closed = -1;
    if (kind === OPEN) this.open.push(this.end);
    else if (kind === CLOSE) {
      closed = this.open.pop() ?? -1;
      this.closedBy.set(closed, this.end);
    }
    this.end++;
    return closed;
  }
}

const BARE_RUN: Memory<BareRun> = { begin: () => new BareRun(), forget: (run) => run.forget() };
