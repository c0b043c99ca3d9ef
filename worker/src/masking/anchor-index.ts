import { AnchorBeginnings } from './anchor-beginnings.ts';
import { BITS_OF_CLASS, characterClasses } from './anchor-classes.ts';
import { AnchorLiterals, FIRST_OF_LIST, gramOf } from './anchor-literals.ts';
import type { Anchor } from './finding.ts';

// Constants of this module: what another module exports, V8 reads from memory each time, which makes the loops half as fast.
const CLASS_BITS = BITS_OF_CLASS;
const CLASS_OF = characterClasses();
const FIRST_ENTRY = FIRST_OF_LIST;
/** The classes of the last three characters. */
const LAST_THREE = (1 << (3 * BITS_OF_CLASS)) - 1;
/** Characters that are sifted at once. */
const SIFTED = 1_024;
/** The places before which `sift` has found that an anchor ends, until it is called again. */
const ENDS = new Int32Array(SIFTED + 1);
/** For each place the first anchor that ends there. */
const FOUND = new Int32Array(SIFTED + 1);
/** For each place the classes of the six characters before it. */
const GRAMS = new Int32Array(SIFTED + 1);
/** So many characters before the last one are looked at. */
const LOOKED_BACK = 6;

export const MOST_SIFTED = SIFTED;

/** What stands around: in a table with a column of secrets, or near the name of one, more anchors mean something. */
export type Place = 'anywhere' | 'near' | 'table';

/**
 * Finds where anchors end, without a state: every character is judged by itself and the three before it, folded into 32
 * classes. A sieve of one bit for each such four lets one character in eleven through, from a table that stays in the
 * processor's cache; what passes is compared with the anchors of its list. (An automaton needs the last state before it
 * can read the next character, and a table ten times as large.)
 */
export class AnchorIndex {
  /** For the classes of three characters, a bit for each class of a fourth that may complete an anchor. */
  private readonly sieve = new Int32Array(LAST_THREE + 1);
  /** The same with the anchors that mean something near the name of a secret, and with those of tables as well; made when first needed. */
  private readonly nearSieve: Int32Array;
  private tableSieve: Int32Array | undefined;
  private readonly literals: AnchorLiterals;
  private readonly anchors: readonly Anchor[];
  private beginnings: AnchorBeginnings | undefined;
  /** Where what is masked ended when a text was sifted last. */
  private floor = 0;

  /** Compiles anchors. Where several end at one character the longest is tried first, then the one given first. */
  constructor(anchors: readonly Anchor[]) {
    this.anchors = anchors;
    this.literals = new AnchorLiterals(anchors);
    for (const anchor of anchors) if (!isConditional(anchor)) letThrough(anchor.text, this.sieve);
    this.nearSieve = this.sieveWith(({ nearName }) => nearName === true);
  }

  private sieveWith(isMeant: (anchor: Anchor) => boolean): Int32Array {
    const sieve = this.sieve.slice();
    for (const anchor of this.anchors) if (isMeant(anchor)) letThrough(anchor.text, sieve);
    return sieve;
  }

  /** Which anchors mean something in such a place. */
  sieveFor(place: Place): Int32Array {
    if (place === 'table') return (this.tableSieve ??= this.sieveWith(isConditional));
    return place === 'near' ? this.nearSieve : this.sieve;
  }

  /**
   * What text is sifted by where `sieve` is meant. Outside tables it is the one for near a name, whatever is near: names of
   * secrets are common, and at each the text behind it would have to be sifted again.
   */
  widerThan(sieve: Int32Array): Int32Array {
    return sieve === this.sieve ? this.nearSieve : sieve;
  }

  /** Whether what ends at `end`, which a wider sieve has let through, passes this one, too. */
  passes(codes: Uint16Array, end: number, sieve: Int32Array): boolean {
    return (((sieve[gramBefore(codes, end - 1)] ?? 0) >>> (CLASS_OF[codes[end - 1] ?? 0] ?? 0)) & 1) !== 0;
  }

  /**
   * Finds the places from `from` to `stop`, at most MOST_SIFTED characters, before which an anchor ends: until it is called
   * again, `endOf` and `foundAt` tell of them. Returns how many there are. The hot loops: every place is written and counted where it passes, as a branch that is
   * hard to foresee would cost more than all the rest.
   *
   * @param floor where what is masked ends: a word may begin there
   */
  sift(codes: Uint16Array, from: number, stop: number, sieve: Int32Array, floor = 0): number {
    this.floor = floor;
    const ends = ENDS;
    let gram = gramBefore(codes, from);
    let count = 0;
    for (let position = from; position < stop; position++) {
      const symbol = CLASS_OF[codes[position] ?? 0] ?? 0;
      ends[count] = position;
      count += ((sieve[gram] ?? 0) >>> symbol) & 1;
      gram = ((gram << CLASS_BITS) | symbol) & LAST_THREE;
    }
    return this.match(codes, from < LOOKED_BACK ? this.siftFirst(codes, count) : this.siftAgain(codes, 0, 0, count));
  }

