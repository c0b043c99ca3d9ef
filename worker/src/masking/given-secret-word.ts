import { isIn, LINE_END, QUOTE } from './characters.ts';
import type { GivenValue, Operator } from './given-value.ts';
import type { SecretName } from './secret-name.ts';
import { isSureWords } from './sure-words.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';
import { isLikelyWords } from './words-at-place.ts';

/**
 * Words alone that are given to a secret by its own name: `secret = radius of a circle`, `--secret owlpellet`,
 * `JWT_SECRET="tin can telephone"`. Names of other things stand at these places too (a secret of a cluster, a field, a
 * variable), so words count only where a literal, an option or a file of settings gives them.
 */
export function isSecretWordGiven(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue,
  text: string,
): boolean {
  if (name.kind !== 'secret' || operator.compares === true || value.below || value.cut) return false;
  if (operator.kind !== 'assign' && operator.sure !== true) return false;
  if (!MAY_BE_WORDS.test(text) || !verdict(window, 'sure words', text, isSureWords)) return false;
  const named = window.slice(name.start, name.end);
  const isOption = named.startsWith('--');
  if (!(isOption ? OF_OPTION : OF_SETTING).test(named)) return false;
  const isUncommon = verdict(window, 'likely words', text, isLikelyWords);
  const isPhrase = PHRASE.test(text);
  if (value.quoted)
    return (
      (isUncommon || isPhrase) &&
      (isOption || operator.tight || operator.sure === true || ASSIGNED.test(window.peek(name.end, 8)))
    );
  if (isOption) return isUncommon;
  return isUncommon && operator.tight && (value.last || isIn(window.at(value.end), QUOTE));
}

/** Three words. */
const PHRASE = /\S \S{1,24} \S/;

/** The rest of the line that a setting `secret = …` is given, from `start` on; undefined where words do not fill it. */
export function readPhraseOfSecret(window: TextWindow, name: SecretName, operator: Operator): GivenValue | undefined {
  if (name.kind !== 'secret' || operator.kind !== 'assign' || !OF_SETTING.test(window.slice(name.start, name.end)))
    return undefined;
  const sign = /^ {0,8}= ?(?=\p{L})/u.exec(window.peek(name.end, LONGEST_SIGN));
  if (sign === null || !BEGINS_LINE.test(window.left(name.start, LONGEST_INDENT))) return undefined;
  const start = name.end + sign[0].length;
  let end = start;
  while (end < start + LONGEST_PHRASE && !isIn(window.at(end), LINE_END) && window.at(end) >= 0) end++;
  const text = window.slice(start, end).trimEnd();
  if (
    !(PHRASE.test(text)
      ? verdict(window, 'sure words', text, isSureWords)
      : /\s/.test(text) && verdict(window, 'likely words', text, isLikelyWords))
  )
    return undefined;
  return { start, end: start + text.length, quoted: false, below: false, last: true, cut: false, call: false };
}

const LONGEST_SIGN = 12;
const LONGEST_PHRASE = 64;
const LONGEST_INDENT = 24;
const BEGINS_LINE = /(?:^|\n)[ \t]{0,16}(?:[\w-]{1,12}_)?$/;
const MAY_BE_WORDS = /^\p{L}[\p{L}\d .&+!#@~_-]{3,}$/u;
const OF_OPTION = /(?:secret|token|api-?key|access-?key|auth-?key|secret-?key)$/i;
const OF_SETTING = /(?:secret(?:_?key(?:_?base)?|OrKey)?|secreto|segredo|segreto|rahasia)$/i;
const ASSIGNED = /^["']? ?(?::\w+|: ?&?\w+)? ?(?::?=|=>)(?!=)/;
