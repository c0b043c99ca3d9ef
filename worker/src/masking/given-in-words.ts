import { ALNUM, BLANK, CODE, isIn, LETTER, QUOTE, tableOf, WORD } from './characters.ts';
import type { Operator } from './given-value.ts';
import { COPULAS, OPENING_QUOTES, SPEAKS_OF_PASSWORDS } from './lexicon/names-elsewhere.ts';
import type { TextWindow } from './text-window.ts';

const FIRST_LETTER = 0xc0;
const LAST_LETTER = 0x24f;
const [FIRST_GREEK_OR_CYRILLIC, LAST_GREEK_OR_CYRILLIC] = [0x370, 0x52f];
const FIRST_EASTERN = 0x2e80;
/** A longer word is none. */
const LONGEST_WORD = 32;

/** A letter of a European language that ASCII has not. */
export function isForeignLetter(code: number): boolean {
  return (
    (code >= FIRST_LETTER && code <= LAST_LETTER) || (code >= FIRST_GREEK_OR_CYRILLIC && code <= LAST_GREEK_OR_CYRILLIC)
  );
}

/** The end of a word with letters outside ASCII that begins at `from`, or -1 when none is in it. */
export function endOfForeignWord(window: TextWindow, from: number): number {
  let index = from;
  let foreign = false;
  for (; index < from + LONGEST_WORD; index++) {
    const code = window.at(index);
    if (isForeignLetter(code)) foreign = true;
    else if (!isIn(code, LETTER)) break;
  }
  return foreign && index < from + LONGEST_WORD ? index : -1;
}

/** Behind a name in Chinese, Japanese or Korean: where the copula or colon ends that gives it its value, or -1. */
export function endOfCopula(window: TextWindow, from: number): number {
  const code = window.at(from);
  const isBehindEastern = window.before(from - 1) >= FIRST_EASTERN;
  const said = isBehindEastern && code > CODE.delete ? SAID_EASTERN.exec(window.peek(from, LONGEST_CHANGE)) : null;
  if (said !== null) return from + said[0].length;
  // `合言葉 …`
  if (isBehindEastern && code === CODE.space && window.at(from + 1) >= FIRST_EASTERN) return from + 1;
  // `密钥a1B2…`: no blank stands between the noun and its value.
  if (isIn(code, ALNUM)) return isBehindEastern ? from : -1;
  if (code > CODE.delete && isOpeningEastern(code)) return isBehindEastern ? from : -1;
  if (code < FIRST_EASTERN) return -1;
  const copula = String.fromCharCode(code);
  if (!COPULAS.includes(copula)) return endOfChange(window, from);
  // `是：`
  if (COPULAS.includes(String.fromCharCode(window.at(from + 1)))) return from + 2;
  return goesOn(window, from + 1, copula) ? -1 : from + 1;
}

const LONGEST_SAID = 32;
const EASTERN_LETTERS = /^ ?([\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,31})([\w"'`「『“]?)/;
/** Longer words of those letters alone are a sentence. */
const LONGEST_PHRASE = 8;
/** `です` behind a value is none of it. */
const IS_SAID = /(?:です|でした|だ|입니다)$/;

/**
 * `パスワードを忘れた場合は`, `密码为空时无法登录`: a sentence goes on behind the particle, and gives no value. One that stands there
 * without quotes holds other characters, is short, and says nothing of passwords; behind `を` there is what is done with it.
 */
function goesOn(window: TextWindow, from: number, copula: string): boolean {
  const [, said = '', behind = ''] = EASTERN_LETTERS.exec(window.peek(from, LONGEST_SAID)) ?? [];
  if (said === '' || behind !== '' || '：＝'.includes(copula)) return false;
  const phrase = said.replace(IS_SAID, '');
  return copula === 'を' || phrase.length > LONGEST_PHRASE || SPEAKS_OF_PASSWORDS.test(phrase);
}

/** `密码「…」`, `密码“…”`: the quote follows the noun. */
function isOpeningEastern(code: number): boolean {
  return '「『“《'.includes(String.fromCharCode(code));
}

/** Behind the mark at `at` that ends the tag of a name, and the tag of the element in it that holds its value. */
export function endOfTag(window: TextWindow, at: number): number {
  return at + 1 + (window.matches(at + 1, VALUE_TAG) ? VALUE_TAG.length : 0);
}

const VALUE_TAG = '<value>';

/** `已经改成了`: where the words end that say to what it was changed, or -1. */
function endOfChange(window: TextWindow, from: number): number {
  const changed = CHANGED.exec(window.peek(from, LONGEST_CHANGE));
  return changed === null ? -1 : from + changed[0].length;
}

/** `统一为`, `现在是`: an adverb before the copula. */
const SAID_EASTERN =
  /^(?:统一|都|全部|默认|现在|暂时|目前|仍然|还|就|应该|应|一律|今后|今は|現在は)(?:设|改|設)?(?:是|为|為|成)[：:]?/;
const LONGEST_CHANGE = 10;
const CHANGED = /^(?:已经|已經|已|现在|現在|被)?(?:改|设|設|更新|换|換|重置|设置|設置|设定|設定)(?:成|为|為|到)了?/;

/** Steps over one quote that is none of ASCII. */
export function skipForeignQuote(window: TextWindow, from: number): number {
  const code = window.at(from);
  return code > CODE.tilde && OPENING_QUOTES.includes(String.fromCharCode(code))
    ? window.run(from + 1, BLANK, 2)
    : from;
}

/** `#define NAME "value"`: the blank behind the name gives it its value. */
export function isDefined(window: TextWindow, nameStart: number, nameEnd: number): boolean {
  return (
    isIn(window.at(nameEnd), BLANK) &&
    isIn(window.at(window.run(nameEnd, BLANK, 24)), QUOTE) &&
    /#\s{0,4}define\s{1,4}$/.test(window.left(nameStart, 16))
  );
}

const LONGEST_TYPE = 12;
/** Of TYPE_OF_TEXT the first character. */
const BEGINS_TYPE = tableOf('bcnstvBCNSTV');
const TYPE_OF_TEXT = /^(?:n?string|str|text|n?varchar2?|n?char|secretstring|bytes|constant)$/i;
/** `(50)` behind a type, and a sign. */
const SIGN_BEHIND_TYPE = /^(?:\(\d{1,4}\)| string)? {0,4}:?=(?!=)/i;
const LONGEST_SIGN = 16;

/** `var token string = "…"`, `apiKey String = …`, `Dim password As String = "…"`, `@password NVARCHAR(50) = '…'`. */
export function typedAssignment(window: TextWindow, from: number): Operator | undefined {
  const start = window.matches(from, 'as ') ? from + 3 : from;
  if (BEGINS_TYPE[window.at(start)] !== 1) return undefined;
  const end = window.run(start, WORD, LONGEST_TYPE);
  if (end === start || !TYPE_OF_TEXT.test(window.slice(start, end))) return undefined;
  const sign = SIGN_BEHIND_TYPE.exec(window.peek(end, LONGEST_SIGN));
  return sign === null ? undefined : { end: end + sign[0].length, kind: 'assign', tight: false };
}
