import { BITS_OF_CLASS, characterClasses, charactersAlone } from './anchor-classes.ts';
import { isDigit, lowerCase } from './characters.ts';
import { ANY_DIGIT, type Anchor } from './finding.ts';
import { mayBeginWord } from './word-beginning.ts';

/** One text and every anchor it is the text of. */
interface Literal {
  readonly text: string;
  /** Where the text begins in `letters`. */
  readonly from: number;
  readonly anchors: readonly Required<Anchor>[];
  /** Whether none of them means anything inside a word. */
  readonly beginsWord: boolean;
}

// Constants of this module, as in `anchor-index.ts`.
const CLASS_BITS = BITS_OF_CLASS;
const CLASSES = 1 << CLASS_BITS;
const CLASS_OF = characterClasses();
const ALONE = charactersAlone(CLASS_OF);
const DIGIT_CODE = ANY_DIGIT.charCodeAt(0);
/** The classes of the last three characters. */
const LAST_THREE = (1 << (3 * CLASS_BITS)) - 1;
/** So many of the last characters of an anchor are compared by their classes, all at once. */
const COMPARED = 6;
/** Any class. */
const ANY = -1;
/** Numbers of a list: bits for each class that may stand fifth, sixth and seventh from the end, and its first entry. */
const NUMBERS_OF_LIST = 4;
export const FIRST_OF_LIST = 3;
/** Numbers of an entry: a mask, the classes under it, bits for each class that may stand seventh from the end, the literal. */
const NUMBERS_OF_ENTRY = 4;
/** Stands for the literal in the entry that ends a list, which matches everything. */
const NO_LITERAL = -1;
/** Added to a literal whose classes say all: no other character is of one of them. */
const BY_CLASSES = 1 << 20;
/** Added to a literal that means something only where a word begins. */
const BEGINS_WORD = 1 << 21;
const LITERAL = BY_CLASSES - 1;

/** The texts of anchors, filed in lists by the classes of their last four characters, in flat arrays. */
export class AnchorLiterals {
  /** For the classes of the last three characters the number of a group of lists; 0 where no literal ends so. */
  readonly groups = new Uint16Array(LAST_THREE + 1);
  /** For each list, by group and by the class that stands fourth from the end, NUMBERS_OF_LIST numbers. */
  readonly lists: Int32Array;
  private entries: Int32Array;
  private used = 0;
  private readonly literals: readonly Literal[];
  /** The letters of all literals, one after the other, in lower case. */
  private readonly letters: Uint16Array;
  /** By literal: where its letters begin, and how many they are. */
  private readonly froms: Int32Array;
  private readonly lengths: Int32Array;

  /** Where several literals end at one character the longest stands first in its list, then the one given first. */
  constructor(anchors: readonly Anchor[]) {
    this.literals = literalsOf(anchors);
    this.froms = Int32Array.from(this.literals, ({ from }) => from);
    this.lengths = Int32Array.from(this.literals, ({ text }) => text.length);
    this.letters = Uint16Array.from(this.literals.flatMap(({ text }) => codesOf(text)));
    const grouped = this.group();
    this.entries = new Int32Array(NUMBERS_OF_ENTRY * this.literals.length);
    this.lists = new Int32Array(((grouped.length + 1) << CLASS_BITS) * NUMBERS_OF_LIST);
    this.setLists(0, CLASSES, []);
    for (const [index, literals] of grouped.entries()) this.fileByFourth((index + 1) << CLASS_BITS, literals);
  }

  /** Groups literals by the classes of their last three characters. */
  private group(): number[][] {
    const grouped: number[][] = [];
    for (const [literal, { text }] of this.literals.entries()) {
      // A short anchor may stand after anything.
      const known = Math.min(3, text.length);
      const step = 1 << (CLASS_BITS * known);
      for (let gram = gramOf(text, text.length - known, text.length); gram <= LAST_THREE; gram += step) {
        const group = this.groups[gram] ?? 0;
        if (group === 0) this.groups[gram] = grouped.push([literal]);
        else grouped[group - 1]?.push(literal);
      }
    }
    return grouped;
  }

  /** Files the literals of a group by the class that stands fourth from the end, in the lists from `first` on. */
  private fileByFourth(first: number, literals: readonly number[]): void {
    const fourthOf = (literal: number) => {
      const { text } = this.literals[literal] ?? { text: '' };
      return text.length < 4 ? ANY : (CLASS_OF[text.charCodeAt(text.length - 4)] ?? 0);
    };
    const fourths = new Map(literals.map((literal) => [literal, fourthOf(literal)]));
    this.setLists(
      first,
      CLASSES,
      literals.filter((literal) => fourths.get(literal) === ANY),
    );
    for (const fourth of new Set(fourths.values())) {
      if (fourth === ANY) continue;
      const allowed = literals.filter((literal) => [fourth, ANY].includes(fourths.get(literal) ?? ANY));
      this.setLists(first + fourth, 1, allowed);
    }
  }

