import { ALNUM, BARE_VALUE, BLANK, CODE, isIn, LETTER, QUOTE, STAR } from './characters.ts';
import { isForeignLetter } from './given-in-words.ts';
import { OPENING_QUOTES } from './lexicon/names-elsewhere.ts';
import { SAID_VERBS } from './lexicon/said.ts';
import { NAMES_ANOTHER_THING, SECRET_NOUNS, VERBS } from './lexicon/sentences.ts';
import type { Memory } from './memory.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawnIn } from './verdicts.ts';

/** A word that is longer goes on: its rest is swallowed. */
export const LONGEST_WORD = 2048;
/** A longer word is judged by its beginning, as every value is. */
export const LONGEST_JUDGED = 300;
/** A value without emphasis. */
export const BARE_WORD = BARE_VALUE & ~STAR;

/** Words that are remembered: more than stand within a sentence's reach. */
const REMEMBERED_WORDS = 32;

/** A word of a sentence, and what was found out about it: several names before it look at the same one. */
export class Word {
  start = -1;
  /** Where its run of characters ends, and where it ends without what belongs to the sentence. */
  end = -1;
  stop = -1;
  quoted = false;
  word: string;
  folded = '';
  /** After it the value is an identifier or a fingerprint. */
  namesAnotherThing = false;
  isNoun = false;
  /** A verb between a name and its value, or a mark like one. */
  isVerb = false;
  /** `name=value` */
  assigns = false;
  private drawn: boolean | undefined;

  constructor(word = '') {
    this.word = word;
  }

  read(window: TextWindow, start: number): void {
    this.end = endOfWord(window, start);
    this.quoted = isQuoted(window, start, this.end);
    this.stop = this.quoted ? this.end : window.trim(start, this.end, '.,:;!?');
    this.word = window.slice(start, Math.min(this.stop, start + LONGEST_JUDGED));
    this.folded = this.word.length < 12 ? this.word.toLowerCase() : '';
    this.drawn = undefined;
    this.readMeaning(window);
    // What still waits for its end is read again.
    this.start = window.starved ? -1 : start;
  }

  private readMeaning(window: TextWindow): void {
    const { word, folded } = this;
    this.namesAnotherThing = NAMES_ANOTHER_THING.has(folded);
    this.isNoun = SECRET_NOUNS.has(folded);
    this.isVerb =
      VERBS.has(folded) || SAID_VERBS.has(folded) || folded.endsWith('nya') || window.text.charAt(this.stop) === ':';
    this.assigns = word.includes('=') && /^[A-Za-z]{3,24}=/.test(word);
  }

  isDrawn(window: TextWindow): boolean {
    this.drawn ??= isDrawnIn(window, this.word);
    return this.drawn;
  }
}

/** The words that were read last, by where they begin. */
class WordsRead {
  private readonly words: (Word | undefined)[] = Array.from({ length: REMEMBERED_WORDS }, () => undefined);

  /** The word at `start`. What it gives is of no use where another word has taken its place. */
  at(window: TextWindow, start: number): Word {
    const word = (this.words[start % REMEMBERED_WORDS] ??= new Word());
    if (word.start !== start) word.read(window, start);
    return word;
  }

  forget(): void {
    for (const word of this.words) if (word !== undefined) word.start = -1;
  }
}

export const WORDS_READ: Memory<WordsRead> = { begin: () => new WordsRead(), forget: (words) => words.forget() };

/** Where the word ends that begins at `start`: letters that ASCII has not and single stars between letters belong to it. */
export function endOfWord(window: TextWindow, start: number): number {
  let end = window.run(start, BARE_WORD, LONGEST_WORD);
  for (let joints = 0; joints < MOST_JOINTS && end > start && end < start + LONGEST_WORD; joints++) {
    const code = window.at(end);
    const joins = code === CODE.star ? isIn(window.code(end - 1), ALNUM) : isForeignLetter(code);
    if (!joins || !(isIn(window.at(end + 1), ALNUM) || isForeignLetter(window.at(end + 1)))) break;
    end = window.run(end + 1, BARE_WORD, LONGEST_WORD);
  }
  return end;
}

const MOST_JOINTS = 4;

/** The end of the word at `from` where it is one of ASCII letters alone, fewer than `limit`, as most are: seen without taking it out. Else -1. */
export function endOfPlainWord(window: TextWindow, from: number, limit: number): number {
  const end = window.run(from, LETTER, limit);
  if (end === from || end === from + limit) return -1;
  const code = window.at(end);
  const behind = code === CODE.dot || code === CODE.colon ? window.at(end + 1) : code;
  return isIn(behind, BARE_WORD) || code === CODE.star || behind > CODE.delete ? -1 : end;
}

/** In the same quotes of ASCII, or behind one that opens elsewhere and before what is no part of a value. */
function isQuoted(window: TextWindow, start: number, end: number): boolean {
  const before = window.before(start - 1);
  return isIn(before, QUOTE) ? window.at(end) === before : opensElsewhere(before) && window.at(end) > CODE.delete;
}

/** `„`, `«`, `「`: what opens a quote in other languages. */
export function opensElsewhere(code: number): boolean {
  return code > CODE.delete && OPENING_QUOTES.includes(String.fromCharCode(code));
}

/** A word that people choose as a password, and no word of a text about passwords: `rfc2617` and `step2` are none. */
export function looksChosen(word: string): boolean {
  if (!/[a-z]/.test(word) || !/\d/.test(word) || word.startsWith('0x')) return false;
  if (/[A-Z]/.test(word)) return true;
  return /\d{3}|[!@#$%^&]/.test(word) && !/^(?:rfc|cve|iso|sha|md|aes|utf|pbkdf|nist|sp|v)[- ]?\d/.test(word);
}

/** Whether a name behind a dot follows the word "config", not far before it on its line. */
export function isInConfiguration(window: TextWindow, start: number): boolean {
  const left = window.left(start, 54);
  return /\bconfig\b/.test(left.slice(left.lastIndexOf('\n') + 1));
}

/** `GLAPI void APIENTRY glUniform4ui64NV (`: what is called or declared is a export function. */
export function isCalled(window: TextWindow, end: number, blanks: number): boolean {
  return window.at(window.run(end, BLANK, blanks)) === CODE.openParenthesis;
}
