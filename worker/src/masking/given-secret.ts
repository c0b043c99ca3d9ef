import { CODE, isIn, LOWER, QUOTE } from './characters.ts';
import { isDrawnPlainly } from './drawn-value.ts';
import { isKeyOfNoise, isOfSession } from './given-key.ts';
import { isPhraseGiven } from './given-phrase.ts';
import { isPlainWordGiven } from './given-plain-word.ts';
import { isSecretWordGiven } from './given-secret-word.ts';
import { isSettingGiven } from './given-setting.ts';
import { isNamedArgument, isTold } from './given-told.ts';
import type { GivenValue, Operator } from './given-value.ts';
import { isConfiguredWord, isNumberedWords } from './given-word.ts';
import { NAMES_SOMETHING, NAMES_STANDARD, TRADE_WORDS, WORDS_OF_A_SENTENCE } from './lexicon/values.ts';
import { isJoinedAsNames, isMadeUp, isPassPhrase, isWordGiven } from './made-up.ts';
import { saysItsName } from './name-said.ts';
import { isUncommonWords, mayBeWords } from './plain-words.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { UUID } from './value-grammar.ts';
import { BRACKETED, isGivenInStatement } from './value-judge.ts';
import { isDrawnIn, isSecretIn, verdict } from './verdicts.ts';

/**
 * The thresholds. Each was fitted by hand on the cases of the bench and the documentation of the installed packages. What
 * moves when one is turned by a step was measured in two ways. "Stay" is how many more values stay of 8,960 that were drawn
 * (ten kinds of value of 6 to 330 characters, given in 14 ways; 3,343 stay). "Words" is how many more are masked of 840
 * words and names given in the same ways (68 are). In 19 MB of installed documentation and sources, where 141 keys are
 * masked, and in the cases of the bench nothing moves with any of them.
 */
/** Characters of a value that are judged: bounds the work. Turned to 256 or 512: nothing. */
export const LONGEST_JUDGED = 300;
/** A value given to a name with an unknown ending, `secretabc`. Turned to 8: nothing; 12: +62 stay. */
const SHORTEST_GLUED = 10;
/** A secret that was thought up behind `??`. */
const SHORTEST_LOOSE = 16;
/** A password on the line below its name. Turned to 6: -104 stay, +28 words; 10: +112 stay, -8 words. */
const SHORTEST_BELOW = 8;
/** A password after `pass:` alone. Turned to 6: -49 stay; 10: +54 stay. */
const SHORTEST_AFTER_PASS = 8;
/** How far before a value the mark of its code block may stand. Turned to 8 or 32: nothing. */
const REACH_OF_FENCE = 16;
/** Fewer letters alone are a word of the sentence. Turned to 14: -22 stay; 18: +23 stay. */
const SHORTEST_DRAWN_LETTERS = 16;