  /** Makes so many lists hold the same literals. */
  private setLists(first: number, count: number, literals: readonly number[]): void {
    const befores = [5, 6, 7].map((back) =>
      literals.reduce((bits, literal) => bits | this.bitsBefore(literal, back), 0),
    );
    const entry = this.used * NUMBERS_OF_ENTRY;
    for (let list = first; list < first + count; list++) this.lists.set([...befores, entry], list * NUMBERS_OF_LIST);
    for (const literal of literals) {
      const { text, beginsWord } = this.literals[literal] ?? { text: '', beginsWord: false };
      const known = Math.min(COMPARED, text.length);
      const gram = gramOf(text, text.length - known, text.length);
      this.addEntry([
        (1 << (CLASS_BITS * known)) - 1,
        gram,
        this.bitsBefore(literal, COMPARED + 1),
        literal | (isSaidByClasses(text) ? BY_CLASSES : 0) | (beginsWord ? BEGINS_WORD : 0),
      ]);
    }
    this.addEntry([0, 0, ANY, NO_LITERAL]);
  }

  private addEntry(numbers: readonly number[]): void {
    const at = this.used++ * NUMBERS_OF_ENTRY;
    if (at >= this.entries.length) {
      const larger = new Int32Array(2 * this.entries.length + NUMBERS_OF_ENTRY);
      larger.set(this.entries);
      this.entries = larger;
    }
    this.entries.set(numbers, at);
  }

  /** A bit for each class that may stand so many characters from the end of a literal. */
  private bitsBefore(literal: number, back: number): number {
    const { text } = this.literals[literal] ?? { text: '' };
    return text.length < back ? ANY : 1 << (CLASS_OF[text.charCodeAt(text.length - back)] ?? 0);
  }

  /**
   * The first entry from `entry` on in its list whose literal stands before `end`, in any ASCII case; -1 where there is none.
   *
   * @param gram the classes of the six characters before `end`
   * @param floor where what is masked ends: a word may begin there, whatever was masked
   */
  match(codes: Uint16Array, end: number, gram: number, entry: number, floor: number): number {
    const { entries } = this;
    const seventh = end > COMPARED ? (CLASS_OF[codes[end - COMPARED - 1] ?? 0] ?? 0) : 0;
    for (let at = entry; ; at += NUMBERS_OF_ENTRY) {
      if ((gram & (entries[at] ?? 0)) !== entries[at + 1]) continue;
      if ((((entries[at + 2] ?? 0) >>> seventh) & 1) === 0) continue;
      const literal = entries[at + 3] ?? NO_LITERAL;
      if (literal === NO_LITERAL) return -1;
      if ((literal & BY_CLASSES) === 0 && !this.standsBefore(codes, end, literal & LITERAL)) continue;
      if ((literal & BEGINS_WORD) === 0) return at;
      const start = end - (this.lengths[literal & LITERAL] ?? 0);
      if (start === floor || mayBeginWord(codes, start)) return at;
    }
  }

  /** The entry behind one that `match` gave. */
  after(entry: number): number {
    return entry + NUMBERS_OF_ENTRY;
  }

  private standsBefore(codes: Uint16Array, end: number, literal: number): boolean {
    const length = this.lengths[literal] ?? 0;
    if (end < length) return false;
    const { letters } = this;
    let letter = this.froms[literal] ?? 0;
    // Forwards: the last letters are known by their classes.
    for (let at = end - length; at < end; letter++, at++) {
      const code = codes[at] ?? 0;
      const wanted = letters[letter];
      if (lowerCase(code) !== wanted && !(wanted === DIGIT_CODE && isDigit(code))) return false;
    }
    return true;
  }

  /** The anchors of an entry that `match` gave. */
  anchorsOf(entry: number): readonly Required<Anchor>[] {
    return this.literals[this.literalOf(entry)]?.anchors ?? [];
  }

  /** The number of an entry's literal: the same in whatever list it stands. */
  literalOf(entry: number): number {
    return (this.entries[entry + 3] ?? NO_LITERAL) & LITERAL;
  }

  lengthOf(entry: number): number {
    return this.lengths[this.literalOf(entry)] ?? 0;
  }
}

/** The classes of the characters from `from` to `end`. */
export function gramOf(text: string, from: number, end: number): number {
  let gram = 0;
  for (let index = from; index < end; index++) gram = (gram << CLASS_BITS) | (CLASS_OF[text.charCodeAt(index)] ?? 0);
  return gram;
}

/** Whether the classes of the last seven characters are all that is to know. */
function isSaidByClasses(text: string): boolean {
  return text.length <= COMPARED + 1 && codesOf(text).every((code) => ALONE.has(code));
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

/** Each text once, the longest first. */
function literalsOf(anchors: readonly Anchor[]): readonly Literal[] {
  const byText = new Map<string, Required<Anchor>[]>();
  for (const anchor of anchors) {
    const same = byText.get(anchor.text);
    // All with the same fields: V8 reads them faster.
    const { text, verify, rule, known = false, insideTable = false, nearName = false, beginsWord = false } = anchor;
    const whole = { text, verify, rule, known, insideTable, nearName, beginsWord };
    if (same === undefined) byText.set(text, [whole]);
    else same.push(whole);
  }
  let from = 0;
  return [...byText]
    .sort(([a], [b]) => b.length - a.length)
    .map(([text, same]) => {
      const literal = { text, from, anchors: same, beginsWord: same.every((anchor) => anchor.beginsWord) };
      from += text.length;
      return literal;
    });
}
