import { AnchorBeginnings } from './anchor-beginnings.ts';
import { characterClasses } from './anchor-classes.ts';
import { isDigit, lowerCase } from './characters.ts';
import { ANY_DIGIT, type Anchor } from './finding.ts';

/** One text and every anchor it is the text of. */
interface Literal {
  /** Where the text begins in `letters`. */
  readonly from: number;
  readonly length: number;
  /** A bit for each class that may stand fourth, fifth, sixth and seventh from the end. */
  readonly fourths: number;
  readonly fifths: number;
  readonly sixths: number;
  readonly sevenths: number;
  readonly anchors: readonly Anchor[];
}

const DIGIT_CODE = ANY_DIGIT.charCodeAt(0);
const CLASS_BITS = 5;
const CLASSES = 1 << CLASS_BITS;
/** The classes of the last three characters. */
const LAST_THREE = (1 << (3 * CLASS_BITS)) - 1;

const NONE: readonly Literal[] = [];

/** Characters that are sifted at once. */
export const MOST_SIFTED = 1_024;
/** Where `sift` has found that anchors may end, and for each the list that they are in: until it is called again. */
export const ENDS = new Int32Array(MOST_SIFTED + 1);
export const LISTS = new Int32Array(MOST_SIFTED + 1);
/** So many characters before the last one are looked at. */
const LOOKED_BACK = 6;

/** What stands around: in a table with a column of secrets, or near the name of one, more anchors mean something. */
export type Place = 'anywhere' | 'near' | 'table';

/**
 * Finds where anchors end, without a state: every character is judged by itself and the three before it, folded into 32
 * classes. A sieve of one bit for each such four lets one character in twenty through, from a table that stays in the
 * processor's cache; what passes is compared with the anchors of its bucket. (An automaton needs the last state before it
 * can read the next character, and a table ten times as large.)
 */
export class AnchorIndex {
  /** For the classes of three characters, a bit for each class of a fourth that may complete an anchor. */
  private readonly sieve = new Int32Array(LAST_THREE + 1);
  /** The same with the anchors that mean something near the name of a secret, and with those of tables as well; made when first needed. */
  private readonly nearSieve: Int32Array;
  private tableSieve: Int32Array | undefined;
  /** For the classes of the last three characters, which of `literals` may end there. */
  private readonly buckets = new Uint16Array(LAST_THREE + 1);
  /** Literals with the same last three classes, longest first. */
  private readonly literals: Literal[][] = [[]];
  /** The same by the class that stands fourth from the end, 32 lists for each of `literals`. */
  private readonly byFourth: (readonly Literal[])[];
  /** For each list of `byFourth` four numbers: a bit for each class that may stand fifth, sixth and seventh from the end. */
  private readonly befores: Int32Array;
  /** The letters of all literals, one after the other, in lower case. */
  private readonly letters: Uint16Array;
  private readonly anchors: readonly Anchor[];
  private beginnings: AnchorBeginnings | undefined;

  /** Compiles anchors. Where several end at one character the longest is tried first, then the one given first. */
  constructor(anchors: readonly Anchor[]) {
    this.anchors = anchors;
    const byText = new Map<string, Anchor[]>();
    let size = 0;
    for (const anchor of anchors) {
      const same = byText.get(anchor.text);
      if (same !== undefined) same.push(anchor);
      else {
        byText.set(anchor.text, [anchor]);
        size += anchor.text.length;
      }
    }
    this.letters = new Uint16Array(size);
    let from = 0;
    for (const [text, same] of [...byText].sort(([a], [b]) => b.length - a.length)) {
      const { length } = text;
      const bitOf = (back: number) => (length >= back ? 1 << (CLASS_OF[text.charCodeAt(length - back)] ?? 0) : -1);
      const [fourths, fifths, sixths, sevenths] = [bitOf(4), bitOf(5), bitOf(6), bitOf(7)];
      this.file(text, { from, length, fourths, fifths, sixths, sevenths, anchors: same });
      if (same.some((anchor) => !isConditional(anchor))) this.letThrough(text, this.sieve);
      from += text.length;
    }
    this.nearSieve = this.sieveWith(({ nearName }) => nearName === true);
    const size32 = this.literals.length << CLASS_BITS;
    this.byFourth = Array.from({ length: size32 }, () => NONE);
    this.befores = new Int32Array(size32 * 4);
    for (const [bucket, literals] of this.literals.entries()) this.splitByFourth(bucket << CLASS_BITS, literals);
  }