/** Whether `value` is the secret that `name` names, by how it was given and by what it looks like. */
export function isGivenSecret(window: TextWindow, name: SecretName, operator: Operator, value: GivenValue): boolean {
  const text = window.slice(value.start, Math.min(value.end, value.start + LONGEST_JUDGED));
  const next = window.at(value.end);
  if (operator.kind === 'statement') return value.quoted && verdict(window, 'statement', text, isGivenInStatement);
  if (operator.kind === 'element') return isSecretElement(window, name, text, next);
  if (!value.quoted && (next === CODE.openParenthesis || (value.call && !BRACKETED.test(text)))) return false;
  if (value.quoted && (isPhrase(window, name, operator, text) || isKeyOfNoise(window, name, text))) return true;
  if (saysItsName(window, name, text) || (isPassOption(window, name) && isSentenceWord(text))) return false;
  const byName = isGivenByName(window, name, operator, value, text);
  if (byName !== undefined) return byName;
  if (operator.kind === 'loose' && value.quoted && /^[A-Z_]{3,32}=/.test(text)) return false;
  if (value.quoted && operator.kind === 'loose' && name.kind !== 'vendor')
    return (
      isDrawnIn(window, text) ||
      (name.kind === 'password' && (judgedAs(window, text, 'secret', true) || isThoughtUpIn(window, text))) ||
      (name.kind === 'secret' && text.length >= SHORTEST_LOOSE && isThoughtUpIn(window, text))
    );
  if (name.kind === 'glued')
    return (
      operator.kind === 'assign' &&
      !value.below &&
      isDrawnIn(window, text) &&
      text.length >= SHORTEST_GLUED &&
      !/^[0-9a-f-]+$/i.test(text)
    );
  if (operator.kind === 'tag' && isIn(window.before(operator.end - 2), QUOTE))
    return isSecretElement(window, name, text, next);
  if (
    operator.kind === 'tag' &&
    (window.before(name.start - 1) !== CODE.less || !(next === CODE.less || next <= CODE.space))
  )
    return false;
  if (
    value.below &&
    operator.kind !== 'tag' &&
    (name.kind === 'weak' || name.kind === 'vendor') &&
    /^[0-9a-f-]+$/i.test(text)
  )
    return false;
  if (value.below && name.kind === 'password' && operator.kind === 'assign')
    return isPasswordBelow(window, value, text);
  if (name.kind === 'vendor' && isId(window, name, text)) return false;
  if (name.kind === 'weak' && ROW_ID.test(text)) return false;
  if (value.below || operator.kind === 'loose' || name.kind === 'vendor') {
    const drawn = isDrawnIn(window, text) || (name.kind === 'vendor' && isDrawnPlainly(text));
    return drawn && !isSentenceWord(text);
  }
  if (name.kind === 'weak' && operator.kind === 'assign' && value.last && isPassAlone(window, name))
    return isBehindPass(window, name, value, text);
  const environment = operator.tight && !value.quoted && (isUpper(window, name) || isOption(window, name));
  const sentence = !value.quoted && !value.last && operator.kind === 'assign' && !operator.tight;
  return isSecretIn(window, text, {
    name: name.kind === 'password' ? 'password' : name.kind === 'secret' ? 'secret' : 'weak',
    quoted: value.quoted,
    environment,
    exact: name.kind === 'secret' && isExact(window, name),
    prose: sentence || operator.kind === 'cell',
  });
}

/** What the kind of the name decides alone, whatever the value looks like; undefined where that has to be judged. */
function isGivenByName(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue,
  text: string,
): boolean | undefined {
  if (name.repeated === true) return value.quoted && operator.kind !== 'loose' && isCompared(window, text);
  if (name.kind === 'password' && isConfiguredWord(window, name, operator, value, text)) return true;
  if (isPlainWordGiven(window, name, operator, value, text)) return true;
  if (isSettingGiven(window, name, operator, value, text)) return true;
  if (name.kind === 'password' && value.quoted && isNamedArgument(window, name, operator))
    return verdict(window, 'statement', text, isGivenInStatement);
  if (operator.compares === true && value.quoted && (name.kind === 'password' || isPassAlone(window, name)))
    return isCompared(window, text);
  if (
    (name.kind === 'password' || (value.quoted && isPassAlone(window, name))) &&
    isPhraseGiven(window, operator, value, text, name)
  )
    return true;
  if (name.kind === 'secret' && value.quoted && operator.kind === 'assign' && isExactOf(window, name, text))
    return true;
  if (
    name.kind === 'secret' &&
    value.quoted &&
    isOfSession(window, name) &&
    verdict(window, 'may be words', text, mayBeWords)
  )
    return true;
  if (isTold(window, name, operator, value, text) || isSecretWordGiven(window, name, operator, value, text))
    return true;
  // `SECRET_KEY = "anggrek-bulan-putih-99"`
  if (name.kind === 'secret' && value.quoted && isNumberedWords(window, name, text)) return true;
  return undefined;
}

/** What stands on the line below the name of a password. */
function isPasswordBelow(window: TextWindow, value: GivenValue, text: string): boolean {
  if (!isSetApart(window, value))
    return value.last && (isDrawnIn(window, text) ? !isSentenceWord(text) : isThoughtUpIn(window, text));
  return (
    /[a-z]/i.test(text) && /\d/.test(text) && text.length >= SHORTEST_BELOW && judgedAs(window, text, 'password', true)
  );
}

/** `kodeRahasia = "Durian(Montong)4"`: words with a number, and marks that no name has. */
function isExactOf(window: TextWindow, name: SecretName, text: string): boolean {
  if (!/\d/.test(text) || /\s/.test(text) || isJoinedAsNames(text)) return false;
  return SAYS_SECRET.test(window.slice(name.start, name.end)) && verdict(window, 'made-up', text, isMadeUp);
}

