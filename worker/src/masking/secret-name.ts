import {
  ALNUM,
  ASCII,
  CODE,
  DASH,
  DOT,
  isIn,
  LETTER,
  LOWER,
  lowerCase,
  QUOTE,
  tableOf,
  UNDERSCORE,
  UPPER,
  WORD,
} from './characters.ts';
import { endsColour } from './colour-codes.ts';
import { endOfForeignWord, isForeignLetter } from './given-in-words.ts';
import { HARMLESS_HEADS, JOINED_NOUNS, WHOLE_NOUNS } from './lexicon/names-elsewhere.ts';
import {
  HARMLESS_QUALIFIERS,
  KNOWN_GLUE,
  NAMES_ALGORITHM,
  NOT_THE_SECRET,
  PUBLIC_KEY_QUALIFIERS,
  SECRET_WORDS,
  TAIL_WORD,
  WEAK_WORDS,
} from './lexicon/secret-names.ts';
import { OWNERS } from './lexicon/sentences.ts';
import type { TextWindow } from './text-window.ts';

/** `glued`: an unknown ending is stuck to the word, as in `authority`; only a drawn value makes it a secret's name. */
export type NameKind = 'password' | 'secret' | 'weak' | 'vendor' | 'glued';

export interface SecretName {
  readonly kind: NameKind;
  readonly start: number;
  readonly end: number;
  /** `tokens`: a number of them as often as a list, so only a list is taken. */
  readonly plural?: boolean;
  /** `password_confirmation`: the same once more, or a label that asks for it. */
  readonly repeated?: boolean;
}

/** `DB_PASS_RO`: which of several it is. */
const WHICH_ONE =
  /^_(?:ro|rw|read|write|prod|dev|stage|staging|test|live|old|new|backup|main|primary|replica|admin|\d{1,2})$/i;
const REPEATS = /^[_-]?(?:confirm(?:ation)?|repeat|again|check|2)$/i;
const LONGEST_NAME = 64;
const LONGEST_HEAD = 16;

/**
 * Reads the whole name around the secret word at [start, end) and says whether it names a secret: `DB_PASSWORD`,
 * `clientSecret` and `x-api-key` do; `token_type`, `cacheKey`, `monkey` and `author` do not.
 */
export function readName(window: TextWindow, start: number, end: number, kind: NameKind): SecretName | undefined {
  const coloured = endsColour(window, start);
  const glued = !coloured && isIn(window.before(start - 1), LOWER) && isIn(window.code(start), LOWER);
  if (glued && (kind === 'vendor' || beginsInside(window, start, end))) return undefined;
  const nameEnd = window.code(end - 1) >= FIRST_EASTERN ? end : endOfName(window, end);
  if (nameEnd - end >= LONGEST_NAME || !leadsOn(window, nameEnd)) return undefined;
  // `password` and not its beginnings `pass` and `passw`: the longer word is an anchor of its own.
  if (kind !== 'vendor' && window.code(end) === CODE.w && window.matches(end, 'word')) return undefined;
  if (kind === 'weak' && beginsLongerWord(window, start, end)) return undefined;
  const nameStart = coloured ? start : window.runBefore(start, WORD | DASH, LONGEST_NAME);
  if (glued && kind !== 'password' && !isGluedOn(window, nameStart, start, end)) return undefined;
  // `DB_PASS`, `userPass`: short for password when something stands before it.
  const short =
    kind === 'weak' &&
    nameStart < start &&
    window.matches(start, 'pass') &&
    !OF_COMPILERS.has(window.slice(nameStart, start)) &&
    (nameEnd === end || WHICH_ONE.test(window.slice(end, nameEnd)));
  const name: SecretName = { kind: short ? 'password' : kind, start: nameStart, end: nameEnd };
  // `arn:aws:…` is the name of something at a vendor.
  if (kind === 'vendor')
    return window.before(nameStart - 1) === CODE.colon && window.left(nameStart, 4) === 'arn:' ? undefined : name;
  if (nameEnd > end) {
    const stuck = stuckEnding(window, end, nameEnd);
    if (stuck !== '' && stuck !== 's') {
      if (NOT_THE_SECRET.has(stuck)) return undefined;
      const telling = end - start > 3 || (end - start === 3 && kind === 'weak');
      if (!TAIL_WORD.test(stuck)) return telling ? { ...name, kind: 'glued' } : undefined;
    }
    if (stuck === 's' && end + 1 === nameEnd) return { ...name, plural: true };
    if (kind === 'password' && REPEATS.test(window.slice(end, nameEnd))) return { ...name, repeated: true };
    if (takesItBack(window, end, nameEnd, HEADS.test(window.slice(start, end)))) return undefined;
  } else if (kind !== 'password') {
    const qualifier = qualifierBefore(window, nameStart, start);
    const named = window.slice(nameStart, start);
    if (
      (HARMLESS_QUALIFIERS.has(qualifier) && !/encrypt|secret|master/i.test(named)) ||
      (kind === 'weak' && PUBLIC_KEY_QUALIFIERS.has(qualifier))
    )
      return undefined;
  }
  return name;
}

