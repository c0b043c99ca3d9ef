import { ALNUM, CODE, classesIn, DIGIT, LOWER } from './characters.ts';
import type { PairKind } from './lexicon/connection-keys.ts';
import type { Memory } from './memory.ts';
import { isPlaceholder, isTemplate } from './placeholder.ts';
import type { TextWindow } from './text-window.ts';
import { JUDGING_PLAINLY, verdict } from './verdicts.ts';

/** A key with its value, as it is read from one place on: that depends on the text behind the place alone. */
export interface Pair {
  /** In lower case, without blanks. */
  readonly key: string;
  readonly kind: PairKind | undefined;
  readonly from: number;
  /** The end of the value. */
  readonly to: number;
  /** Where the string of pairs ends if this is its last: `to`, or behind the semicolon. */
  readonly end: number;
  /** Whether blanks separate it from what follows. */
  readonly spaced: boolean;
  /** Where the next pair begins, -1 for the last. */
  readonly next: number;
  /** Of the next pair, once it was read; null if there is none. */
  following: Pair | null | undefined;
  /** Whether the value is given rather than to be filled in, once it was judged. */
  literal: boolean | undefined;
}

/** Reads a pair at `index`; a value that begins with `opener` is not quoted, for `opener` quotes the whole string. */
export type ReadPair = (window: TextWindow, index: number, opener: number) => Pair | null;

/** Pairs that are remembered: more than are read for one anchor. */
const MOST_KNOWN = 512;

/**
 * Pairs by the place they were read at. A string of pairs may hold a key every few characters, and each is the first of
 * the pairs behind it: they are read once, and each key only walks over what was read.
 */
export class PairChains {
  private readonly known = new Map<number, Pair | null>();

  forget(): void {
    this.known.clear();
  }

  first(window: TextWindow, index: number, opener: number, read: ReadPair): Pair | null {
    const quote = opener === CODE.doubleQuote ? 1 : opener === CODE.singleQuote ? 2 : 0;
    const place = 3 * index + quote;
    const known = this.known.get(place);
    if (known !== undefined) return known;
    const pair = read(window, index, opener);
    if (window.starved) return pair;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(place, pair);
    return pair;
  }

  following(window: TextWindow, pair: Pair, opener: number, read: ReadPair): Pair | null {
    window.steps++;
    if (pair.following !== undefined) return pair.following;
    const following = pair.next < 0 ? null : this.first(window, pair.next, opener, read);
    if (!window.starved) pair.following = following;
    return following;
  }
}

export const rememberedPairs = (): Memory<PairChains> => ({
  begin: () => new PairChains(),
  forget: (chains) => chains.forget(),
});

/** So many equals signs before a key, and no more, belong to what it is given to: `DSN=`, `?a=1&dsn=`. */
const MOST_AROUND = 2;
/** How far they are looked for. */
const REACH = 256;

/**
 * Whether the key at `start` stands inside a value that goes on naming keys: `uid=uid=uid=…` is no connection string from
 * its third name on, whatever follows. So no value is read for each of the keys in it.
 *
 * @param stops what ends a value
 */
export function isNamedAgain(window: TextWindow, start: number, stops: Uint8Array): boolean {
  let named = 0;
  for (let index = start - 1; index >= start - REACH; index--) {
    const code = window.before(index);
    if (code < 0 || stops[code] === 1) break;
    if (code === CODE.equals && ++named > MOST_AROUND) {
      window.steps += start - index;
      return true;
    }
    window.steps++;
  }
  return false;
}

/** Whether the value of `pair` is given rather than to be filled in. */
export function isGiven(window: TextWindow, pair: Pair): boolean {
  pair.literal ??= verdict(window, 'literal', window.slice(pair.from, pair.to), isLiteral, JUDGING_PLAINLY);
  return pair.literal;
}

/** `xxx`. */
const SHORTEST_MASKED = 3;

function isLiteral(value: string): boolean {
  const classes = classesIn(value);
  // Letters and digits alone: no template, and most placeholders have a mark.
  if ((classes & ~ALNUM) === 0 && (classes & (LOWER | DIGIT)) !== 0)
    return value.length < SHORTEST_MASKED || !/xxx/i.test(value) || !isPlaceholder(value);
  if (/^\{[A-Za-z_][\w.-]*\}$/.test(value)) return false;
  const bare = value.replace(/^["'{]|["'}]$/g, '');
  return (
    bare !== '' &&
    !isTemplate(bare) &&
    !/^[A-Z_]+$/.test(bare) &&
    !(isPlaceholder(bare) && /\*|\.\.\.|…|xxx/i.test(bare))
  );
}
