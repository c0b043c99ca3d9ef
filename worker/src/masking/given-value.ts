import { endOfBare } from './bare-run.ts';
import { ALNUM, BLANK, CODE, DASH, isIn, LINE_END, LONGEST_RUN, QUOTE, SPACE, WORD } from './characters.ts';
import { skipColour } from './colour-codes.ts';
import { endOfComparison } from './comparison.ts';
import { behindRead, commaBehind, isEnvironmentRead } from './given-default.ts';
import { endOfCopula, endOfTag, skipForeignQuote, typedAssignment } from './given-in-words.ts';
import { isLabel, isTitle, LONGEST_TITLE } from './label-place.ts';
import { endOfLiteral, endOfQuote, type Opening, openLiteral } from './literal-opening.ts';
import { elementBehind } from './spoken-operator.ts';
import type { TextWindow } from './text-window.ts';
import { encodedOperator, skipWrittenBlank, writtenSign } from './written-operator.ts';

/** How a value was joined to its name. After a loose operator the value itself must show more. */
export interface Operator {
  readonly end: number;
  readonly kind: 'assign' | 'loose' | 'tag' | 'cell' | 'element' | 'statement';
  /** `=` without spaces around it. */
  readonly tight: boolean;
  /** Percent-encoded, and so is what ends the value. */
  readonly encoded?: boolean;
  /** What the name holds is compared with the value. */
  readonly compares?: boolean;
  /** A program is given it: what stands there is the value, whatever words it is. */
  readonly sure?: boolean;
  /** A program has printed it: the value is what stands up to the next blank. */
  readonly printed?: boolean;
}

export interface GivenValue {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  /** The value follows on another line than its name. */
  readonly below: boolean;
  /** Nothing but the end of the line, or closing punctuation and the end, comes after. */
  readonly last: boolean;
  /** The value was longer than a run may be. */
  readonly cut: boolean;
  readonly call: boolean;
}

/** Finds the operator after a name: `=`, `:`, `:=`, `=>`, `->`, `||`, `,` after a quote, `>` of a tag, a table's `|`, or a verb. */
export function readOperator(window: TextWindow, nameStart: number, nameEnd: number): Operator | undefined {
  let index = skipColour(window, nameEnd);
  let closed = false;
  for (let steps = 0; steps < 4; steps++) {
    const code = window.at(index);
    const quote = endOfQuote(window, index);
    if (quote > 0) index = quote;
    // `char token[] = "…"`
    else if (code === CODE.openBracket && steps === 0 && window.at(index + 1) === CODE.closeBracket) index += 2;
    else if (
      code === CODE.closeBracket ||
      (code === CODE.star && steps < 2) ||
      (code === CODE.closeParenthesis && closed) ||
      (code === CODE.question && window.at(index + 1) === CODE.colon)
    )
      index++;
    else break;
    closed = true;
  }
  const copula = endOfCopula(window, index);
  if (copula > 0) return { end: copula, kind: 'assign', tight: false };
  const tightStart = index;
  index = skipColour(window, skipWrittenBlank(window, window.run(index, BLANK, 24)));
  const code = window.at(index);
  const element = code === CODE.colon ? elementBehind(window, index) : undefined;
  if (element !== undefined) return element;
  const compared = endOfComparison(window, nameStart, index);
  if (compared > 0) return { end: compared, kind: 'loose', tight: false, compares: true };
  if (code === CODE.colon && window.at(index + 1) === CODE.less && window.at(index + 2) === CODE.slash)
    return nextElement(window, index);
  // `process.env.API_KEY ?? "…"`
  if (code === CODE.question && window.at(index + 1) === CODE.question) return orElse(window, nameStart, index);
  const read = closed ? behindRead(window, nameStart, index) : undefined;
  if (read !== undefined) return read;
  if (code === CODE.equals || code === CODE.colon || code === CODE.plus || code === CODE.question || code === CODE.dot)
    return assignment(window, index, tightStart);
  if (code === CODE.openBrace && !closed) return inBraces(window, index, tightStart);
  if (closed) {
    const attribute = valueAttribute(window, tightStart);
    if (attribute > 0) return { end: attribute, kind: 'assign', tight: false };
    if (code === CODE.openBrace) return defaultOf(window, index);
  }
  if (code === CODE.newline) {
    // `- name: DB_PASSWORD` and `value: …` on the next line.
    const below = valueAttribute(window, index);
    if (below > 0) return { end: below, kind: 'assign', tight: false };
    return nameEnd - nameStart <= LONGEST_TITLE && isTitle(window, nameStart)
      ? { end: index, kind: 'loose', tight: false }
      : undefined;
  }
  if (code === CODE.percent) return encodedOperator(window, index);
  if (code === CODE.openBracket && index > tightStart) return behindNote(window, index);
  if (isArrow(window, index)) return { end: index + 2, kind: 'assign', tight: false };
  // `Password - …`, a label at the beginning of its line.
  if (code === CODE.hyphen && index > tightStart && isIn(window.at(index + 1), BLANK) && isLabel(window, nameStart))
    return { end: index + 1, kind: 'loose', tight: false };
  if (code === CODE.enDash || code === CODE.emDash) return { end: index + 1, kind: 'loose', tight: false };
  if (code === CODE.openParenthesis && isIn(window.at(index + 1), QUOTE))
    return { end: index + 1, kind: 'loose', tight: false };
  if (code === CODE.rightArrow || code === CODE.fullwidthColon) return { end: index + 1, kind: 'assign', tight: false };
  if (code === CODE.pipe)
    return window.at(index + 1) === CODE.pipe
      ? orElse(window, nameStart, index)
      : { end: index + 1, kind: 'cell', tight: false };
  if (code === CODE.less) return nextElement(window, index);
  if (code === CODE.comma) return commaBehind(window, nameStart, index, closed);
  if (code === CODE.greater) return { end: endOfTag(window, index), kind: 'tag', tight: false };
  const written = code === CODE.ampersand || code === CODE.backslash ? writtenSign(window, index) : -1;
  if (written > 0) return { end: written, kind: 'assign', tight: true };
  if (code === CODE.ampersand && window.matches(index, '&gt;')) return { end: index + 4, kind: 'tag', tight: false };
  return index > nameEnd ? typedAssignment(window, index) : undefined;
}

