import { BLANK, CODE, isIn, LOWER, UNDERSCORE } from './characters.ts';
import { isForeignLetter, skipForeignQuote } from './given-in-words.ts';
import { isLineBelow } from './given-plain-word.ts';
import { readPhraseOfSecret } from './given-secret-word.ts';
import { isRestOfSetting } from './given-setting.ts';
import type { GivenValue, Operator } from './given-value.ts';
import { hasLoginBefore } from './login-beside.ts';
import { isAppPassword, isJoinedAsNames, isMadeUp, isPassPhrase } from './made-up.ts';
import { isUncommonWords } from './plain-words.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';
import { holdsJoint, isChosenWords, isEasternWord, isLikelyWords } from './words-at-place.ts';

/** `pass` alone is given a text as often. */
const SHORTEST_NAME = 4;
/** A longer line is no password. */
const LONGEST_LINE = 64;

/** Whether `text` is a password made of words, for how it was given to a password's name. */
export function isPhraseGiven(
  window: TextWindow,
  operator: Operator,
  value: GivenValue,
  text: string,
  name: SecretName,
): boolean {
  if (operator.kind === 'statement' || value.below) return false;
  if (value.quoted && verdict(window, 'app-password', text, isAppPassword)) return true;
  if (/\s/.test(text))
    return (
      value.quoted &&
      operator.kind !== 'loose' &&
      (name.end - name.start > SHORTEST_NAME || window.matches(name.start, 'psk')) &&
      isPhraseIn(window, operator, value, text, name)
    );
  // `MODULE_PASS("pre-selection-lowering", …)`: a pass of a program.
  if (operator.kind === 'loose' && window.matches(name.end - 4, 'pass')) return false;
  if (!MAY_BE_MADE_UP.test(text) || !verdict(window, 'made-up', text, isMadeUp)) return false;
  // What is not in quotes may be code: there names have the same marks.
  return value.quoted || isPlain(window, name, operator, value, text);
}

/** A capital, or words that hyphens join. */
const MAY_BE_MADE_UP = /\p{Lu}\p{Ll}|-[a-z]+-/u;

function isPlain(window: TextWindow, name: SecretName, operator: Operator, value: GivenValue, text: string): boolean {
  if (operator.kind === 'cell') return true;
  if (operator.kind === 'tag' || operator.kind === 'element') return window.at(value.end) === CODE.less;
  if (operator.tight && PLAINLY_JOINED.test(text)) return true;
  // `**Password:** Oseng(Tempe)`
  if (value.last && window.before(value.start - 2) === CODE.star) return true;
  if ((!value.last && !operator.tight) || operator.kind === 'loose' || (!operator.tight && CALLED.test(text)))
    return false;
  return !isJoinedAsNames(text) || isConfigured(window, name, operator) || isOfCommand(window, name, operator);
}

/** No call, no reference and no constant. */
const PLAINLY_JOINED = /^[^._:\\()[\]]*$/;

/** `--set auth.password=…`, `--from-literal=password=…`: a setting that a command is given. */
function isOfCommand(window: TextWindow, { start }: SecretName, { tight }: Operator): boolean {
  if (!tight) return false;
  const left = window.left(start, LONGEST_OPTION);
  const sign = Math.max(left.lastIndexOf('='), left.lastIndexOf(' ')) + 1;
  return OPTION_OF_COMMAND.test(left.slice(0, sign)) && PARENTS_OF_SETTING.test(left.slice(sign));
}

