import { CODE } from '../characters.ts';
import type { Finding } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { SAID_OWNER_PREPOSITIONS, SAYS_CHANGE } from '../lexicon/said.ts';
import { NOT_THE_SECRET } from '../lexicon/secret-names.ts';
import { NAMES_ANOTHER_THING, OWNERS, VERBS } from '../lexicon/sentences.ts';
import { NAMES_STANDARD, TRADE_WORDS } from '../lexicon/values.ts';
import { isMadeUp, isPassPhrase } from '../made-up.ts';
import { isUncommonWords } from '../plain-words.ts';
import type { SecretName } from '../secret-name.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import { isChosenWords, isEasternWord, isLikelyWords } from '../words-at-place.ts';
import { isLoginSentence } from './said-password.ts';

const REACH = 64;
const LONGEST_VALUE = 64;
/** Words between the name and a quote: `del usuario root es`. */
const WORDS_BETWEEN =
  /^["'`*]{0,2}((?: (?:(?:user|account|login|benutzer|nutzer|konto|usuario|usuário|cuenta|conta|utilisateur|compte|gebruiker|pengguna|akun) ["'`][\w.@-]{1,24}["'`]|[\p{L}\d_-]{1,16})){0,6})(?::? {1,2}|[是为為はが：:] ?|(?=[「『“]))\*{0,2}(["'`«„“「『‹])(?=\S| \S)/u;
const QUOTES = /["'`«„“「『‹]/;
const MOST_OWNERS = 2;
const CLOSES: Readonly<Record<string, string>> = { '«': '»', '„': '“', '“': '”', '「': '」', '『': '』', '‹': '›' };

/** The password made of words that a sentence gives in quotes: "the password of root is `Mesa/Redonda/8`". */
export function findQuotedPassword(window: TextWindow, name: SecretName): Finding | undefined {
  if (name.kind !== 'password' && name.kind !== 'secret') return undefined;
  const ahead = window.peek(name.end, REACH);
  if (name.kind === 'password' && ahead.includes('**')) {
    const bold = findBold(window, name, ahead);
    if (bold !== undefined) return bold;
  }
  // Most sentences quote nothing here: that is seen many times as fast as the words before a quote are read.
  if (!QUOTES.test(ahead)) return undefined;
  const between = WORDS_BETWEEN.exec(ahead);
  if (between === null) return undefined;
  const [whole, words = '', quote = ''] = between;
  if (!leadsToValue(words.trim().toLowerCase())) return undefined;
  const opened = name.end + whole.length;
  const start = window.at(opened) === CODE.space ? opened + 1 : opened;
  const close = CLOSES[quote] ?? quote;
  let end = start;
  while (end < start + LONGEST_VALUE && window.at(end) >= CODE.space && window.text.charAt(end) !== close) end++;
  if (end === start + LONGEST_VALUE || window.at(end) < CODE.space) return undefined;
  const value = window.slice(start, end).trimEnd();
  if (name.kind === 'secret') {
    const isChanged =
      SAYS_CHANGE.test(window.left(name.start, REACH)) && verdict(window, 'likely words', value, isLikelyWords);
    if (isChanged) return { start, end: start + value.length };
    const isPhrase =
      words !== '' && value.split(' ').length > 2 && verdict(window, 'likely words', value, isLikelyWords);
    return isPhrase ? { start, end: start + value.length } : undefined;
  }
  const isGiven = /\s/.test(value)
    ? verdict(window, 'said phrase', value, (phrase) => isPassPhrase(phrase, 3))
    : verdict(window, 'made-up', value, isMadeUp);
  const isSecret =
    isGiven ||
    verdict(window, 'likely words', value, isLikelyWords) ||
    isEasternWord(value) ||
    ((isLoginSentence(window, name) || ENDS_IN_COPULA.test(words)) &&
      verdict(window, 'chosen words', value, isChosenWords));
  if (!isSecret) return undefined;
  const next = readNext(window, end, close);
  return { start, end: start + value.length, ...(next === undefined ? {} : { also: [next] }) };
}

/** `the password of the router is "blue"`, and no other verb. */
const ENDS_IN_COPULA =
  / (?:is|was|ist|war|lautet|est|était|es|era|é|è|adalah|ialah|это)(?: (?:now|still|simply|just|jetzt|noch|einfach|maintenant|ahora|agora|nu|sekarang|теперь))?$|^(?: [\p{L}-]{1,16}){0,3} to$/u;

/** `"…" -> "…"`: what the first was changed into. */
function readNext(window: TextWindow, end: number, close: string): Finding | undefined {
  const next = NEXT.exec(window.peek(end + 1, LONGEST_NEXT));
  if (next === null || next[1] !== close) return undefined;
  const [whole, , value = ''] = next;
  const start = end + 1 + whole.length - value.length;
  return verdict(window, 'uncommon words', value, isUncommonWords) ? { start, end: start + value.length } : undefined;
}

const LONGEST_NEXT = 56;
const NEXT = /^ (?:->|=>|→|to) (["'`])([^"'`\n]{5,40})(?=["'`])/;

/** `password **sate2lontong5**`: words and numbers in bold, right behind the name. */
function findBold(window: TextWindow, name: SecretName, ahead: string): Finding | undefined {
  const bold = IN_BOLD.exec(ahead);
  if (bold === null) return undefined;
  const [whole, value = ''] = bold;
  const isGiven =
    verdict(window, 'made-up', value, isMadeUp) ||
    verdict(window, 'uncommon words', value, isUncommonWords) ||
    isThoughtUpIn(window, value) ||
    (WORDS_AND_NUMBERS.test(value) && !NAMES_STANDARD.test(value) && !TRADE_WORDS.test(value));
  if (!isGiven) return undefined;
  const end = name.end + whole.length - 2;
  return { start: end - value.length, end };
}

const IN_BOLD = /^["'`*]{0,2}(?: is| adalah| now)?:? \*\*([^*\s]+)\*\*/i;
const WORDS_AND_NUMBERS = /^[a-z]{3,16}\d{1,4}[a-z]{3,16}\d{0,4}$|^[a-z]{4,16}\d{2,4}$/i;

/** `password changed "…"` */
const CHANGED = /^(?:changed|reset|updated|rotated|set)(?: from| to)?$/;

/** Nothing, whose it is, or a verb, and no word of something else. */
function leadsToValue(said: string): boolean {
  if (said === '' || CHANGED.test(said)) return true;
  const words = said.split(' ');
  const owner = words.findIndex((word) => SAID_OWNER_PREPOSITIONS.has(word));
  const named = owner < 0 ? words : words.slice(0, owner);
  if (named.some((word) => NAMES_ANOTHER_THING.has(word) || (NOT_THE_SECRET.has(word) && !OWNERS.has(word))))
    return false;
  return (
    words.some((word) => VERBS.has(word)) || (words.length <= MOST_OWNERS && words.every((word) => OWNERS.has(word)))
  );
}
