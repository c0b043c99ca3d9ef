import { areSameAhead } from './findings-ahead.ts';
import type { Found } from './policy.ts';
import { NO_TABLE, type TablePlace } from './table-place.ts';
import { LEFT_CONTEXT, type TextWindow } from './text-window.ts';

/** As far as anything looks to the left of the anchor it is called for, and a little more. */
const LEFT = LEFT_CONTEXT + 64;
/** A longer unit is not looked for. */
const LONGEST_UNIT = 1_024;
/** So far on it is looked again: what a comparison costs is spread over them. */
const LOOK_AGAIN = 256;
/** Places of one anchor that are remembered, a power of two; a unit may hold the anchor as often. */
const MOST_PLACES = 8;
/** Characters to both sides of an anchor that are compared before anything else. */
const SAMPLE = 24;
/** So many characters that are compared cost a step. */
const COMPARED_PER_STEP = 8;

/** What repeats itself from here on. */
export interface Repeated {
  /** The length of what is repeated, in characters. */
  readonly unit: number;
  /** How often it is repeated behind the place it was found at. */
  readonly times: number;
  /** How many spans were masked in the last unit, and are to be masked in each that follows. */
  readonly spans: number;
}

/** What the machine asks about repetitions. */
export type Repeats = Pick<Repetition, 'met' | 'clear' | 'forget'>;

/**
 * Recognises text that repeats itself. A model that is caught in a loop, or an author of hostile texts, gives the same few
 * characters thousands of times. What verifiers answer depends on what they read alone; so where the same text stands
 * around the same anchors, with the same before it masked, the same found behind it and the same cell of the same table
 * around it, the same is found as a unit before. It is compared, not asked.
 */
export class Repetition {
  private anchor = -1;
  /**
   * Of the places where the anchor was met: its end, the end of what was masked before, how many spans there were, and the table.
   * They grow with the places: most texts are short, and each has its own.
   */
  private readonly ends: number[] = [];
  private readonly floors: number[] = [];
  private readonly spans: number[] = [];
  private readonly tables: TablePlace[] = [];
  /** And what had been found further on, as it lay to the place. */
  private readonly aheads: (readonly Found[])[] = [];
  private known = 0;
  private newest = MOST_PLACES - 1;
  private lookedAt = 0;

  /** The first `count` characters of the text were dropped. */
  forget(count: number): void {
    for (let place = 0; place < this.ends.length; place++) {
      this.ends[place] = (this.ends[place] ?? 0) - count;
      this.floors[place] = (this.floors[place] ?? 0) - count;
    }
    this.lookedAt -= count;
  }

  /** What was masked before is no longer what it was. */
  clear(): void {
    this.known = 0;
  }

  /**
   * Called where the scan has met `anchor` before `end` and has masked `spans` spans so far: what repeats itself behind
   * `end`, at most up to `stop`. `ahead` has been found further on, and is given as it lies to `end`.
   */
  met(
    window: TextWindow,
    anchor: number,
    end: number,
    stop: number,
    spans: number,
    ahead: readonly Found[],
  ): Repeated | undefined {
    if (anchor !== this.anchor) {
      // Another anchor, unless the one that was followed is met no more.
      if (this.known > 0 && end - (this.ends[this.newest] ?? 0) <= LONGEST_UNIT) return undefined;
      this.anchor = anchor;
      this.known = 0;
    }
    const repeated = end - this.lookedAt < LOOK_AGAIN ? undefined : this.look(window, end, stop, spans, ahead);
    if (repeated !== undefined) {
      this.known = 0;
      return repeated;
    }
    this.newest = (this.newest + 1) % MOST_PLACES;
    this.ends[this.newest] = end;
    this.floors[this.newest] = window.floor;
    this.spans[this.newest] = spans;
    this.tables[this.newest] = window.table;
    this.aheads[this.newest] = ahead;
    if (this.known < MOST_PLACES) this.known++;
    return undefined;
  }

  private look(
    window: TextWindow,
    end: number,
    stop: number,
    spans: number,
    found: readonly Found[],
  ): Repeated | undefined {
    const { codes } = window;
    for (let back = 0; back < this.known; back++) {
      const place = (this.newest - back) & (MOST_PLACES - 1);
      const unit = end - (this.ends[place] ?? 0);
      if (unit > LONGEST_UNIT || end - LEFT - unit < 0) break;
      // Most places differ at one of these.
      if (codes[end] !== codes[end - unit] || codes[end - SAMPLE] !== codes[end - SAMPLE - unit]) continue;
      if (!isSamePlace(window.table, this.tables[place] ?? NO_TABLE)) continue;
      if (!areSameAhead(found, this.aheads[place] ?? [])) continue;
      if (window.equalUntil(end - SAMPLE, unit, end + SAMPLE) < end + SAMPLE) continue;
      this.lookedAt = end;
      const isFar = window.floor <= end - LEFT - unit;
      if (!isFar && window.floor - unit !== this.floors[place]) continue;
      // What the calls before `end` have read lies at most so far ahead of it; those a unit later read a unit further.
      const furthest = Math.max(window.reach + 1, window.floor, end) - end;
      const ahead = found.reduce((most, finding) => Math.max(most, finding.end), furthest);
      const same = window.equalUntil(end - LEFT, unit, stop);
      window.steps += Math.ceil((same - end + LEFT) / COMPARED_PER_STEP);
      const times = Math.floor((same - ahead - end) / unit);
      if (times > 0) return { unit, times, spans: spans - (this.spans[place] ?? 0) };
    }
    return undefined;
  }
}

/** Whether two places lie in the same column under the same heading, which is read once for all tables below it, or in none that matters. */
function isSamePlace(one: TablePlace, other: TablePlace): boolean {
  if (one === other || (one.columns === other.columns && one.column === other.column)) return true;
  return one.columns.length === 0 && other.columns.length === 0;
}