const LONGEST_OPTION = 72;
const OPTION_OF_COMMAND = /(?:^|\s)--?[a-z][\w-]{0,24}[= ]$/;
const PARENTS_OF_SETTING = /^["']?(?:[\w-]+\.){0,4}$/;
const CALLED = /^[\w.]+\(/;

/** `NAME=…` or `name = …` or `name: …` as the first word of its line, as in a file of settings. */
function isConfigured(window: TextWindow, name: SecretName, operator: Operator): boolean {
  if (operator.kind !== 'assign') return false;
  const left = window.left(name.start, LONGEST_AHEAD);
  const line = left.slice(left.lastIndexOf('\n') + 1);
  const text = line.trimStart();
  return line.length - text.length <= DEEPEST_SETTING && BEGINS_SETTING.test(text);
}

const LONGEST_AHEAD = 32;
const DEEPEST_SETTING = 20;
/** What stands before a setting on its line: the mark of a list, of a comment or of a change, a word of a shell, a name in another alphabet. */
const BEGINS_SETTING =
  /^[-+#*;>]?\s{0,4}(?:export |set |env |arg |\$env:|kata |mot de |new |initial |temporary |default |geçici |neues |nueva |nova )?["'`*]{0,3}[^\0-\u007f]{0,12}$/i;

/** `ADMIN_PASS="sambal terasi"`: a shell's setting. */
const ENDS_CONSTANT = /^[A-Z\d_]+_(?:PASS|PASSWORD|PASSWD|PWD|PW|PSK)$/;
const ENDS_SHORT = /(?:[a-z\d]P|[_-]p)(?:ass|wd?)$/;

/** Words in quotes: as few as two with a number, three behind an equals sign, four behind a colon, where labels stand too. */
function isPhraseIn(
  window: TextWindow,
  operator: Operator,
  { start }: GivenValue,
  text: string,
  name: SecretName,
): boolean {
  const isCode = window.before(start - 1) === CODE.backtick;
  // `svcPass: '…'`: short forms name no field of a form.
  const isColon =
    window.left(start, 4).includes(':') && !isCode && !ENDS_SHORT.test(window.slice(name.start, name.end));
  const least =
    /\d/.test(text) || (operator.tight && ENDS_CONSTANT.test(window.slice(name.start, name.end)))
      ? 2
      : isColon || operator.kind === 'element' || operator.kind === 'tag'
        ? 4
        : isCode
          ? 2
          : 3;
  return verdict(window, `phrase ${least}`, text, (phrase) => isPassPhrase(phrase, least));
}

/**
 * The rest of the line behind the operator of a setting, where it is a password that a bare value does not hold: words
 * with blanks, with a semicolon or a bracket, or with letters that ASCII has not.
 */
export function readRestOfLine(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue | undefined,
): GivenValue | undefined {
  if (name.kind === 'password' && operator.kind === 'assign' && value?.quoted !== true && value?.below !== true) {
    const goesOn = value === undefined ? -1 : window.at(value.end);
    if (value === undefined || goesOn > CODE.delete) {
      const from = skipForeignQuote(window, window.run(operator.end, BLANK, 2));
      const word = readForeignWord(window, value?.start ?? from);
      if (word !== undefined) return word;
    }
  }
  if (name.kind === 'secret') return readPhraseOfSecret(window, name, operator);
  const isAlone = name.end - name.start === SHORTEST_NAME && window.matches(name.start, 'pass');
  if ((name.kind !== 'password' && !isAlone) || operator.kind !== 'assign') return undefined;
  const isLabelled = !isAlone && isLabelOfLine(window, name, operator);
  if (!isLabelled && !isConfigured(window, name, operator)) return undefined;
  if (value?.below === true)
    return isLineBelow(window, name, operator, value) ? readLineBelow(window, value) : undefined;
  // A block scalar begins on the next line.
  const start = value?.start ?? window.run(operator.end, BLANK, 8);
  let end = start;
  while (end < start + LONGEST_LINE && window.at(end) >= CODE.space) end++;
  if (end === start + LONGEST_LINE) return undefined;
  const text = window.slice(start, end).trimEnd();
  if (ENDS_STATEMENT.test(text) || (!operator.tight && CALLED.test(text))) return undefined;
  const isSetting =
    (value !== undefined && value.start > operator.end + 4) ||
    operator.tight ||
    isUncommonPhrase(window, text) ||
    hasJoint(window, name) ||
    /\d/.test(text) ||
    hasLoginBefore(window, name.start);
  if (isLabelled && verdict(window, 'likely phrase', text, isLikelyPhrase))
    return lineOf(start, start + text.replace(/[.*_]{1,3}$/, '').length);
  const isGiven = /\s/.test(text)
    ? !isAlone &&
      (isRestOfSetting(window, name, operator, text) || isSetting) &&
      (isRestOfSetting(window, name, operator, text) ||
        verdict(window, 'line', text, (phrase) => isPassPhrase(phrase, /\d/.test(phrase) ? 2 : 3)) ||
        (!operator.tight && isUncommonPhrase(window, text)) ||
        isWordsBesideLogin(window, name, text))
    : verdict(window, 'made-up', text, isMadeUp) ||
      (isForeignLetter(window.at(value?.end ?? start)) && verdict(window, 'uncommon words', text, isUncommonWords));
  return isGiven ? lineOf(start, start + text.length) : undefined;
}

function lineOf(start: number, end: number): GivenValue {
  return { start, end, quoted: false, below: false, last: true, cut: false, call: false };
}

/** `WPA2 passphrase: …`, `Your new password: …`: the label begins its line, and a colon ends it. */
function isLabelOfLine(window: TextWindow, name: SecretName, { end, tight }: Operator): boolean {
  const { start } = name;
  const sign = window.before(end - 1);
  if (tight || !IN_ENGLISH.test(window.slice(start, name.end)) || (sign !== CODE.colon && sign !== CODE.rightArrow))
    return false;
  const left = window.left(start, LONGEST_LABEL);
  return BEGINS_LABEL.test(left.slice(left.lastIndexOf('\n') + 1));
}

/** Of other languages too few words are known as common ones. */
export const IN_ENGLISH =
  /^(?:[\w-]{0,12}(?:pass ?(?:word|phrase|code)|passwd|psk|pwd)|(?:wi-?fi|network|security|wpa2?|pre-?shared) key)$/i;
const LONGEST_LABEL = 64;
const BEGINS_LABEL = /^[^\p{L}\p{N}\n]{0,12}(?:[\p{L}\d'’-]{1,16} ){0,3}$/u;

/** Three to eight words up to the end of the line, half of them uncommon, that do not begin as a sentence does. */
function isLikelyPhrase(text: string): boolean {
  const phrase = text.replace(/[.*_]{1,3}$/, '');
  const [first = '', ...others] = phrase.split(' ');
  if (
    others.length < 2 ||
    others.length > 7 ||
    SAID_OF_SOMETHING.test(first) ||
    DESCRIBES.test(phrase) ||
    holdsJoint(phrase)
  )
    return false;
  return isLikelyWords(phrase);
}

const SAID_OF_SOMETHING = /(?:[^aeioun]ed|ly|able|ible|s)$/;
/** `something memorable`: what one should be like. */
const DESCRIBES =
  /(?:able|ible|less|ful|ous)\b|\b(?:something|anything|nothing|whatever|any|yours?|mine|words?|phrases?|choose|pick|ideally|preferably)\b/i;

/** The words alone on the line below a label. */
function readLineBelow(window: TextWindow, value: GivenValue): GivenValue | undefined {
  const line = window.peek(value.start, LONGEST_LINE).split('\n', 1)[0] ?? '';
  const text = line.trimEnd();
  if (line.length === LONGEST_LINE || !/\s/.test(text) || ENDS_STATEMENT.test(text)) return undefined;
  return verdict(window, 'likely words', text, isLikelyWords)
    ? { ...value, end: value.start + text.length, last: true }
    : undefined;
}

/** `Wachtwoord router: paarse olifant`: all its words are uncommon. */
function isUncommonPhrase(window: TextWindow, text: string): boolean {
  if (!/^\p{L}+(?: \p{L}+){1,4}$/u.test(text)) return false;
  return verdict(window, 'uncommon phrase', text, (phrase) => phrase.split(' ').every((word) => isUncommonWords(word)));
}

/** `Kata sandi: bunga melati` below a user: two words without a number. */
function isWordsBesideLogin(window: TextWindow, name: SecretName, text: string): boolean {
  return verdict(window, 'chosen words', text, isChosenWords) && hasLoginBefore(window, name.start);
}

/** `Снежинка-2041`: a word with letters that ASCII has not, and a number. */
function readForeignWord(window: TextWindow, start: number): GivenValue | undefined {
  let end = start;
  while (end < start + LONGEST_LINE && window.at(end) > CODE.space && !ENDS_EASTERN.test(window.text.charAt(end)))
    end++;
  end = window.trim(start, end, '.,:;');
  const word = window.slice(start, end);
  if (!/[^\0-\u007f]/.test(word)) return undefined;
  if (isEasternWord(word) && (/\d/.test(word) || LINE_ENDS.test(window.peek(end, 2))))
    return { start, end, quoted: false, below: false, last: true, cut: false, call: false };

  if (!FOREIGN_WORD.test(word) && !(ONE_WORD.test(word) && verdict(window, 'uncommon words', word, isUncommonWords)))
    return undefined;
  return { start, end, quoted: false, below: false, last: false, cut: false, call: false };
}

const ENDS_EASTERN = /[，。；、！？「」『』（）]/;
const LINE_ENDS = /^[。．」』”》]?(?:$|\r?\n)|^[」』”》]|^ ?(?:で|を|に|登|进|進)/;
const FOREIGN_WORD = /^\p{L}{3,16}(?:[-_.!@#$%&*+]\p{L}{2,16})?[-_.!@#$%&*+]?\d{2,6}[!?]?$/u;
const ONE_WORD = /^\p{L}{5,24}$/u;
const ENDS_STATEMENT = /[;,"'`({[]$/;

/** `ansible_become_pass`, `GRAFANA_PW`: no word of a sentence. */
function hasJoint(window: TextWindow, { start, end }: SecretName): boolean {
  let joint = false;
  let lower = false;
  for (let index = start; index < end; index++) {
    if (isIn(window.code(index), UNDERSCORE) || window.code(index) === CODE.dot) joint = true;
    else if (isIn(window.code(index), LOWER)) lower = true;
  }
  return joint || !lower;
}
