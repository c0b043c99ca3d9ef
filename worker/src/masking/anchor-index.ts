import { CODE, isDigit, lowerCase } from './characters.ts';
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

/** Characters of one class; all others are of class 0. Common letters have a class each, rare ones share one. */
const CLASS_MEMBERS = [
  ...Array.from('abcdefghiklmnoprstu'),
  'vw',
  'y',
  'jqxz',
  `0123456789${ANY_DIGIT}`,
  ' ',
  '\n',
  '.',
  ':',
  '/',
  '-_',
  '=',
  '|?@',
];
/** From `À` to the last Cyrillic letter, and from the first radical of Chinese on; punctuation and boxes lie between. */
const FIRST_FOREIGN_LETTER = 0xc0;
const AFTER_LATIN_AND_CYRILLIC = 0x530;
const FIRST_EASTERN_LETTER = 0x2e80;
const FOREIGN_CLASSES = ['vw', 'y', 'jqxz', ':', '/', '=', '|?@'].map((members) => CLASS_MEMBERS.indexOf(members) + 1);
const DIGIT_CODE = ANY_DIGIT.charCodeAt(0);
const CLASS_BITS = 5;
const CLASSES = 1 << CLASS_BITS;
/** The classes of the last three characters. */
const LAST_THREE = (1 << (3 * CLASS_BITS)) - 1;

const NONE: readonly Literal[] = [];

/** What stands around: in a table with a column of secrets, or near the name of one, more anchors mean something. */
export type Place = 'anywhere' | 'near' | 'table';

/**
 * Finds where anchors end, without a state: every character is judged by itself and the three before it, folded into 32
 * classes. A sieve of one bit for each such four lets one character in twenty through, from a table that stays in the
 * processor's cache; what passes is compared with the anchors of its bucket. (An automaton needs the last state before it
 * can read the next character, and a table ten times as large.)
 */
