import { BLANK, CODE, DIGIT, isIn, LETTER, QUOTE } from '../characters.ts';
import { isForeignLetter } from '../given-in-words.ts';
import { IN_ENGLISH } from '../given-phrase.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { ENDS_CLAUSE, LONGEST_ENDING } from '../lexicon/access.ts';
import { SAID_ADVERBS, SAID_OWNER_PREPOSITIONS, SAID_PREPOSITIONS, SAID_VERBS, SAYS_CHANGE } from '../lexicon/said.ts';
import { NOT_THE_SECRET } from '../lexicon/secret-names.ts';
import { NAMES_ANOTHER_THING, OWNERS } from '../lexicon/sentences.ts';
import { hasLoginBefore } from '../login-beside.ts';
import { isUncommonWords } from '../plain-words.ts';
import type { SecretName } from '../secret-name.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import { beginsWithJoint, isChosenWords, isLikelyWords } from '../words-at-place.ts';
import { isCounted } from './code-numbers.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

const REACH = 72;
const LONGEST = 40;
const SHORTEST = 5;
/** Words between a name and its verb: whose it is, and since when. */
const MOST_WORDS = 8;
const REACH_BEFORE = 40;
const WORD = /["'`*]{0,2}(?:nya)? ["'`]?([\p{L}\d_.-]{1,20})(?=["'`]?[ :])/uy;
/** Right behind the name, where somebody signs in. */
const ADJACENT = /^(?:nya)?(?: dazu| dafür| then)? \(?["'`*_„«“]{0,2}(?=\p{L})/u;
/** What the sentence says before the name: somebody signs in, or a user is named. */
const SIGNS_IN =
  /(?:\b(?:gave|told|sent|shared|typed|entered|accepts?|accepted|gegeben|verraten|genannt|nimm|nutze|verwende|donné|utilise|usa|usé|usei|pakai|gunakan|gebruik|log(?:ged|s)?[ -]?(?:in|on)|sign(?:ed|s)? ?in|login|ssh|username|user|account|credentials|ssid|wi-?fi|masuk|pengguna|akun|anmeld|benutzer|nutzer|zugang|utente|kullanıcı|użytkownik|connect|identifiant|utilisateur|compte|unlock(?:s|ed)?|decrypt(?:s|ed)?|encrypt(?:s|ed)?|protected|generated?|assigned|chose|picked|entsperr\w{1,3}|verschlüssel\w{1,2}|sesi[oó]n|usuario|cuenta|entre|usuário|conta|gebruiker)|(?:meld|пользовател|именем|логин))/iu;