/** `-Rpass=inline`, `-debug-pass=Structure`: a pass of a compiler (clang's manual, LLVM's). */
const OF_COMPILERS: ReadonlySet<string> = new Set(['-R', '-debug-']);

/** `密钥…`: where no blank stands between words, what follows the noun is no part of it. */
const FIRST_EASTERN = 0x2e80;

/** How the words go on that begin with a weak one: `key` behind `api`. By their first letter. */
const LONGER_WORDS: ReadonlyMap<number, readonly string[]> = new Map(
  WEAK_WORDS.map((weak) => [
    weak.charCodeAt(0) * ASCII + weak.length,
    SECRET_WORDS.filter((word) => word.startsWith(weak) && word.length > weak.length).map((word) =>
      word.slice(weak.length),
    ),
  ]),
);

/** What those begin with. */
const BEGINS_REST = tableOf(
  [...LONGER_WORDS.values()].flatMap((rests) => rests.map((rest) => rest.charAt(0))).join(''),
);

/** `apikey` and not its beginning `api`: what the weak word is given, the longer one, an anchor of its own, is given too. */
function beginsLongerWord(window: TextWindow, start: number, end: number): boolean {
  const next = lowerCase(window.at(end));
  if (next < ASCII && BEGINS_REST[next] !== 1) return false;
  const rests = LONGER_WORDS.get(lowerCase(window.code(start)) * ASCII + end - start) ?? [];
  for (const rest of rests) if (window.matches(end, rest)) return !isIn(window.at(end + rest.length), LETTER);
  return false;
}

/** `kMapWord`: the end of one word and the beginning of the next, and not `mypword`. */
function beginsInside(window: TextWindow, start: number, end: number): boolean {
  for (let index = start + 1; index < end; index++) if (isIn(window.code(index), UPPER)) return true;
  return false;
}

/** Letters of the same case that go on right after the secret word, lower case: `ization` after `token`. */
function stuckEnding(window: TextWindow, end: number, nameEnd: number): string {
  const last = window.code(end - 1);
  const letters = isIn(last, LOWER) ? LOWER : isIn(last, UPPER) ? UPPER : 0;
  if (letters === 0) return '';
  let index = end;
  while (index < nameEnd && isIn(window.code(index), letters)) index++;
  // The last capital of a run begins the next word.
  if (letters === UPPER && index < nameEnd && isIn(window.code(index), LOWER)) index--;
  return window.slice(end, Math.max(end, index)).toLowerCase();
}

/** The word of the name, or of the sentence, right before the secret word: `cache` in `cacheKey`, `primary` in `primary key`. */
function qualifierBefore(window: TextWindow, nameStart: number, start: number): string {
  if (nameStart === start) return wordBefore(window, nameStart);
  let to = start;
  while (to > nameStart && !isIn(window.code(to - 1), LETTER)) to--;
  let from = to;
  const letters = from > nameStart && isIn(window.code(from - 1), LOWER) ? LOWER : UPPER;
  while (from > nameStart && isIn(window.code(from - 1), letters)) from--;
  if (letters === LOWER && from > nameStart && isIn(window.code(from - 1), UPPER)) from--;
  return window.slice(from, to).toLowerCase();
}

/** What may follow the name of a secret at all: an operator, a quote, a bracket, white space or emphasis. */
function leadsOn(window: TextWindow, index: number): boolean {
  const code = window.at(index);
  if (code <= CODE.space || code === CODE.equals || code === CODE.colon || code > CODE.tilde || isIn(code, QUOTE))
    return true;
  if (code === CODE.dot || code === CODE.plus) return window.at(index + 1) === CODE.equals;
  if (code === CODE.hyphen) return window.at(index + 1) === CODE.greater;
  if (code === CODE.openParenthesis) return isIn(window.at(index + 1), QUOTE);
  if (code === CODE.openBracket) return window.at(index + 1) === CODE.closeBracket;
  if (code === CODE.openBrace) return isIn(window.at(index + 1), QUOTE);
  if (code === CODE.percent) return window.at(index + 1) === CODE.two || window.at(index + 1) === CODE.three;
  if (code === CODE.semicolon) return isIn(window.at(index + 1), LETTER);
  if (window.code(index - 1) >= FIRST_EASTERN && isIn(code, ALNUM)) return true;
  return LEADS_ON[code] === 1;
}

