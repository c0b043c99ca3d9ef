import type { Verify } from '../finding.ts';
import { NOT_THE_SECRET } from '../lexicon/secret-names.ts';
import { NAMES_ANOTHER_THING, OWNERS, SECRET_NOUNS } from '../lexicon/sentences.ts';
import { TRADE_WORDS } from '../lexicon/values.ts';
import { wordSet } from '../lexicon/word-set.ts';
import { BARE_WORD } from '../sentence-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn } from '../verdicts.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How far after a value the word may stand that says it is a secret. */
const AFTER = 56;

/** What the rest of the sentence calls the value that ends at `end`, if that is a secret. */
export function nounBehind(window: TextWindow, end: number): string | undefined {
  const after = window.peek(end, AFTER);
  const words = (after.split('\n', 1)[0] ?? '').toLowerCase().split(/[^a-z]+/);
  // A word cut off by the reach is no word.
  if (after.length === AFTER && !after.includes('\n')) words.pop();
  const noun = words.findIndex((word) => SECRET_NOUNS.has(word));
  if (noun < 0 || words.slice(0, noun).some((word) => NAMES_ANOTHER_THING.has(word))) return undefined;
  // `the key id`, `the password field`
  return isAspect(words[noun + 1] ?? '') ? undefined : words[noun];
}

const LONGEST_QUOTED = 200;
const SHORTEST_DRAWN = 15;
/** `is a weak password`: a lesson, which gives none away. */
const SPEAKS_OF_KINDS = /^(?:an?|not|no|never|one of|sebuah|bukan|ein|kein) |^the (?:most|worst|best) /i;
const PASSWORD_NOUNS = wordSet('password passphrase sandi');

/** Verifies behind the quote of a value that the sentence then says is a key: "`…` is the API key of the shop". */
const verifyQuotedFirst: Verify = (window, start, end) => {
  const from = window.runBefore(start, BARE_WORD, LONGEST_QUOTED);
  if (start - from < 6 || window.before(from - 1) !== window.code(start)) return undefined;
  // Without a digit nothing shorter is taken: that is seen many times as fast as the sentence is read.
  const value = window.slice(from, start);
  if (value.length < SHORTEST_DRAWN && !/\d/.test(value)) return undefined;
  if (SPEAKS_OF_KINDS.test(window.peek(end, AFTER))) return undefined;
  const noun = nounBehind(window, end);
  if (noun === undefined) return undefined;
  const isSecret = PASSWORD_NOUNS.has(noun)
    ? !TRADE_WORDS.test(value) && /[a-z]/i.test(value) && /\d/.test(value) && isSecretIn(window, value, SAID_PASSWORD)
    : value.length >= SHORTEST_DRAWN && isDrawnIn(window, value);
  return isSecret ? { start: from, end: start } : undefined;
};

/** `password policy`, `token lifetime`: the sentence goes on about something else than the secret's owner. */
export function isAspect(word: string): boolean {
  return NOT_THE_SECRET.has(word) && !OWNERS.has(word);
}

const SAID_PASSWORD = { name: 'password', quoted: false, environment: false, prose: true } as const;

export const QUOTED_FIRST: Rule = {
  name: 'quoted-first',
  type: 'key',
  anchors: ['`', '"', "'"].flatMap((quote) => [`${quote} is `, `${quote} adalah `, `${quote} ist `]),
  verify: verifyQuotedFirst,
  source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
  masks: [`"${drawn}" is the API key of the shop`, `\`${chosen}\` adalah kata sandi sementara`],
  keeps: ['`max_tokens2` is the number of tokens', '"sha256" is the digest of the password', '`x` is the key'],
};