/** `username …, password …` and `as root (password …)`. */
const JOINED =
  /(?:\b(?:and|with|the|dan|dengan|und|mit|dem|et|avec|le|la|con|y|com|e|a|en|met|kata|your|dein|ihr|votre|ton|tu|su|seu|sua|uw|je)|[ис]|[,;(/—–-]) $|\($/iu;
const EXCLAMATION = 33;
const ENDS_MARK = /["'`,;»“]/;
/** Turkish and Indonesian need no verb: `modem şifresi …`, `sandinya …`. */
const OWNED = /(?:şifresi|parolası|sandinya|passwordnya|паролем)$/i;

/** The plain word that a sentence calls a password, without quotes: "the password is bluewhale." */
export function findSaidPassword(window: TextWindow, name: SecretName): Span | undefined {
  if (name.kind !== 'password') return undefined;
  const code = window.at(name.end);
  if (!isIn(code, BLANK | QUOTE) && code !== CODE.star) return undefined;
  const ahead = window.peek(name.end, REACH);
  const second = readSecondOfTwo(window, name, ahead);
  if (second !== undefined) return second;
  const lead = endOfLead(ahead, window.left(name.start, REACH_BEFORE));
  if (lead > 0) {
    const from = name.end + lead;
    return (
      readWord(window, from) ??
      readNumber(window, from) ??
      readPhrase(
        window,
        from,
        isPhraseNamed(window, name) || hasLoginBefore(window, name.start),
        IN_ENGLISH.test(window.slice(name.start, name.end)),
      )
    );
  }
  const adjacent = ADJACENT.exec(ahead);
  if (adjacent === null) return undefined;
  if (IN_BRACKETS.test(ahead) && BEGINS_SUBJECT.test(window.left(name.start, REACH_BEFORE)))
    return readWord(window, name.end + adjacent[0].length);
  if (isLoginSentence(window, name) || ENDS_TURKISH.test(ahead)) {
    const from = name.end + adjacent[0].length;
    return (
      readWord(window, from) ??
      (JOINED_CLOSELY.test(window.left(name.start, REACH_BEFORE)) ? readPhrase(window, from, true) : undefined)
    );
  }
  return OWNED.test(window.slice(name.start, name.end)) ? readWord(window, name.end + adjacent[0].length) : undefined;
}

/** "The user and the password are rina and …": the second of two. */
function readSecondOfTwo(window: TextWindow, { start, end }: SecretName, ahead: string): Span | undefined {
  const two = TWO_GIVEN.exec(ahead);
  if (two === null || !NAMED_BEFORE.test(window.left(start, REACH_BEFORE))) return undefined;
  const [whole, quote = '', value = ''] = two;
  const from = end + whole.length - value.length;
  const isGiven = verdict(
    window,
    quote === '' ? 'likely words' : 'chosen words',
    value,
    quote === '' ? isLikelyWords : isChosenWords,
  );
  return isGiven || isThoughtUpIn(window, value) ? { start: from, end: from + value.length } : undefined;
}

const TWO_GIVEN =
  /^(?:nya)? (?:are|is|sind|sont|son|são|sono|zijn|adalah|ialah):? ["'`*„«“]{0,2}[\p{L}\d][\p{L}\d_.@-]{1,31}["'`*“»”]{0,2} ?(?:and|und|et|y|e|en|dan|и|\/|respectively|,) ?(["'`*„«“]?)([\p{L}\d][^\s"'`*“»”,.;]{3,40})/u;
const NAMED_BEFORE =
  /(?:user(?:name)?|log-?in|benutzer(?:name)?|usuario|usuário|utilisateur|identifiant|gebruiker(?:snaam)?|pengguna|utente|логин) (?:and|und|et|y|e|en|dan|и|\/|&) (?:the |das |le |la |a |el |kata )?$/iu;

/** Where the word begins behind the verb that gives the name its value, or -1. */
function endOfLead(ahead: string, before: string): number {
  // "the wifi password's …"
  const short = /^(?:['’]s|,? c['’]est|, das ist) /.exec(ahead);
  if (short !== null) return skipAdverbs(ahead, short[0].length - 1);
  let at = 0;
  let ofOwner = false;
  for (let words = 0; words < MOST_WORDS; words++) {
    WORD.lastIndex = at;
    const read = WORD.exec(ahead);
    if (read === null) return -1;
    at += read[0].length;
    const word = (read[1] ?? '').toLowerCase();
    if (SAID_VERBS.has(word) && (word !== 'will' || ahead.startsWith(' be ', at))) return skipAdverbs(ahead, at);
    // "the password you will need there: …"
    if (words > 0 && ahead.charAt(at) === ':' && (ofOwner || !isAspect(word))) return skipAdverbs(ahead, at);
    if (
      SAID_PREPOSITIONS.has(word) &&
      SAYS_CHANGE.test(before.slice(before.lastIndexOf('\n') + 1) + (ahead.split(/[.\n]/, 1)[0] ?? ''))
    )
      return skipAdverbs(ahead, at);
    ofOwner ||= SAID_OWNER_PREPOSITIONS.has(word);
    if (!ofOwner && isAspect(word)) return -1;
  }
  return -1;
}

function isAspect(word: string): boolean {
  return NAMES_ANOTHER_THING.has(word) || (NOT_THE_SECRET.has(word) && !OWNERS.has(word) && !CHANGED.test(word));
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
  const rest = /^:?["'`]? ["'`*_„«“]{0,2}(?=[\p{L}\d])/u.exec(ahead.slice(at));
  return rest === null ? -1 : at + rest[0].length;
}

function readWord(window: TextWindow, start: number): Span | undefined {
  let end = start;
  while (end < start + LONGEST && isOfWord(window, end)) end++;
  if (window.at(end) === EXCLAMATION && ENDS_MARK.test(window.peek(end + 1, 1))) end++;
  if (end - start < SHORTEST || !ENDS_CLAUSE.test(window.peek(end, LONGEST_ENDING))) return undefined;
  const word = window.slice(start, end);
  if (IS_SAID_OF_IT.test(word)) return undefined;
  return verdict(window, 'uncommon words', word, isUncommonWords) ? { start, end } : undefined;
}

/** "the password is Kranich over water.": words up to the end of their clause, that begin as a title or are all uncommon. */
function readPhrase(window: TextWindow, start: number, isExpected: boolean, inEnglish = false): Span | undefined {
  const phrase = PHRASE.exec(window.peek(start, LONGEST + LONGEST_ENDING))?.[1];
  if (phrase === undefined || IS_SAID_OF_IT.test(phrase) || IS_PARTICIPLE.test(phrase) || beginsWithJoint(phrase))
    return undefined;
  const isPhrase = isExpected
    ? verdict(window, 'chosen words', phrase, isChosenWords)
    : verdict(window, 'likely words', phrase, isLikelyWords);
  if (!isPhrase) return undefined;
  const [first = '', ...others] = phrase.split(' ');
  if (IS_SAID_OF_IT.test(first)) return undefined;
  if (isExpected && others.length < 2 && !verdict(window, 'likely words', phrase, isLikelyWords)) return undefined;
  const isTitle = /^\p{Lu}\p{Ll}/u.test(first);
  const uncommon = [first, ...others].filter((word) => isUncommonWords(word)).length;
  return isTitle ||
    isExpected ||
    uncommon > others.length ||
    (inEnglish && others.length > 1 && uncommon > 1 && SAID_IN_ENGLISH.test(window.left(start, LONGEST_SAID)))
    ? { start, end: start + phrase.length }
    : undefined;
}

const LONGEST_SAID = 32;
const SAID_IN_ENGLISH =
  /(?: is| was|['’]s| be| becomes| stays| remains| to)(?: now| still| just| currently| simply)? ["'`*]{0,3}$/;

/** `passphrase`: a phrase is what follows. */
function isPhraseNamed(window: TextWindow, { start, end }: SecretName): boolean {
  return /phrase$/i.test(window.slice(start, end));
}

/** "the password of the alarm is 7741": four to eight digits and the end of the clause. */
function readNumber(window: TextWindow, start: number): Span | undefined {
  const number = /^\d{4,8}(?![\w.:%/-]*\w)/.exec(window.peek(start, LONGEST_NUMBER))?.[0];
  if (
    number === undefined ||
    isCounted(number) ||
    !ENDS_NUMBER.test(window.peek(start + number.length, LONGEST_ENDING))
  )
    return undefined;
  return { start, end: start + number.length };
}

const LONGEST_NUMBER = 12;
const ENDS_NUMBER =
  /^["'`*»”]{0,3}(?:$|[.,;!)](?:\s|$)|\r?\n| (?:and|und|y|et|e|en|dan|и|but|aber|pero|mais|mas|maar|tapi|но) )/u;
/** `as svc, pw …`, `with the password …` */
const JOINED_CLOSELY = /(?:[,;(/] |\()(?:\p{L}{2,3} )?$|\b(?:with|mit|avec|con|com|met|dengan)(?: \p{L}{1,3})? $/iu;
const ENDS_TURKISH = /^ ["'`“]?\p{L}{5,32}["'`”]? olarak /u;
const IN_BRACKETS = /^(?:nya)? \(["'`*_„«“]{0,2}[\p{Ll}\d]{5,32}["'`*_“»”]{0,2}\)/u;
const BEGINS_SUBJECT =
  /(?:^|[\n.!?,;] ?|\b)(?:the|our|my|your|his|her|their|das|unser|mein|dein|le|mon|votre|la|mi|tu|nuestra|a|minha|sua|nossa|het|ons|mijn)(?: [\p{L}-]{1,16}){0,2} $/iu;
const PHRASE = /^(\p{L}{2,16}(?: [\p{L}\d]{1,16}){1,5})(?=[.;!?)]?["'`*_»”]{0,2}(?:[.,;!?)](?:\s|$)|\r?\n|$))/u;

/** `leider unleserlich geworden`: what was done to it. */
const IS_PARTICIPLE = /(?:^| )(?:\p{L}{0,4}ge\p{L}{3,16}(?:t|en)|leider|helaas)(?: |$)/u;

/** `is salted`, `is guessable`: what English says of a password. */
const IS_SAID_OF_IT = /(?:[^aeioun]ed|ing|able|ible|ory|ous|ful|less|ive|ly)$/;

/** Whether the sentence before the name says that somebody signs in, or whose password it is. */
export function isLoginSentence(window: TextWindow, { start }: SecretName): boolean {
  const left = window.left(start, 2 * REACH);
  const sentence = left.slice(Math.max(left.lastIndexOf('\n'), left.lastIndexOf('. ')) + 1);
  return JOINED.test(sentence) && SIGNS_IN.test(sentence);
}

function isOfWord(window: TextWindow, at: number): boolean {
  const code = window.at(at);
  return (
    isIn(code, LETTER | DIGIT) ||
    isForeignLetter(code) ||
    ((code === CODE.hyphen || code === CODE.underscore) && isIn(window.at(at + 1), LETTER | DIGIT))
  );
}