const LEADS_ON = Uint8Array.from({ length: ASCII }, (_, code) =>
  '*])>|,?&\\<'.includes(String.fromCharCode(code)) ? 1 : 0,
);

const NOUNS_IN_WORDS: ReadonlySet<string> = new Set([...WHOLE_NOUNS, ...JOINED_NOUNS]);

/** A noun of another language (an anchor's text) that is a part of a word, or of the name of a key that is no secret. */
export function isAnotherWord(window: TextWindow, start: number, end: number, noun: string): boolean {
  if (!NOUNS_IN_WORDS.has(noun)) return false;
  if (WHOLE_NOUNS.has(noun)) {
    const first = window.code(start);
    const before = window.before(start - 1);
    const next = window.at(end);
    if (noun === 'pw' && PW_BEHIND.test(window.left(start, LONGEST_HEAD))) return isIn(next, LETTER);
    const goesOn = isIn(next, LETTER) && !(isIn(next, UPPER) && isIn(window.code(end - 1), LOWER));
    return goesOn || (isIn(first, LETTER) && isIn(before, isIn(first, LOWER) ? LETTER : UPPER));
  }
  return JOINED_NOUNS.has(noun) && HARMLESS_HEADS.test(window.left(start, LONGEST_HEAD).toLowerCase());
}

/** `bindpw`, `rootpw`: short words that people glue to it. */
const PW_BEHIND = /(?:^|[^A-Za-z])(?:bind|root|admin|db|user|my|ftp|smtp|mail|sudo|ssh|wifi|ldap)$/i;

/** `mytoken`, and compounds such as `Zugriffsschlüssel`. */
function isGluedOn(window: TextWindow, nameStart: number, start: number, end: number): boolean {
  const head = window.slice(nameStart, start).toLowerCase();
  return KNOWN_GLUE.test(head) || JOINED_NOUNS.has(window.slice(start, end).toLowerCase());
}

/** Names go on over letters, digits, underscores, hyphens and dots that another word follows. */
function endOfName(window: TextWindow, end: number): number {
  let index = window.run(end, WORD, LONGEST_NAME);
  // `пароль_админа`
  if (index > end && isForeignLetter(window.at(index))) {
    const word = endOfForeignWord(window, index);
    if (word > 0) index = window.run(word, WORD, LONGEST_NAME);
  }
  for (let parts = 0; parts < 4; parts++) {
    const code = window.at(index);
    if ((code !== CODE.hyphen && code !== CODE.dot) || !isIn(window.at(index + 1), ALNUM)) break;
    index = window.run(index + 1, WORD, LONGEST_NAME);
  }
  return index;
}

/** Nouns of languages that say behind them whose it is: `senha_do_email`, `SANDI_ROUTER`. */
const HEADS = /^(?:senha|clave|contrase|mdp|mot|kata|sandi|rahasia|parola|palavra)/i;

/** True when a word of the name's rest says that it is about the secret: `Type` in `tokenType`, `url` in `token.url`. */
function takesItBack(window: TextWindow, from: number, end: number, ownerBehind: boolean): boolean {
  for (let index = from; index < end; ) {
    const start = index;
    if (isIn(window.code(index), UPPER)) while (index < end && isIn(window.code(index), UPPER)) index++;
    while (index < end && isIn(window.code(index), LOWER)) index++;
    if (index === start) index++;
    else {
      const word = window.slice(start, index).toLowerCase();
      if (NAMES_ALGORITHM.has(word)) return true;
      if (NOT_THE_SECRET.has(word) && !(ownerBehind && OWNERS.has(word))) return true;
    }
  }
  return false;
}

/** The word before the name, one space away: `primary key`, `public key`. */
function wordBefore(window: TextWindow, nameStart: number): string {
  if (window.before(nameStart - 1) !== CODE.space) return '';
  const start = window.runBefore(nameStart - 1, ALNUM | UNDERSCORE | DOT, 24);
  return window.slice(start, nameStart - 1).toLowerCase();
}