/** `->` and `<-`. */
function isArrow(window: TextWindow, at: number): boolean {
  const code = window.at(at);
  if (code !== CODE.hyphen && code !== CODE.less) return false;
  return window.at(at + 1) === (code === CODE.hyphen ? CODE.greater : CODE.hyphen);
}

/** C#'s `Password { get; set; } = "…"` and C++'s `password{"…"}`. */
function inBraces(window: TextWindow, brace: number, tightStart: number): Operator | undefined {
  if (brace === tightStart)
    return isIn(window.at(brace + 1), QUOTE) ? { end: brace + 1, kind: 'assign', tight: false } : undefined;
  const accessors = ACCESSORS.exec(window.peek(brace, LONGEST_ACCESSORS));
  return accessors === null ? undefined : { end: brace + accessors[0].length, kind: 'assign', tight: false };
}

const ACCESSORS = /^\{ get;(?: (?:private |protected |internal )?(?:set|init);)? \} =/;
const LONGEST_ACCESSORS = 36;

/** `||`, `??`: behind a variable of the environment stands what it is without. */
function orElse(window: TextWindow, nameStart: number, sign: number): Operator {
  return { end: sign + 2, kind: 'loose', tight: false, sure: isEnvironmentRead(window, nameStart) };
}

/** `key="Name" value="…"`, `"name": "X", "value": "…"`: where the value's own operator ends, or -1. */
function valueAttribute(window: TextWindow, from: number): number {
  let index = window.at(from) === CODE.comma ? window.run(from + 1, SPACE, 40) : window.run(from, SPACE, 40);
  if (index === from) return -1;
  if (isIn(window.at(index), QUOTE)) index++;
  const word = VALUE_WORDS.find((named) => window.matches(index, named));
  if (word === undefined) return -1;
  index = window.run(index + word.length, QUOTE | BLANK, 3);
  return window.at(index) === CODE.equals || window.at(index) === CODE.colon ? index + 1 : -1;
}

/** The second is that of HTML's `meta`, the third that of CloudFormation's files of parameters. */
const VALUE_WORDS = ['value', 'content', 'parametervalue'] as const;

/** `variable "db_password" { … default = "…" }`: Terraform's variables have their value in a block (HCL 2). */
function defaultOf(window: TextWindow, brace: number): Operator | undefined {
  const block = DEFAULT_IN_BLOCK.exec(window.peek(brace, LONGEST_BLOCK));
  return block === null ? undefined : { end: brace + block[0].length, kind: 'assign', tight: false };
}

