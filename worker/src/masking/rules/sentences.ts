import { ALNUM, BLANK, CODE, COLON, DIGIT, isIn, LETTER, LINE_END, QUOTE, SPACE } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { ENDS_CLAUSE, LONGEST_ENDING } from '../lexicon/access.ts';
import {
  ASKS,
  CHANGED_TO,
  CHANGES,
  HANDS_OVER,
  INTRODUCES,
  LEADS_BELOW,
  NAMED_ONE,
  NEW_ONE,
  OPENS_BEHIND,
  OPENS_WHAT,
  PRONOUNS_CHANGED,
  SMALL_WORDS,
  SPEAKER,
  SPOKEN_OF,
  TRIES,
  TRY_WORDS,
  USED_AS,
} from '../lexicon/pronouns.ts';
import { isUncommonWords } from '../plain-words.ts';
import { BARE_WORD, endOfPlainWord, endOfWord, LONGEST_JUDGED } from '../sentence-words.ts';
import { isTellingValue } from '../telling-value.ts';
import { REACH_OF_NAME, type TextWindow } from '../text-window.ts';
import { isDrawnIn, verdict } from '../verdicts.ts';
import { isChosenWords } from '../words-at-place.ts';
import { chosen, drawn, type Rule } from './rule.ts';
import { isWordsOf, readNumberAsked } from './sentence-values.ts';

/** How far before a pronoun its secret may be named, and how much before it says that it stands for one. */
const REACH = REACH_OF_NAME;
const NEAR = 80;
const NEAREST = 16;
/** What stands behind a value, as the word that it is used as. */
const AHEAD = 80;
const SHORTEST = 6;
const SHORTEST_DRAWN = 14;

type Kind = 'password' | 'key';

/** Whether a name stands so near that the text before `start` is worth reading. */
function isNearName(window: TextWindow, start: number): boolean {
  return start - window.lastNamed < REACH;
}

/** What the paragraph before `end` spoke of last, what is masked in it too. */
function spokenOf(window: TextWindow, end: number, reach = REACH): Kind | undefined {
  const left = window.slice(Math.max(0, end - reach), end);
  const blank = left.lastIndexOf('\n\n');
  // What answers a question stands in a paragraph of its own.
  const from = blank > 0 && left.charAt(blank - 1) !== '?' ? blank + 1 : 0;
  const last = [...left.slice(from).matchAll(SPOKEN_OF)].at(-1);
  return last === undefined ? undefined : last[1] === undefined ? 'password' : 'key';
}

/** What stands near before `end` in its sentence. */
function sentenceBefore(window: TextWindow, end: number): string {
  const left = window.slice(Math.max(0, end - NEAR), end);
  return left.slice(Math.max(left.lastIndexOf('.'), left.lastIndexOf('\n')) + 1);
}

/** The value at `from`: drawn, or a password that somebody thought up. */
function readSpoken(window: TextWindow, from: number, kind: Kind, wordsToo = false): Finding | undefined {
  const end = endOfWord(window, from);
  const quoted = isIn(window.before(from - 1), QUOTE) && window.at(end) === window.code(from - 1);
  const stop = quoted ? end : window.trim(from, end, '.,:;!?)');
  if (stop - from < SHORTEST || end - from >= LONGEST_JUDGED) return undefined;
  const value = window.slice(from, stop);
  if (value.includes('***') || isIn(window.at(end), LETTER)) return undefined;
  const isSecret =
    (isDrawnIn(window, value) &&
      (value.length >= SHORTEST_DRAWN ? !/^[\da-f-]+$/i.test(value) : kind === 'password')) ||
    (kind === 'password' &&
      (isThoughtUpIn(window, value) ||
        isWordsOf(window, value, quoted) ||
        (wordsToo &&
          verdict(window, 'uncommon words', value, isUncommonWords) &&
          ENDS_CLAUSE.test(window.peek(end, LONGEST_ENDING)))));
  return isSecret ? { start: from, end: stop } : undefined;
}

