import { CODE, DASH, DIGIT, isIn, LETTER } from '../characters.ts';
import type { Finding } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { ENDS_CLAUSE, LONGEST_ENDING } from '../lexicon/access.ts';
import { DEFAULT_WORDS } from '../lexicon/values.ts';
import { isJoinedAsNames, isMadeUp } from '../made-up.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import { isChosenWords, isLikelyWords } from '../words-at-place.ts';
import { isCounted } from './code-numbers.ts';

/** How far a sentence is read behind the word that wakes the rule, and before it. */
export const REACH = 120;
const BEFORE = 100;
const LONGEST_VALUE = 56;
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '«': '»',
  '„': '“',
  '“': '”',
  '「': '」',
  '『': '』',
  '*': '*',
  _: '_',
};
const ENDS_SENTENCE = /[.!?]\s|[\n。]/;
const BARE = /^[\p{L}\d][\p{L}\d_@#$%&*+!?-]*/u;

export interface Given extends Finding {
  readonly quote: string;
  readonly value: string;
}

/** The value at `from`: what its quotes hold, or one word. */
export function readGiven(window: TextWindow, from: number): Given | undefined {
  const ahead = window.peek(from, LONGEST_VALUE + 4);
  const marks = /^[*_]{0,2}(["'`«„“「『]?)(?=\S)/u.exec(ahead);
  const quote = marks?.[1] === '' ? (ahead.charAt(0) === '*' ? '*' : '') : (marks?.[1] ?? '');
  const start = marks?.[0].length ?? 0;
  const rest = ahead.slice(start);
  const close = QUOTES[quote];
  const end = close === undefined ? (BARE.exec(rest)?.[0].length ?? 0) : rest.indexOf(close);
  if (end < 3 || end > LONGEST_VALUE) return undefined;
  const written = rest.slice(0, end);
  const value = close === undefined ? written.replace(/[!?*_-]$/, '') : written;
  if (value !== value.trim() || value.includes('\n')) return undefined;
  return { start: from + start, end: from + start + value.length, quote, value };
}

/** Whether what a sentence gives is a password: in quotes it is asked less. */
export function isGivenInSentence(window: TextWindow, { quote, value, end }: Given): boolean {
  if (DEFAULT_WORDS.has(value.toLowerCase()) || (/^[\d.]*$/.test(value) && quote === '')) return false;
  if (quote === '' && !ENDS_CLAUSE.test(window.peek(end, LONGEST_ENDING))) return false;
  if (
    verdict(window, quote === '' ? 'likely words' : 'chosen words', value, quote === '' ? isLikelyWords : isChosenWords)
  )
    return true;
  return isThoughtUpIn(window, value);
}

export function sentenceBehind(window: TextWindow, end: number): string {
  const ahead = window.peek(end, REACH);
  const stop = ahead.search(ENDS_SENTENCE);
  return stop < 0 ? ahead : ahead.slice(0, stop);
}

export function sentenceBefore(window: TextWindow, start: number): string {
  const left = window.left(start, BEFORE);
  return left.slice(Math.max(left.lastIndexOf('\n'), left.lastIndexOf('. '), left.lastIndexOf('! ')) + 1);
}

/** Four to eight digits up to the end of their clause; a letter may stand among them. */
export function readNumberGiven(window: TextWindow, from: number): Finding | undefined {
  let start = from;
  while (start < from + 3 && MARKS_NUMBER.test(window.text.charAt(start))) start++;
  if (!isIn(window.at(start), DIGIT | LETTER) && window.at(start) < FIRST_CYRILLIC) return undefined;
  const digits = NUMBER.exec(window.peek(start, LONGEST_NUMBER + 1))?.[0];
  if (digits === undefined || isCounted(digits)) return undefined;
  const end = start + digits.length;
  const code = window.at(end);
  if (code === CODE.hash || code === CODE.star) return { start, end };
  const behind = window.peek(end, LONGEST_ENDING);
  return ENDS_CLAUSE.test(behind) || ENDS_NUMBER.test(behind) ? { start, end } : undefined;
}

const MARKS_NUMBER = /["'`*_„“«]/;
const FIRST_CYRILLIC = 0x410;
const NUMBER = /^(?=.{4,8}(?![\p{L}\d]))(?:\d{1,7}\p{Lu}\d{0,6}|\p{Lu}\d{3,7}|\d{4,8})(?![\p{L}\d])/u;
const LONGEST_NUMBER = 8;
const ENDS_NUMBER =
  /^["'`*_”»]{0,3} (?:followed|ein|seguid|suivi|seguito|gevolgd|diikuti|lalu|kemudian|luego|puis|poi|dann|daarna|и|затем|потом|dan|e|y|sur|auf|op|pada|di|na|no|на|en)\b/iu;

/** "it asks for a PIN, enter …": four to eight digits. */
export function readNumberAsked(window: TextWindow, from: number, before: string): Finding | undefined {
  if (!isIn(window.at(from), DIGIT) || !ASKS_FOR_NUMBER.test(before)) return undefined;
  const end = window.run(from, DIGIT, LONGEST_ASKED + 1);
  if (end - from < SHORTEST_ASKED || end - from > LONGEST_ASKED || isIn(window.at(end), LETTER | DASH))
    return undefined;
  return isCounted(window.slice(from, end)) ? undefined : { start: from, end };
}

const [SHORTEST_ASKED, LONGEST_ASKED] = [4, 8];
const ASKS_FOR_NUMBER = /\b(?:PIN|OTP|passcode|(?:access|unlock|door|one-time) code|kode (?:OTP|akses))\b/i;

/** Words that marks join; without quotes with a number, in threes, or with marks that no name has. */
export function isWordsOf(window: TextWindow, value: string, quoted: boolean): boolean {
  if (!quoted && !/\d/.test(value) && isJoinedAsNames(value) && !IN_THREES.test(value)) return false;
  return verdict(window, 'made-up', value, isMadeUp);
}

const IN_THREES = /[a-z][-._/][A-Za-z][a-z]+[-._/]/;
