import { BLANK, CODE, DIGIT, isIn, LETTER, QUOTE } from '../characters.ts';
import { isForeignLetter } from '../given-in-words.ts';
import { SAID_ADVERBS, SAID_PREPOSITIONS, SAID_VERBS, SAYS_CHANGE } from '../lexicon/said.ts';
import { NOT_THE_SECRET } from '../lexicon/secret-names.ts';
import { NAMES_ANOTHER_THING, OWNERS } from '../lexicon/sentences.ts';
import { isUncommonWords } from '../plain-words.ts';
import type { SecretName } from '../secret-name.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';

const REACH = 72;
const LONGEST = 40;
const SHORTEST = 5;
/** Words between a name and its verb: whose it is, and since when. */
const MOST_WORDS = 6;
const REACH_BEFORE = 40;
const WORD = /["'`*]{0,2}(?:nya)? ([\p{L}\d_.-]{1,20})(?=[ :])/uy;
/** Right behind the name, where somebody signs in. */
const ADJACENT = /^(?:nya)? ["'`*_„«“]{0,2}(?=\p{L})/u;
/** What the sentence says before the name: somebody signs in, or a user is named. */
const SIGNS_IN =
  /(?:\b(?:log(?:ged|s)?[ -]?(?:in|on)|sign(?:ed|s)? ?in|login|ssh|username|user|account|credentials|ssid|wi-?fi|masuk|pengguna|akun|anmeld|benutzer|nutzer|zugang|connect|identifiant|utilisateur|compte|sesi[oó]n|usuario|cuenta|entre|usuário|conta|gebruiker)|(?:meld|пользовател|именем|логин))/iu;
/** `username …, password …` and `as root (password …)`. */
const JOINED =
  /(?:\b(?:and|with|the|dan|dengan|und|mit|dem|et|avec|le|la|con|y|com|e|a|en|met|kata)|[ис]|[,;(/—–-]) $|\($/iu;
const ENDS_CLAUSE =
  /^["'`*_“»”]{0,2}(?:$|[.,;!?)](?:\s|$)|\r?\n| (?:and|or|und|y|et|e|en|dan|ya|и|on|in|at|this|from|until|today|tonight|now|when|so|for|then|to|as|an|ein|bis|за|до|—|–|\())/u;
const LONGEST_ENDING = 12;
const EXCLAMATION = 33;
const ENDS_MARK = /["'`,;»“]/;
/** Turkish and Indonesian need no verb: `modem şifresi …`, `sandinya …`. */
const OWNED = /(?:şifresi|parolası|sandinya|passwordnya)$/i;

/** The plain word that a sentence calls a password, without quotes: "the password is bluewhale." */
export function findSaidPassword(window: TextWindow, name: SecretName): { start: number; end: number } | undefined {
  if (name.kind !== 'password') return undefined;
  const code = window.at(name.end);
  if (!isIn(code, BLANK | QUOTE) && code !== CODE.star) return undefined;
  const ahead = window.peek(name.end, REACH);
  const lead = endOfLead(ahead, window.left(name.start, REACH_BEFORE));
  if (lead > 0) return readWord(window, name.end + lead);
  const adjacent = ADJACENT.exec(ahead);
  if (adjacent === null) return undefined;
  return isLoginSentence(window, name) || OWNED.test(window.slice(name.start, name.end))
    ? readWord(window, name.end + adjacent[0].length)
    : undefined;
}

/** Where the word begins behind the verb that gives the name its value, or -1. */
function endOfLead(ahead: string, before: string): number {
  let at = 0;
  for (let words = 0; words < MOST_WORDS; words++) {
    WORD.lastIndex = at;
    const read = WORD.exec(ahead);
    if (read === null) return -1;
    at += read[0].length;
    const word = (read[1] ?? '').toLowerCase();
    if (SAID_VERBS.has(word)) return skipAdverbs(ahead, at);
    if (
      SAID_PREPOSITIONS.has(word) &&
      SAYS_CHANGE.test(before.slice(before.lastIndexOf('\n') + 1) + ahead.slice(0, at))
    )
      return skipAdverbs(ahead, at);
    if (NAMES_ANOTHER_THING.has(word) || (NOT_THE_SECRET.has(word) && !OWNERS.has(word) && !CHANGED.test(word)))
      return -1;
  }
  return -1;
}

/** `reset to`, `updated to`: what it was changed into follows. */
const CHANGED = /^(?:reset|changed?|updated?|set)$/;

function skipAdverbs(ahead: string, from: number): number {
  let at = from;
  for (let words = 0; words < 3; words++) {
    WORD.lastIndex = at;
    const word = WORD.exec(ahead);
    if (word === null || !SAID_ADVERBS.has((word[1] ?? '').toLowerCase())) break;
    at += word[0].length;
  }
  const rest = /^:?["'`]? ["'`*_„«“]{0,2}(?=\p{L})/u.exec(ahead.slice(at));
  return rest === null ? -1 : at + rest[0].length;
}

function readWord(window: TextWindow, start: number): { start: number; end: number } | undefined {
  let end = start;
  while (end < start + LONGEST && isOfWord(window, end)) end++;
  if (window.at(end) === EXCLAMATION && ENDS_MARK.test(window.peek(end + 1, 1))) end++;
  if (end - start < SHORTEST || !ENDS_CLAUSE.test(window.peek(end, LONGEST_ENDING))) return undefined;
  const word = window.slice(start, end);
  if (IS_SAID_OF_IT.test(word)) return undefined;
  return verdict(window, 'uncommon words', word, isUncommonWords) ? { start, end } : undefined;
}

/** `is salted`, `is guessable`: what English says of a password. */
const IS_SAID_OF_IT = /(?:[^aeioun]ed|ing|able|ible|ory|ous|ful|less|ive|ly)$/;

function isLoginSentence(window: TextWindow, { start }: SecretName): boolean {
  const left = window.left(start, 2 * REACH);
  const sentence = left.slice(Math.max(left.lastIndexOf('\n'), left.lastIndexOf('. ')) + 1);
  return JOINED.test(sentence) && SIGNS_IN.test(sentence);
}

function isOfWord(window: TextWindow, at: number): boolean {
  const code = window.at(at);
  return (
    isIn(code, LETTER | DIGIT) || isForeignLetter(code) || (code === CODE.hyphen && isIn(window.at(at + 1), LETTER))
  );
}