/** The value behind small words such as `is now`: word by word, so that a stream waits for no more than the next one. */
function readBehind(window: TextWindow, from: number, kind: Kind, wordsToo = false): Finding | undefined {
  let index = from;
  for (let words = 0; words < MOST_SMALL_WORDS; words++) {
    const end = window.run(index, LETTER, LONGEST_SMALL_WORD);
    const code = window.at(end);
    if (end === index || (code !== CODE.space && code !== CODE.colon)) break;
    if (!SMALL_WORDS.has(window.slice(index, end).toLowerCase())) break;
    index = window.run(end, BLANK | COLON, 2);
  }
  return readSpoken(window, skipMarks(window, index), kind, wordsToo);
}

function skipMarks(window: TextWindow, from: number): number {
  let index = from;
  while (index < from + 3 && (isIn(window.at(index), QUOTE) || window.at(index) === CODE.star)) index++;
  return index;
}

const MOST_SMALL_WORDS = 4;
const LONGEST_SMALL_WORD = 12;

/** Verifies at `one`, `it's` and `value:`: "the new one is …", "it's … now". */
const verifyPronoun: Verify = (window, start, end, anchor) => {
  if (!isNearName(window, start)) return undefined;
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  if (anchor === 'was ') {
    if (!/(?:^|\W)it $/i.test(window.left(start, 4))) return undefined;
  } else if (!anchor.startsWith('it') && !NAMED_ONE.test(window.slice(Math.max(0, start - NEAREST), start)))
    return undefined;
  const kind = spokenOf(window, start);
  return kind && readBehind(window, end, kind, true);
};

/** Verifies at "das neue ist", "la nueva es": the value follows. */
const verifyNewOne: Verify = (window, start, end) => {
  if (!isNearName(window, start) || isIn(window.before(start - 1), LETTER)) return undefined;
  const kind = spokenOf(window, start);
  return kind && readBehind(window, end, kind, true);
};

/** Verifies at `it to`, `them back to`: "change it to …". */
const verifyChangedTo: Verify = (window, _start, end) => {
  const to = end - 'to '.length;
  if (!isNearName(window, to) || !CHANGED_TO.test(window.slice(Math.max(0, to - NEAR), to))) return undefined;
  const kind = spokenOf(window, to);
  return kind && readBehind(window, end, kind);
};

/** The name of a password right before `from`: no module is moved. */
const ENDS_NAME = /(?:password|passphrase|sandi|sandinya|contraseña|senha|passwort|wachtwoord) $/i;
const SUCCESSOR = /^["'`*]{0,3} (?:to|ke|menjadi|jadi|into|auf|zu) ["'`*]{0,3}/;

/** Verifies at `from`: "change the password from … to …". */
const verifyChangedFrom: Verify = (window, start, end) => {
  if (!isNearName(window, start)) return undefined;
  if (window.before(start - 1) !== CODE.space || !isIn(window.before(start - 2), LETTER)) return undefined;
  if (!CHANGES.test(sentenceBefore(window, start))) return undefined;
  const kind = spokenOf(window, start);
  if (kind === undefined) return undefined;
  const wordsToo = ENDS_NAME.test(window.left(start, NEAREST));
  const first = readBehind(window, end, kind, wordsToo);
  // What it was before may be a default.
  const ended = first?.end ?? endOfWord(window, skipMarks(window, end));
  const joint = SUCCESSOR.exec(window.peek(ended, 16));
  const second = joint === null ? undefined : readSpoken(window, ended + joint[0].length, kind, wordsToo);
  return first === undefined || second === undefined ? (first ?? second) : { ...first, also: [second] };
};

/** Verifies at a verb that hands over: "asks for the passphrase, type …", "enter … as the password". */
const verifyHandedOver: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  const from = skipMarks(window, end);
  const plain = from === end ? endOfPlainWord(window, from, LONGEST_GIVEN) : -1;
  if (plain >= 0 && (plain - from < SHORTEST || !isNearName(window, start))) return undefined;
  const isNumber = isIn(window.at(from), DIGIT);
  const given = isNumber
    ? readNumberAsked(window, from, sentenceBefore(window, start))
    : readPhrase(window, start, from);
  if (given !== undefined) return given;
  const word = window.slice(from, window.trim(from, window.run(from, BARE_WORD, LONGEST_GIVEN), '.,:;!?'));
  // Of plain words only those that follow the name of a secret: these verbs are common, and a stream would wait.
  const isPlain = !DIGIT_IN_WORD.test(word);
  if (isPlain && !(isNearName(window, start) && verdict(window, 'uncommon words', word, isUncommonWords)))
    return undefined;
  const isAsked = isIn(window.before(start - 1), BLANK) && ASKS.test(sentenceBefore(window, start));
  const isTried = TRY_WORDS.has(anchor) && TRIES.test(window.left(start, 3));
  const asked = isAsked || isTried ? spokenOf(window, start, NEAR) : undefined;
  const found = readSpoken(window, from, 'password', true);
  if (found === undefined) return undefined;
  if (asked !== undefined || USED_AS.test(window.peek(found.end, AHEAD))) return found;
  // Programs are used to open something as well: the value has to tell.
  const opens = OPENS_WHAT.test(sentenceBefore(window, start)) || OPENS_BEHIND.test(window.peek(found.end, AHEAD));
  return opens && isTellingValue(window, window.slice(found.start, found.end)) ? found : undefined;
};

