import { CODE, isIn, QUOTE, SPACE } from './characters.ts';
import type { GivenValue, Operator } from './given-value.ts';
import { hasLoginBefore } from './login-beside.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';
import { isChosenWords, isLikelyWords } from './words-at-place.ts';

/** What a word begins with, and nothing that words do not hold. */
const MAY_BE_WORDS = /^\p{L}[^\s"'`()[\]{}<>$%/\\|:,=^]{1,}(?: [^\s"'`()[\]{}<>$%/\\|:,=^]+){0,6}$/u;
/** `renderPass`, `iconPassword`: a pass of a program, a part of a page. */
const NAMES_STAGE = /^icon|[a-z]Pass$|^-{0,2}pass$/;
const LONGEST_LINE = 96;

/** Whether words alone are the password that `name` is given, by the place where they stand. */
export function isPlainWordGiven(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue,
  text: string,
): boolean {
  if (
    value.cut ||
    (value.below && !isLineBelow(window, name, operator, value)) ||
    operator.kind === 'statement' ||
    operator.compares === true
  )
    return false;
  const isShort = name.end - name.start === 4 && window.matches(name.start, 'pass');
  if ((name.kind !== 'password' && !isShort) || (operator.kind === 'loose' && isPartOfList(window, name))) return false;
  if (!MAY_BE_WORDS.test(text) || !verdict(window, 'chosen words', text, isChosenWords)) return false;
  const named = window.slice(name.start, name.end);
  // A test gives another word to the field that confirms.
  if (/confirm|repeat|again|wrong|invalid/i.test(named)) return false;
  const isStage = NAMES_STAGE.test(named);
  if ((isStage || isShort) && !hasLoginBefore(window, name.start)) return false;
  const isUncommon = verdict(window, 'likely words', text, isLikelyWords);
  if (value.quoted)
    return (
      isQuotedWord(window, name, operator, text, isUncommon) ||
      (isUncommon && isLineOfSettings(window, name, operator, value))
    );
  const isElement = operator.kind === 'tag' || operator.kind === 'element';
  return (isElement || !/\s/.test(text)) && isBareWord(window, name, operator, value, isUncommon);
}

/** `'cmpsw', 'cmpxchg'`, `'prop', 'pwd', …`: a word of a list. */
function isPartOfList(window: TextWindow, { start, end }: SecretName): boolean {
  if (/[a-z](?:psw|pw|pwd)$/.test(window.slice(start, end))) return true;
  const quote = window.before(start - 1);
  const before = isIn(quote, QUOTE) ? window.before(window.runBefore(start - 1, SPACE, 24) - 1) : -1;
  return before === CODE.comma || before === CODE.openBracket;
}

/** In quotes labels stand as well: those begin with a capital, or are several words. */
function isQuotedWord(
  window: TextWindow,
  name: SecretName,
  { kind, tight }: Operator,
  text: string,
  isUncommon: boolean,
): boolean {
  if (isUncommon && text === text.toLowerCase() && (!/\s/.test(text) || kind !== 'loose')) return true;
  if (isUncommon && kind === 'assign' && (tight || ASSIGNED.test(window.peek(name.end, 16)))) return true;
  return (kind === 'assign' || isUncommon) && hasLoginBefore(window, name.start, text !== text.toLowerCase());
}

/** `password: "…"` and nothing else on its line, the key not in quotes: a setting of YAML. Of objects a comma follows. */
function isLineOfSettings(window: TextWindow, name: SecretName, { kind }: Operator, value: GivenValue): boolean {
  if (kind !== 'assign' || window.at(name.end) !== CODE.colon || window.at(name.end + 1) !== CODE.space) return false;
  const left = window.left(name.start, LONGEST_INDENT);
  if (!BEGINS_KEY.test(left.slice(left.lastIndexOf('\n') + 1))) return false;
  return /^["'][ \t]{0,4}(?:\n|\r|#|$)/.test(window.peek(value.end, 6));
}

const LONGEST_INDENT = 32;
const BEGINS_KEY = /^[ \t]{0,24}(?:- )?(?:\w{1,12}_)?$/;

/** `password = "…"`, and no `"password" = "…"`, as translations have it. */
const ASSIGNED = /^(?:["']\])?(?: ?(?::\w+)? ?:?=|: ?\w+ ?=|"?\]? <-)(?!=)/;

function isBareWord(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue,
  isUncommon: boolean,
): boolean {
  const next = window.at(value.end);
  if (operator.kind === 'tag' || operator.kind === 'element') return isUncommon && next === CODE.less;
  if (operator.kind === 'cell') return isUncommon && isRowOfName(window, name, value);
  if (value.below) return isUncommon && (value.last || next > CODE.space);
  if (operator.kind === 'loose' && value.last && DASHES.has(window.before(operator.end - 1)))
    return BEGINS_LINE.test(lineBefore(window, name)) && (isUncommon || hasLoginBefore(window, name.start));
  if (operator.kind !== 'assign') return false;
  // `密码是 …，`: no blank stands around a copula, nor behind the value.
  if (window.before(operator.end - 1) >= FIRST_EASTERN) return isUncommon;
  if (next > CODE.space && !ENDS_WORD.includes(String.fromCharCode(next))) return false;
  const left = window.slice(Math.max(0, name.start - LONGEST_LINE), name.start);
  const line = left.slice(left.lastIndexOf('\n') + 1);
  // `**Password:** …`
  if (value.last && isUncommon && window.before(value.start - 2) === CODE.star) return true;
  // `password: **…**`, and `password: …` in quotes of code.
  if (isUncommon && next === CODE.star && window.before(value.start - 1) === CODE.star) return true;
  if (isUncommon && next === CODE.backtick && window.before(name.start - 1) === CODE.backtick) return true;
  // `connect(user=user, password=word)`: the argument of a call.
  // `${DB_PASSWORD:-word}`, `print("Password: word")`
  if (isUncommon && next === CODE.closeBrace && window.left(name.start, 2) === '${') return true;
  if (isUncommon && isIn(next, QUOTE) && IN_LITERAL.test(line)) return true;
  if (line.lastIndexOf('(') > line.lastIndexOf(')') && /[\w\])]\([^()]*$/.test(line)) return false;
  if (isUncommon && !operator.tight && IN_SENTENCE.test(line) && !CODE_IN_LINE.test(line)) return true;
  if (operator.tight && value.last && hasLoginBefore(window, name.start)) return true;
  if (operator.tight) return isUncommon && (isIn(next, QUOTE) || !/^\s{0,40}$/.test(line) || value.last);
  if (isUncommon && BESIDE_USER.test(line)) return true;
  if (!(value.last || ENDS_COMMENT.test(window.peek(value.end, 4))) || !BEGINS_LINE.test(line)) return false;
  if (FOLLOWS_CODE.test(left.slice(0, left.length - line.length))) return false;
  // `user_password = hashpw`: in code a variable stands there.
  const isVariable = !/[:→]/.test(window.peek(name.end, 4)) && operator.end - name.end < 4;
  return (isUncommon && !isVariable) || hasLoginBefore(window, name.start);
}

/** `| Password | … |`: the name begins its row, and no divider follows as below a heading. */
export function isRowOfName(window: TextWindow, { start }: SecretName, { end }: GivenValue): boolean {
  const left = window.left(start, LONGEST_LINE);
  if (!BEGINS_ROW.test(left.slice(left.lastIndexOf('\n') + 1))) return false;
  return !DIVIDER_BELOW.test(window.peek(end, LONGEST_LINE));
}

const BEGINS_ROW = /^[ \t]{0,8}\|[\s*_`"]{0,6}(?:[\p{L}-]{1,16} ){0,2}$/u;
const DIVIDER_BELOW = /^[^\n]{0,72}\n[ \t]{0,8}\|? ?:?-/;

/** `Password:` as a label on a line of its own, and one word on the line below. */
export function isLineBelow(window: TextWindow, name: SecretName, { kind, end }: Operator, value: GivenValue): boolean {
  if (kind !== 'assign' || value.quoted || window.before(end - 1) !== CODE.colon) return false;
  const next = window.at(value.end);
  if (next > CODE.space && next !== CODE.backtick && next !== CODE.star) return false;
  return LABEL_ALONE.test(lineBefore(window, name)) && LINE_ENDS.test(window.slice(end, value.start));
}

/** What opens a block of code ends in a colon too: `if password:`. */
const LABEL_ALONE =
  /^[\s>*#•+-]{0,12}["'`*_]{0,3}(?!(?:if|elif|else|while|for|when|unless|not|return|case|def|with|match|try|except)\b)(?:[\p{L}-]{1,16} ){0,3}$/u;
const LINE_ENDS = /^[*_ \t]{0,4}\r?\n[^\n]{0,12}$|^[*_ \t]{0,4}\r?\n\r?\n[^\n]{0,4}$/;
const DASHES: ReadonlySet<number> = new Set([CODE.hyphen, CODE.enDash, CODE.emDash]);

function lineBefore(window: TextWindow, { start }: SecretName): string {
  const left = window.slice(Math.max(0, start - LONGEST_LINE), start);
  return left.slice(left.lastIndexOf('\n') + 1);
}

const FIRST_EASTERN = 0x2e80;
/** `…, password: word`, `(password: word)` in a sentence. */
const IN_SENTENCE = /(?:[,;.–—] |\()(?:[\p{L}-]{1,16} ){0,2}["'`*_]{0,3}$/u;
const CODE_IN_LINE = /[{}=<>[\]]|\w\(|\/\//;
/** What may stand right behind a word that is no part of a longer value. */
const ENDS_WORD = ',.&;)"\'`';
/** The mark of a list, of a comment or a quote. */
const BEGINS_LINE =
  /^(?:[\s>*#•+-]{0,24}|[ \t]{0,16}(?:\/\/|\/\*+|--|<!--|;|%) )["'`*_]{0,3}(?:[\p{L}\d-]{1,16} ){0,2}$/u;
/** `user: rina pass: …` on one line. */
const BESIDE_USER = /^[^=(){}]{0,24}\b(?:user(?:name)?|login|e-?mail) ?: ?[\w.@+-]{2,40}(?:[,;]| \/| [—–-])? $/i;
/** A literal that begins with the name. */
const IN_LITERAL = /[(,= ][a-z]?["'`](?:[\p{L}-]{1,16} ){0,3}$/u;
const ENDS_COMMENT = /^ (?:\*\/|-->)/;
/** The line before goes on: an object, a list of arguments, a statement. */
const FOLLOWS_CODE = /[,{(;]\s{0,8}\n$/;