  /** Files the literals of a bucket by the class that stands fourth from the end, in 32 lists from `first` on. */
  private splitByFourth(first: number, literals: readonly Literal[]): void {
    const anywhere = literals.filter(({ fourths }) => fourths === -1);
    if (anywhere.length > 0) for (let list = first; list < first + CLASSES; list++) this.setList(list, anywhere);
    if (anywhere.length === literals.length) return;
    for (const { fourths } of literals) {
      const list = first + (fourths === -1 ? 0 : CLASSES - 1 - Math.clz32(fourths));
      if (fourths === -1 || (this.byFourth[list] !== NONE && this.byFourth[list] !== anywhere)) continue;
      this.setList(
        list,
        literals.filter((one) => ((one.fourths >>> (list - first)) & 1) !== 0),
      );
    }
  }

  private setList(list: number, literals: readonly Literal[]): void {
    let [fifths, sixths, sevenths] = [0, 0, 0];
    for (const literal of literals) {
      fifths |= literal.fifths;
      sixths |= literal.sixths;
      sevenths |= literal.sevenths;
    }
    this.byFourth[list] = literals;
    this.befores.set([fifths, sixths, sevenths], list * 4);
  }

  private sieveWith(isMeant: (anchor: Anchor) => boolean): Int32Array {
    const sieve = this.sieve.slice();
    for (const anchor of this.anchors) if (isMeant(anchor)) this.letThrough(anchor.text, sieve);
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
    return (((sieve[this.gramBefore(codes, end - 1)] ?? 0) >>> (CLASS_OF[codes[end - 1] ?? 0] ?? 0)) & 1) !== 0;
  }

  private file(text: string, literal: Literal): void {
    const { from, length } = literal;
    for (let index = 0; index < length; index++) this.letters[from + index] = text.charCodeAt(index);
    // A short anchor may stand after anything.
    const known = Math.min(3, length);
    const step = 1 << (CLASS_BITS * known);
    for (let gram = this.gramOf(text, length - known, length); gram <= LAST_THREE; gram += step)
      this.addTo(gram, literal);
  }

  private addTo(gram: number, literal: Literal): void {
    const bucket = this.buckets[gram] ?? 0;
    if (bucket === 0) {
      this.buckets[gram] = this.literals.length;
      this.literals.push([literal]);
    } else this.literals[bucket]?.push(literal);
  }

  /** Lets through the end of `text`, whatever stands before it when it is short. */
  private letThrough(text: string, sieve: Int32Array): void {
    const last = text.length - 1;
    const known = Math.min(3, last);
    const step = 1 << (CLASS_BITS * known);
    const bit = 1 << (CLASS_OF[text.charCodeAt(last)] ?? 0);
    for (let gram = this.gramOf(text, last - known, last); gram <= LAST_THREE; gram += step)
      sieve[gram] = (sieve[gram] ?? 0) | bit;
  }

  private gramOf(text: string, from: number, end: number): number {
    let gram = 0;
    for (let index = from; index < end; index++) gram = (gram << CLASS_BITS) | (CLASS_OF[text.charCodeAt(index)] ?? 0);
    return gram;
  }

  /**
   * Finds the places from `from` to `stop`, at most MOST_SIFTED characters, before which an anchor may end: ENDS and
   * LISTS hold them. Returns how many there are. The hot loops: every place is written and counted where it passes, as a
   * branch that is hard to foresee would cost more than all the rest.
   */
  sift(codes: Uint16Array, from: number, stop: number, sieve: Int32Array): number {
    const ends = ENDS;
    let gram = this.gramBefore(codes, from);
    let count = 0;
    for (let position = from; position < stop; position++) {
      const symbol = CLASS_OF[codes[position] ?? 0] ?? 0;
      ends[count] = position;
      count += ((sieve[gram] ?? 0) >>> symbol) & 1;
      gram = ((gram << CLASS_BITS) | symbol) & LAST_THREE;
    }
    return from < LOOKED_BACK ? this.siftFirst(codes, count) : this.siftAgain(codes, 0, 0, count);
  }