/** `Enter "…" as the password`: words in quotes. */
function readPhrase(window: TextWindow, start: number, from: number): Finding | undefined {
  const quote = window.before(from - 1);
  if (!isIn(quote, QUOTE)) return undefined;
  const phrase = IN_QUOTES.exec(window.peek(from, LONGEST_GIVEN))?.[1] ?? '';
  const end = from + phrase.length;
  if (!/\s/.test(phrase) || window.at(end) !== quote) return undefined;
  const asked = ASKS.test(sentenceBefore(window, start)) && spokenOf(window, start, NEAR) === 'password';
  if (!asked && !USED_AS.test(window.peek(end, AHEAD))) return undefined;
  return verdict(window, 'chosen words', phrase, isChosenWords) ? { start: from, end } : undefined;
}

const IN_QUOTES = /^([^"'`\n]{5,56})["'`]/;

const LONGEST_GIVEN = 64;
const DIGIT_IN_WORD = /\d|[a-z][-._/+&*=][A-Z]/;

const LONGEST_SPEAKER = 72;
const CODE_IN_LINE = /[{};=<>]|\w\(|\b(?:def|class|function|return|elif)\b/;

/** Verifies behind a line that asks for a secret, or says that it follows: what stands alone on the next line. */
const verifyAnswer: Verify = (window, start, end) => {
  if (!isNearName(window, start)) return undefined;
  const anyLine = window.code(start) === CODE.colon;
  if (anyLine) {
    if (!isAloneBelow(window, end)) return undefined;
  } else if (
    window.code(start) === CODE.question
      ? !isIn(window.before(start - 1), ALNUM)
      : isIn(window.before(start - 1), LETTER)
  )
    return undefined;
  const left = window.slice(Math.max(0, start - REACH), start);
  const line = left.slice(left.lastIndexOf('\n') + 1).trimStart();
  if (line.length < 8 || !line.includes(' ') || CODE_IN_LINE.test(line)) return undefined;
  const kind = spokenOf(window, start, line.length);
  // Behind any colon only a key stands that was drawn.
  if (kind === undefined || (anyLine && kind !== 'key')) return undefined;
  let from = skipMarks(window, window.run(end, SPACE, LONGEST_INDENTATION));
  const ahead = window.peek(from, LONGEST_SPEAKER);
  const speaker = SPEAKER.exec(ahead);
  const spoken = speaker?.[0].length ?? 0;
  const introduction = INTRODUCES.exec(ahead.slice(spoken))?.[0].length ?? 0;
  from = skipMarks(window, from + spoken + introduction);
  const found = readSpoken(window, from, kind, true);
  if (found === undefined) return undefined;
  if (speaker !== null && kind === 'key' && found.end - found.start >= LONG_KEY) return found;
  let behind = found.end;
  while (behind < found.end + 4 && (isIn(window.at(behind), QUOTE) || window.at(behind) === CODE.star)) behind++;
  if (introduction > 0 && window.at(behind) === CODE.dot) behind++;
  behind = window.run(behind, BLANK, 4);
  return window.at(behind) < 0 || isIn(window.at(behind), LINE_END) ? found : undefined;
};

const LONGEST_INDENTATION = 12;
/** Behind who speaks, more may be said about such a key. */
const LONG_KEY = 20;

/** Whether the line below begins with as many characters as a key has: looked at before anything is read. */
function isAloneBelow(window: TextWindow, end: number): boolean {
  const from = skipMarks(window, window.run(end, SPACE, LONGEST_INDENTATION));
  return window.run(from, BARE_WORD, SHORTEST_DRAWN) === from + SHORTEST_DRAWN;
}

/** Common words: the scan stops at them only not far behind the name of a secret. */
const NEAR_NAME: ReadonlyMap<string, Verify> = new Map([
  ...['one ', 'one: ', 'was ', "it's ", 'it’s ', 'it is ', 'value: '].map((word): [string, Verify] => [
    word,
    verifyPronoun,
  ]),
  ...NEW_ONE.map((words): [string, Verify] => [words, verifyNewOne]),
  ...PRONOUNS_CHANGED.map((pronoun): [string, Verify] => [`${pronoun} to `, verifyChangedTo]),
  ...['from ', 'dari ', 'von '].map((word): [string, Verify] => [word, verifyChangedFrom]),
  ...['type ', 'ketik ', ...[...TRY_WORDS].filter((word) => word !== 'try ')].map((word): [string, Verify] => [
    word,
    verifyHandedOver,
  ]),
  ...['?\n', ':\n', ...LEADS_BELOW.map((word) => `${word}:\n`)].map((word): [string, Verify] => [word, verifyAnswer]),
]);
const ANYWHERE: ReadonlyMap<string, Verify> = new Map(HANDS_OVER.map((word) => [`${word} `, verifyHandedOver]));

/** Secrets that a sentence gives to what the one before it has named. */
const SPOKEN: Rule = {
  name: 'spoken-of',
  type: 'key',
  anchors: [...ANYWHERE.keys()],
  nearAnchors: [...NEAR_NAME.keys()],
  beginsWord: true,
  verify: (window, start, end, anchor) => (NEAR_NAME.get(anchor) ?? ANYWHERE.get(anchor))?.(window, start, end, anchor),
  source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
  masks: [
    `I rotated the database password; the new one is ${chosen}.`,
    `That was the password last year. It's ${chosen} now.`,
    `The password is too short, so I set it to ${chosen}.`,
    `Change the admin password from ${chosen} to ${chosen}9 tonight.`,
    `When it asks for the passphrase, type ${chosen} and press Enter.`,
    `Enter ${chosen} as the password.`,
    `What is the wifi password?\n${chosen}\n`,
    'If it asks for a PIN, enter 482913.',
    `Your API key was made. It is shown only once:\n\n    ${drawn}\n`,
    `[10:31] Rina: apa password wifi-nya?\n[10:32] Budi: ${chosen}\n`,
    `The API key that you asked for is below:\n\n${drawn}\n`,
  ],
  keeps: [
    'The password field is new; the new one is Base64',
    "Reset the password. It is easy, and it's IPv6 only",
    'The token is checked; set it to Level3.',
    'Change the password policy from level1 to level2',
    'When it asks for the password, type the one you chose',
    'Which key?\nEscape7\n',
    'The PIN is asked for; enter 12 of them',
    'What is the password of?\nMain.Page\n',
    'if the token is None:\n    x1y2z3\n',
  ],
};

export const SENTENCE_RULES: readonly Rule[] = [SPOKEN];