export class AnchorIndex {
  /** The class of a code unit. */
  private readonly classes = characterClasses();
  /** For the classes of three characters, a bit for each class of a fourth that may complete an anchor. */
  private readonly sieve = new Int32Array(LAST_THREE + 1);
  /** The same with the anchors that mean something near the name of a secret, and with those of tables as well; made when first needed. */
  private nearSieve: Int32Array | undefined;
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
  /** The list of `byFourth` at which `next` has stopped. */
  private stopped = 0;

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
      const bitOf = (back: number) => (length >= back ? 1 << (this.classes[text.charCodeAt(length - back)] ?? 0) : -1);
      const [fourths, fifths, sixths, sevenths] = [bitOf(4), bitOf(5), bitOf(6), bitOf(7)];
      this.file(text, { from, length, fourths, fifths, sixths, sevenths, anchors: same });
      if (same.some((anchor) => !isConditional(anchor))) this.sift(text, this.sieve);
      from += text.length;
    }
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
    for (const anchor of this.anchors) if (isMeant(anchor)) this.sift(anchor.text, sieve);
    return sieve;
  }

  /** Which anchors `next` stops at in such a place. */
  sieveFor(place: Place): Int32Array {
    if (place === 'table') return (this.tableSieve ??= this.sieveWith(isConditional));
    return place === 'near' ? (this.nearSieve ??= this.sieveWith(({ nearName }) => nearName === true)) : this.sieve;
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
  private sift(text: string, sieve: Int32Array): void {
    const last = text.length - 1;
    const known = Math.min(3, last);
    const step = 1 << (CLASS_BITS * known);
    const bit = 1 << (this.classes[text.charCodeAt(last)] ?? 0);
    for (let gram = this.gramOf(text, last - known, last); gram <= LAST_THREE; gram += step)
      sieve[gram] = (sieve[gram] ?? 0) | bit;
  }

  private gramOf(text: string, from: number, end: number): number {
    let gram = 0;
    for (let index = from; index < end; index++)
      gram = (gram << CLASS_BITS) | (this.classes[text.charCodeAt(index)] ?? 0);
    return gram;
  }

  /**
   * The first position after `from`, at most `stop`, before which an anchor may end; beyond `stop` when there is none.
   * The hot loop.
   */
  next(codes: Uint16Array, from: number, stop: number, sieve: Int32Array): number {
    const { classes, buckets, befores } = this;
    let gram = this.gramBefore(codes, from);
    for (let position = from; position < stop; position++) {
      const symbol = classes[codes[position] ?? 0] ?? 0;
      const passes = ((sieve[gram] ?? 0) >>> symbol) & 1;
      gram = ((gram << CLASS_BITS) | symbol) & LAST_THREE;
      // Written out here: a call would make the loop twice as slow.
      if (passes === 0) continue;
      const fourth = position < 3 ? 0 : (classes[codes[position - 3] ?? 0] ?? 0);
      const list = ((buckets[gram] ?? 0) << CLASS_BITS) | fourth;
      const before = list << 2;
      if (
        position < 6 ||
        ((((befores[before] ?? 0) >>> (classes[codes[position - 4] ?? 0] ?? 0)) & 1) !== 0 &&
          (((befores[before + 1] ?? 0) >>> (classes[codes[position - 5] ?? 0] ?? 0)) & 1) !== 0 &&
          (((befores[before + 2] ?? 0) >>> (classes[codes[position - 6] ?? 0] ?? 0)) & 1) !== 0)
      ) {
        this.stopped = list;
        return position + 1;
      }
    }
    return stop + 1;
  }

  /** The classes of the three characters before `end`. */
  private gramBefore(codes: Uint16Array, end: number): number {
    const { classes } = this;
    const last = end > 0 ? (classes[codes[end - 1] ?? 0] ?? 0) : 0;
    const middle = end > 1 ? (classes[codes[end - 2] ?? 0] ?? 0) : 0;
    const first = end > 2 ? (classes[codes[end - 3] ?? 0] ?? 0) : 0;
    return (((first << CLASS_BITS) | middle) << CLASS_BITS) | last;
  }

  /** The literals that may end where `next` has stopped, longest first. */
  candidates(): readonly Literal[] {
    return this.byFourth[this.stopped] ?? NONE;
  }

  /** The class of the character so many before `end`, which most candidates are refused by. */
  classBefore(codes: Uint16Array, end: number, back: number): number {
    return end >= back ? (this.classes[codes[end - back] ?? 0] ?? 0) : 0;
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

/** Whether it means something only inside a table or near the name of a secret. */
function isConditional({ insideTable = false, nearName = false }: Anchor): boolean {
  return insideTable || nearName;
}

function characterClasses(): Uint8Array {
  const classes = new Uint8Array(65_536);
  // Letters that ASCII has not are spread over classes of rare characters: in class 0 they would look like any bracket.
  for (let code = FIRST_FOREIGN_LETTER; code < classes.length; code++) {
    if (code >= AFTER_LATIN_AND_CYRILLIC && code < FIRST_EASTERN_LETTER) continue;
    classes[code] = FOREIGN_CLASSES[code % FOREIGN_CLASSES.length] ?? 0;
  }
  for (const [index, members] of CLASS_MEMBERS.entries())
    for (const member of members) classes[member.charCodeAt(0)] = index + 1;
  for (let upper: number = CODE.A; upper <= CODE.Z; upper++) classes[upper] = classes[lowerCase(upper)] ?? 0;
  return classes;
}

/** The beginnings of all anchors, by a hash of their letters from the last to the first. Two that collide only hold back a little more. */
class AnchorBeginnings {
  private readonly hashes = new Set<number>();
  private longest = 0;

  constructor(anchors: readonly Anchor[]) {
    for (const { text } of anchors) {
      this.longest = Math.max(this.longest, text.length - 1);
      for (let length = 1; length < text.length; length++) {
        let hash = 0;
        for (let index = length - 1; index >= 0; index--) hash = mixed(hash, text.charCodeAt(index));
        this.hashes.add(hash);
      }
    }
  }

  /** The length of the longest beginning of an anchor that ends at `end`. */
  lengthBefore(codes: Uint16Array, end: number): number {
    let hash = 0;
    let found = 0;
    const most = Math.min(end, this.longest);
    for (let length = 1; length <= most; length++) {
      const code = codes[end - length] ?? 0;
      hash = mixed(hash, lowerCase(code));
      if (this.hashes.has(hash)) found = length;
    }
    return found;
  }
}

/** Digits count as one character, as some anchors take any of them. */
function mixed(hash: number, code: number): number {
  return (Math.imul(hash, 0x01000193) ^ (isDigit(code) ? DIGIT_CODE : code)) | 0;
}