  /** As `siftAgain`, where some of the places have nothing before them. */
  private siftFirst(codes: Uint16Array, passed: number): number {
    let count = 0;
    for (; count < passed && (ENDS[count] ?? 0) < LOOKED_BACK; count++) {
      const end = (ENDS[count] ?? 0) + 1;
      ENDS[count] = end;
      LISTS[count] = ((this.buckets[this.gramBefore(codes, end)] ?? 0) << CLASS_BITS) | this.classBefore(codes, end, 4);
    }
    return this.siftAgain(codes, count, count, passed);
  }

  /** Keeps of the places from `first` to `passed` those that characters further back allow, `kept` being kept already. */
  private siftAgain(codes: Uint16Array, kept: number, first: number, passed: number): number {
    const { buckets, befores } = this;
    const ends = ENDS;
    const lists = LISTS;
    let count = kept;
    for (let place = first; place < passed; place++) {
      const last = ends[place] ?? 0;
      const third = CLASS_OF[codes[last - 2] ?? 0] ?? 0;
      const second = CLASS_OF[codes[last - 1] ?? 0] ?? 0;
      const gram = (((third << CLASS_BITS) | second) << CLASS_BITS) | (CLASS_OF[codes[last] ?? 0] ?? 0);
      const list = ((buckets[gram] ?? 0) << CLASS_BITS) | (CLASS_OF[codes[last - 3] ?? 0] ?? 0);
      const before = list << 2;
      ends[count] = last + 1;
      lists[count] = list;
      count +=
        ((befores[before] ?? 0) >>> (CLASS_OF[codes[last - 4] ?? 0] ?? 0)) &
        ((befores[before + 1] ?? 0) >>> (CLASS_OF[codes[last - 5] ?? 0] ?? 0)) &
        ((befores[before + 2] ?? 0) >>> (CLASS_OF[codes[last - 6] ?? 0] ?? 0)) &
        1;
    }
    return count;
  }

  /** The classes of the three characters before `end`. */
  private gramBefore(codes: Uint16Array, end: number): number {
    const last = end > 0 ? (CLASS_OF[codes[end - 1] ?? 0] ?? 0) : 0;
    const middle = end > 1 ? (CLASS_OF[codes[end - 2] ?? 0] ?? 0) : 0;
    const first = end > 2 ? (CLASS_OF[codes[end - 3] ?? 0] ?? 0) : 0;
    return (((first << CLASS_BITS) | middle) << CLASS_BITS) | last;
  }

  /** The literals of a list that `sift` gave, longest first. */
  candidates(list: number): readonly Literal[] {
    return this.byFourth[list] ?? NONE;
  }

  /** The class of the character so many before `end`, which most candidates are refused by. */
  classBefore(codes: Uint16Array, end: number, back: number): number {
    return end >= back ? (CLASS_OF[codes[end - back] ?? 0] ?? 0) : 0;
  }

  /** True when the literal stands before `end`, in any ASCII case. */
  endsWith({ from, length }: Literal, codes: Uint16Array, end: number): boolean {
    if (end < length) return false;
    const { letters } = this;
    // Forwards: the last three letters are those of the whole bucket.
    for (let letter = from, at = end - length; at < end; letter++, at++) {
      const code = codes[at] ?? 0;
      const wanted = letters[letter];
      if (lowerCase(code) !== wanted && !(wanted === DIGIT_CODE && isDigit(code))) return false;
    }
    return true;
  }

  /** How many characters before `end` may be the beginning of an anchor: a stream holds them back. */
  beginningBefore(codes: Uint16Array, end: number): number {
    this.beginnings ??= new AnchorBeginnings(this.anchors);
    return this.beginnings.lengthBefore(codes, end);
  }
}

/** The class of a code unit. */
const CLASS_OF = characterClasses();

/** Whether it means something only inside a table or near the name of a secret. */
function isConditional({ insideTable = false, nearName = false }: Anchor): boolean {
  return insideTable || nearName;
}