const LONGEST_BLOCK = 200;
const DEFAULT_IN_BLOCK = /^\{[^{}]{0,160}?\n[ \t]{0,16}default[ \t]{0,16}=/;

/** `password [prod]: …`: a note in brackets, a blank before it, says which one. */
function behindNote(window: TextWindow, bracket: number): Operator | undefined {
  const close = window.run(bracket + 1, WORD | DASH, 24);
  if (close === bracket + 1 || window.at(close) !== CODE.closeBracket) return undefined;
  const sign = window.run(close + 1, BLANK, 2);
  return window.at(sign) === CODE.colon && window.at(sign + 1) === CODE.space
    ? { end: sign + 1, kind: 'assign', tight: false }
    : undefined;
}

/** `<th>API key</th><td>…`, `<b>Password:</b> …`, `<key>Password</key><string>…`: what stands behind the element of the name. */
function nextElement(window: TextWindow, from: number): Operator | undefined {
  const tags = NEXT_ELEMENT.exec(window.peek(from, LONGEST_TAGS));
  return tags === null ? undefined : { end: from + tags[0].length, kind: 'element', tight: false };
}

const LONGEST_TAGS = 96;
const NEXT_ELEMENT =
  /^:?(?:<\/[a-z]{1,8}>){1,3}:?\s{0,16}(?:<(?:td|dd|code|span|b|em|strong|kbd|samp|string)(?: [^<>]{0,32})?>){0,3}(?=[^<>\s])/i;

function assignment(window: TextWindow, from: number, tightStart: number): Operator | undefined {
  const first = window.at(from);
  let index = from;
  let signs = 0;
  for (let code = first; index < from + 4 && isSign(code); code = window.at(++index)) {
    if (code === CODE.equals || code === CODE.colon) signs++;
  }
  if (signs === 0) return undefined;
  const next = window.at(index);
  if (first === CODE.colon && from > tightStart && next === CODE.singleQuote) return undefined; // psql's variable
  if (first === CODE.equals && next === CODE.greater) return { end: index + 1, kind: 'assign', tight: false };
  if (first === CODE.equals && next === CODE.tilde) return undefined;
  // `a == b` and `A::b` compare and qualify more often than they give.
  const second = index > from + 1 ? window.at(from + 1) : -1;
  if (second === first && signs === 2 && index === from + 2) return { end: index, kind: 'loose', tight: false };
  const tight = first === CODE.equals && index === from + 1 && from === tightStart && !isIn(next, SPACE);
  return { end: index, kind: 'assign', tight };
}

/** The characters operators are made of: `:`, `=`, `?`, `+`, `.`. */
function isSign(code: number): boolean {
  return (
    code === CODE.colon || code === CODE.equals || code === CODE.question || code === CODE.plus || code === CODE.dot
  );
}

/** Reads the value after an operator, out of its quotes, block scalar, emphasis or code fence. */
export function readValue(window: TextWindow, operatorEnd: number, inQuery: boolean): GivenValue | undefined {
  let index = window.run(skipColour(window, window.run(operatorEnd, BLANK, 24)), BLANK, 24);
  index = skipWrittenBlank(window, index);
  let below = false;
  let block = false;
  const code = window.at(index);
  if (code === CODE.pipe || code === CODE.greater) {
    // A YAML block scalar: `|`, `>`, `|-` and the value on the next line.
    const mark = window.at(index + 1) === CODE.hyphen ? index + 2 : index + 1;
    if (isIn(window.at(mark), LINE_END)) {
      index = mark;
      block = true;
    }
  }
  if (isIn(window.at(index), LINE_END)) {
    below = !block;
    index = skipToBelow(window, index);
  }
  if (window.at(index) === CODE.openParenthesis) {
    // A string in brackets, on the next line or not.
    const inside = window.run(index + 1, SPACE, 40);
    if (isIn(window.at(inside), QUOTE)) index = inside;
  }
  while (window.at(index) === CODE.star && window.at(index + 1) === CODE.star && window.at(index + 2) !== CODE.star)
    index = window.run(index + 2, BLANK, 2);
  // YAML's tag of a string.
  if (window.matches(index, '!!str ')) index += 6;
  index = skipForeignQuote(window, index);
  const opening = openLiteral(window, index);
  if (opening !== undefined) return readLiteral(window, opening, below);
  return readBare(window, index, below, inQuery);
}

/** Skips line ends, indentation and the opening of a code fence; at most one blank line. */
function skipToBelow(window: TextWindow, from: number): number {
  let index = window.run(from, SPACE, 40);
  if (window.matches(index, '```') || window.matches(index, '~~~')) {
    index = window.run(window.run(index + 3, ALNUM, 16), SPACE, 24);
  }
  return index;
}

function readLiteral(window: TextWindow, opening: Opening, below: boolean): GivenValue | undefined {
  const { start, close } = opening;
  const end = close === '' ? -1 : endOfLiteral(window, opening);
  // The text ended inside the quotes: what stands there is judged like a bare value.
  if (end < 0) {
    const bare = readBare(window, start, below, false);
    return bare === undefined ? undefined : { ...bare, quoted: true };
  }
  return { start, end, quoted: true, below, last: true, cut: end >= start + LONGEST_RUN, call: false };
}

function readBare(window: TextWindow, start: number, below: boolean, inQuery: boolean): GivenValue | undefined {
  const index = endOfBare(window, start, inQuery);
  const cut = index >= start + LONGEST_RUN;
  let end = index;
  if (!cut) {
    if (endsIn(window, end, CODE.dot, 3) || window.at(end) === CODE.ellipsis) return undefined;
    end = window.trim(start, end, '.,:;?');
    if (endsIn(window, end, CODE.star, 2)) end -= 2;
  }
  if (end === start) return undefined;
  const after = window.run(index, BLANK, 3);
  const last = isIn(window.at(after), LINE_END) || window.at(after) < 0 || window.at(after) === CODE.hash;
  return { start, end, quoted: false, below, last, cut, call: window.holds(start, end, '(') };
}

/** The same character so many times right before `end`. */
function endsIn(window: TextWindow, end: number, character: number, times: number): boolean {
  for (let back = 1; back <= times; back++) if (window.code(end - back) !== character) return false;
  return true;
}