const SAYS_SECRET = /(?:secret|rahasia|secreto|segreto|segredo|geheimnis)$/i;

/** `password != "…"`: what a password is compared with is one, if it is no word of the program. */
function isCompared(window: TextWindow, text: string): boolean {
  if (/\s/.test(text) || TRADE_WORDS.test(text) || NAMES_STANDARD.test(text)) return false;
  if (isDrawnIn(window, text) || verdict(window, 'made-up', text, isMadeUp)) return true;
  if (verdict(window, 'uncommon words', text, isUncommonWords)) return true;
  const isMarked = /[a-z]/i.test(text) && (/\d/.test(text) || JOINED_BY_MARK.test(text));
  return isMarked && !NAMES_SOMETHING.test(text) && judgedAs(window, text, 'password', true);
}

const JOINED_BY_MARK = /^[A-Za-z]{2,20}(?:[&*+#@!%^~=][A-Za-z\d]{2,20}){1,4}[!?]?$/;

/** `pass: …`, alone and at the end of its line. */
function isBehindPass(window: TextWindow, name: SecretName, { quoted }: GivenValue, text: string): boolean {
  return (
    /^[\x21-\x7e]+$/.test(text) &&
    (/^\d+$/.test(text) || /[A-Za-z]/.test(text)) &&
    /\d/.test(text) &&
    text.length >= SHORTEST_AFTER_PASS &&
    // `PASS: addr2line`: the result of a test.
    (!isUpper(window, name) || isThoughtUpIn(window, text)) &&
    judgedAs(window, text, 'password', quoted)
  );
}

/** `MASTER_PASSPHRASE="…"`: words, and none of those that speak of passwords. */
function isPhrase(window: TextWindow, name: SecretName, operator: Operator, text: string): boolean {
  // `session({ secret: '…' })`: five words or more, all of them small.
  if (name.kind === 'secret' && operator.kind === 'assign' && isExact(window, name))
    return (
      /^[a-z]{2,16}(?: [a-z]{2,16}){3,11}$/.test(text) && isPhraseOf(window, text, isSetting(window, name) ? 4 : 5)
    );
  if (name.kind !== 'password' || operator.kind === 'loose' || !text.includes(' ') || !isPhraseOfWords(text))
    return false;
  const named = window.slice(name.start, name.end);
  if (!/passphrase$/i.test(named) && !(operator.tight && /\d/.test(text) && isUpper(window, name))) return false;
  return !WORDS_OF_A_SENTENCE.test(text) && !TRADE_WORDS.test(text);
}

/** Behind a colon four words are as often a label. */
function isPhraseOf(window: TextWindow, text: string, least: number): boolean {
  return verdict(window, `phrase ${least}`, text, (words) => isPassPhrase(words, least));
}

/** `turn_shared_secret = `, `JWT_SECRET=`: a name of a setting, and an equals sign. */
function isSetting(window: TextWindow, name: SecretName): boolean {
  return window.slice(name.start, name.end).includes('_') && /^["']?\s{0,4}=/.test(window.peek(name.end, 6));
}

/** Three to twelve words with blanks between them, and a comma here and there. */
function isPhraseOfWords(text: string): boolean {
  const words = text.replace(/[!?.]$/, '').split(' ');
  if (words.length < 3 || words.length > 12 || (words[0] ?? '').length < 2) return false;
  return words.every((word) => WORD_OF_PHRASE.test(word)) && !text.includes(',', text.lastIndexOf(' '));
}

const WORD_OF_PHRASE = /^[\p{L}\d]{1,16},?$/u;

/** What the element behind the one with the name holds, up to its end: a drawn value, or a password that was thought up. */
function isSecretElement(window: TextWindow, name: SecretName, text: string, next: number): boolean {
  if (next !== CODE.less && next > CODE.space && next !== CODE.question) return false;
  if (name.kind === 'password' && next === CODE.less && verdict(window, 'uncommon words', text, isUncommonWords))
    return true;
  if (isSentenceWord(text)) return false;
  if (isDrawnIn(window, text)) return true;
  if (name.kind !== 'password') return false;
  return (
    isThoughtUpIn(window, text) || (WORDS_WITH_MARK.test(text) && verdict(window, 'word at place', text, isWordGiven))
  );
}

const WORDS_WITH_MARK = /^[A-Za-z]{3}[A-Za-z]*(?:[-_&+][A-Za-z]{3}[A-Za-z]*)+[-_]?\d{0,4}$/;

/** `"sasl.password", "kopi-susu-77"`: letters and digits or a mark, and neither a word of the trade nor the name of something. */
export function isThoughtUpIn(window: TextWindow, text: string): boolean {
  return (
    THOUGHT_UP.test(text) &&
    !NAMES_SOMETHING.test(text) &&
    !NAMES_STANDARD.test(text) &&
    !TRADE_WORDS.test(text) &&
    judgedAs(window, text, 'password', true)
  );
}

/** A mark, a capital and two digits, digits behind letters alone, or words with a capital that a mark or a digit joins. */
const THOUGHT_UP =
  /^(?=\S{6,64}$)(?:(?=.*[A-Za-z])(?=.*\d)(?:.*[!#$%&*@^~]|(?=.*[A-Z]).*\d.*\d|[a-z]+\d\d|[A-Za-z]{3,16}[-_.][A-Z][a-z]{2,16}[-_.]?\d$|[A-Z][a-z]{2,16}\d[A-Z][a-z]{2,16}$)|[A-Z][a-z]{2,12}(?:[+*=~][A-Z][a-z]{2,12}){2,4}$)/;

/** The name ends in the secret word itself, `JWT_SECRET`. */
function isExact(window: TextWindow, { start, end }: SecretName): boolean {
  return /(?:secret|token|secret_?key|api_?key)$/i.test(window.slice(Math.max(start, end - LONGEST_EXACT), end));
}

/** `secret_key`, the longest of the words that such a name ends in. */
const LONGEST_EXACT = 10;

/** `--pass=early`: as often a stage of a program as a password. */
function isPassOption(window: TextWindow, name: SecretName): boolean {
  return window.slice(name.start, name.end) === '--pass';
}

/** `key="row-7fa31c2b"`: a word and a number of something. */
const ROW_ID = /^[a-z]{2,12}-[\da-f]{4,10}$/;

/** `AZURE_CLIENT_ID=` and a UUID: the number of something, as its name says; and what Stripe's objects are called by. */
function isId(window: TextWindow, name: SecretName, text: string): boolean {
  if (/^(?:price|prod|cus|sub|plan|acct|evt)_/.test(text)) return true;
  // Twilio's identifiers say which account or service is meant (twilio.com/docs/glossary/what-is-a-sid).
  if (/^[A-Z]{2}[\da-f]{32}$/.test(text) && /sid$/i.test(window.slice(name.start, name.end))) return true;
  return UUID.test(text) && /(?:[_-]|[a-z](?=I))ids?$/i.test(window.slice(name.start, name.end));
}

/** In quotes, or in a code block of its own. */
function isSetApart(window: TextWindow, { quoted, start }: GivenValue): boolean {
  return quoted || window.left(start, REACH_OF_FENCE).includes('```');
}

/** `pass: …` on a line of its own: short for password, if the value looks like one. */
function isPassAlone(window: TextWindow, name: SecretName): boolean {
  return name.end - name.start === 4 && window.matches(name.start, 'pass');
}

function judgedAs(window: TextWindow, text: string, name: 'password' | 'secret', quoted: boolean): boolean {
  return isSecretIn(window, text, { name, quoted, environment: false, prose: false });
}

function isSentenceWord(text: string): boolean {
  return /^[A-Za-z]+$/.test(text) && text.length < SHORTEST_DRAWN_LETTERS;
}

/** `DB_PASSWORD`: a name of the environment. */
function isUpper(window: TextWindow, name: SecretName): boolean {
  for (let index = name.start; index < name.end; index++) if (isIn(window.code(index), LOWER)) return false;
  return true;
}

/** `--password=…` and `-e API_TOKEN=…` give plain values, as an environment file does. */
function isOption(window: TextWindow, name: SecretName): boolean {
  return window.text.startsWith('--', name.start) || window.before(name.start - 1) === CODE.hyphen;
}