  /** As `siftAgain`, where some of the places have nothing before them. */
  private siftFirst(codes: Uint16Array, passed: number): number {
    const { groups, lists } = this.literals;
    let count = 0;
    for (; count < passed && (ENDS[count] ?? 0) < LOOKED_BACK; count++) {
      const end = (ENDS[count] ?? 0) + 1;
      const fourth = end > 3 ? (CLASS_OF[codes[end - 4] ?? 0] ?? 0) : 0;
      const list = ((groups[gramBefore(codes, end)] ?? 0) << CLASS_BITS) | fourth;
      let gram = 0;
      for (let index = 0; index < end; index++) gram = (gram << CLASS_BITS) | (CLASS_OF[codes[index] ?? 0] ?? 0);
      ENDS[count] = end;
      FOUND[count] = lists[(list << 2) + FIRST_ENTRY] ?? 0;
      GRAMS[count] = gram;
    }
    return this.siftAgain(codes, count, count, passed);
  }

  /** Keeps of the places from `first` to `passed` those that characters further back allow, `kept` being kept already. */
  private siftAgain(codes: Uint16Array, kept: number, first: number, passed: number): number {
    const { groups, lists } = this.literals;
    const ends = ENDS;
    const found = FOUND;
    const grams = GRAMS;
    let count = kept;
    for (let place = first; place < passed; place++) {
      const last = ends[place] ?? 0;
      const sixth = CLASS_OF[codes[last - 5] ?? 0] ?? 0;
      const fifth = CLASS_OF[codes[last - 4] ?? 0] ?? 0;
      const fourth = CLASS_OF[codes[last - 3] ?? 0] ?? 0;
      const third = CLASS_OF[codes[last - 2] ?? 0] ?? 0;
      const second = CLASS_OF[codes[last - 1] ?? 0] ?? 0;
      const gram = (((third << CLASS_BITS) | second) << CLASS_BITS) | (CLASS_OF[codes[last] ?? 0] ?? 0);
      const list = (((groups[gram] ?? 0) << CLASS_BITS) | fourth) << 2;
      ends[count] = last + 1;
      found[count] = lists[list + FIRST_ENTRY] ?? 0;
      grams[count] = (((((sixth << CLASS_BITS) | fifth) << CLASS_BITS) | fourth) << (3 * CLASS_BITS)) | gram;
      count +=
        ((lists[list] ?? 0) >>> fifth) &
        ((lists[list + 1] ?? 0) >>> sixth) &
        ((lists[list + 2] ?? 0) >>> (CLASS_OF[codes[last - 6] ?? 0] ?? 0)) &
        1;
    }
    return count;
  }

  /** Keeps the places that an anchor stands before. */
  private match(codes: Uint16Array, passed: number): number {
    const { literals } = this;
    let count = 0;
    for (let place = 0; place < passed; place++) {
      const end = ENDS[place] ?? 0;
      const gram = GRAMS[place] ?? 0;
      const entry = literals.match(codes, end, gram, FOUND[place] ?? 0, this.floor);
      if (entry < 0) continue;
      ENDS[count] = end;
      FOUND[count] = entry;
      GRAMS[count] = gram;
      count++;
    }
    return count;
  }

  endOf(place: number): number {
    return ENDS[place] ?? 0;
  }

  /** The longest text of an anchor that ends at a place. */
  foundAt(place: number): number {
    return FOUND[place] ?? -1;
  }

  /** What else ends at a place behind `found`: the next shorter text, or -1. */
  next(codes: Uint16Array, place: number, found: number): number {
    const { literals } = this;
    return literals.match(codes, ENDS[place] ?? 0, GRAMS[place] ?? 0, literals.after(found), this.floor);
  }

  /** The anchors whose text was found. */
  anchorsOf(found: number): readonly Required<Anchor>[] {
    return this.literals.anchorsOf(found);
  }

  /** A number that stands for the text that was found. */
  literalOf(found: number): number {
    return this.literals.literalOf(found);
  }

  lengthOf(found: number): number {
    return this.literals.lengthOf(found);
  }

  /** How many characters before `end` may be the beginning of an anchor: a stream holds them back. */
  beginningBefore(codes: Uint16Array, end: number): number {
    this.beginnings ??= new AnchorBeginnings(this.anchors);
    return this.beginnings.lengthBefore(codes, end);
  }
}

/** Lets through the end of `text`, whatever stands before it when it is short. */
function letThrough(text: string, sieve: Int32Array): void {
  const last = text.length - 1;
  const known = Math.min(3, last);
  const step = 1 << (CLASS_BITS * known);
  const bit = 1 << (CLASS_OF[text.charCodeAt(last)] ?? 0);
  for (let gram = gramOf(text, last - known, last); gram <= LAST_THREE; gram += step)
    sieve[gram] = (sieve[gram] ?? 0) | bit;
}

/** The classes of the three characters before `end`. */
function gramBefore(codes: Uint16Array, end: number): number {
  const last = end > 0 ? (CLASS_OF[codes[end - 1] ?? 0] ?? 0) : 0;
  const middle = end > 1 ? (CLASS_OF[codes[end - 2] ?? 0] ?? 0) : 0;
  const first = end > 2 ? (CLASS_OF[codes[end - 3] ?? 0] ?? 0) : 0;
  return (((first << CLASS_BITS) | middle) << CLASS_BITS) | last;
}

/** Whether it means something only inside a table or near the name of a secret. */
function isConditional({ insideTable = false, nearName = false }: Anchor): boolean {
  return insideTable || nearName;
}
