import { endOfBare } from './bare-run.ts';
import { BASE64URL, BLANK, CODE, isIn, LINE_END, SPACE } from './characters.ts';
import type { GivenValue } from './given-value.ts';
import { endOfLiteral, openLiteral } from './literal-opening.ts';
import type { TextWindow } from './text-window.ts';

/** Elements of a list that are read, and pieces of a literal that is written in several: bounds the work. */
const MOST_ELEMENTS = 16;
const LONGEST_ELEMENT = 300;
/** White space between two elements. */
const LONGEST_GAP = 64;

/**
 * The elements of a list that is given to a name behind `from`: `["…", "…"]`, `{ "…", "…" }`, `[a, b]`, or lines that begin
 * with a hyphen. Empty where no list stands there; an object is none, but of `pairsToo`
 * the values in quotes are read.
 */
export function readList(window: TextWindow, from: number, pairsToo: boolean): readonly GivenValue[] {
  const index = window.run(from, BLANK, 24);
  const code = window.at(index);
  if (code === CODE.openBracket || code === CODE.openBrace)
    return readBracketed(window, index + 1, code === CODE.openBracket, pairsToo);
  return isIn(code, LINE_END) ? readLines(window, index) : [];
}

function readBracketed(window: TextWindow, from: number, bareToo: boolean, pairsToo: boolean): readonly GivenValue[] {
  const elements: GivenValue[] = [];
  let index = window.run(from, SPACE, LONGEST_GAP);
  while (elements.length < MOST_ELEMENTS) {
    const element = readElement(window, index, false, bareToo);
    if (element === undefined) break;
    index = window.run(element.quoted ? element.end + 1 : element.end, SPACE, LONGEST_GAP);
    const code = window.at(index);
    if (code === CODE.colon || code === CODE.equals) return pairsToo ? readPairs(window, from) : [];
    elements.push(element);
    if (code !== CODE.comma) break;
    index = window.run(index + 1, SPACE, LONGEST_GAP);
  }
  return elements;
}

/** `{"gudang": "…", "kasir": "…"}` behind the name of several passwords: what the keys are given. */
function readPairs(window: TextWindow, from: number): readonly GivenValue[] {
  const values: GivenValue[] = [];
  let index = window.run(from, SPACE, LONGEST_GAP);
  while (values.length < MOST_ELEMENTS) {
    const key = readElement(window, index, false, false);
    if (key === undefined) break;
    const sign = window.run(key.end + 1, BLANK, 8);
    if (window.at(sign) !== CODE.colon && window.at(sign) !== CODE.equals) break;
    const start = window.at(sign + 1) === CODE.greater ? sign + 2 : sign + 1;
    const value = readElement(window, window.run(start, BLANK, 8), false, false);
    if (value === undefined) break;
    values.push(value);
    const next = window.run(value.end + 1, SPACE, LONGEST_GAP);
    if (window.at(next) !== CODE.comma) break;
    index = window.run(next + 1, SPACE, LONGEST_GAP);
  }
  return values;
}

function readLines(window: TextWindow, lineEnd: number): readonly GivenValue[] {
  const elements: GivenValue[] = [];
  let index = lineEnd;
  while (elements.length < MOST_ELEMENTS && isIn(window.at(index), LINE_END)) {
    const mark = window.run(index, SPACE, LONGEST_GAP);
    if (window.at(mark) !== CODE.hyphen || !isIn(window.at(mark + 1), BLANK)) break;
    const element = readElement(window, window.run(mark + 1, BLANK, 8), true, true);
    if (element === undefined) break;
    index = window.run(element.quoted ? element.end + 1 : element.end, BLANK, 8);
    if (window.at(index) === CODE.colon) return [];
    elements.push(element);
  }
  return elements;
}

function readElement(window: TextWindow, from: number, below: boolean, bareToo: boolean): GivenValue | undefined {
  const opening = openLiteral(window, from);
  const start = opening?.start ?? from;
  if (opening === undefined && !bareToo) return undefined;
  const end = opening === undefined ? endOfBare(window, from, false) : endOfLiteral(window, opening);
  if (end <= start || end - start > LONGEST_ELEMENT) return undefined;
  const quoted = opening !== undefined;
  return { start, end, quoted, below, last: true, cut: false, call: false };
}

/** What follows a bare value behind a comma without a blank, as in `API_KEYS=a,b`, or behind a backslash on the next line. */
export function readFurther(window: TextWindow, value: GivenValue): readonly GivenValue[] {
  const elements: GivenValue[] = [];
  let { end } = value;
  if (window.at(end) === CODE.backslash && window.at(end + 1) === CODE.newline) {
    const start = window.run(end + 2, BLANK, LONGEST_GAP);
    end = endOfBare(window, start, false);
    return end > start && end - start <= LONGEST_ELEMENT && window.at(end) <= CODE.space
      ? [{ ...value, start, end }]
      : [];
  }
  while (elements.length < MOST_ELEMENTS && window.at(end) === CODE.comma && isIn(window.at(end + 1), BASE64URL)) {
    const start = end + 1;
    end = endOfBare(window, start, false);
    if (end - start > LONGEST_ELEMENT) break;
    elements.push({ ...value, start, end });
  }
  return elements;
}

/** The further pieces of a literal that is written in several, joined by `+`, a dot or a backslash, or in brackets. */
export function readPieces(window: TextWindow, value: GivenValue): readonly GivenValue[] {
  const pieces: GivenValue[] = [];
  const inBrackets = /\(\s{0,24}\S{0,2}$/.test(window.left(value.start, 32));
  let index = value.end + 1;
  while (pieces.length < MOST_ELEMENTS) {
    const joint = window.run(index, SPACE, LONGEST_GAP);
    const code = window.at(joint);
    const joined = code === CODE.plus || code === CODE.dot || code === CODE.backslash;
    if (!joined && (!inBrackets || joint === index)) break;
    const opening = openLiteral(window, joined ? window.run(joint + 1, SPACE, LONGEST_GAP) : joint);
    if (opening === undefined) break;
    const end = endOfLiteral(window, opening);
    if (end <= opening.start || end - opening.start > LONGEST_ELEMENT) break;
    pieces.push({ ...value, start: opening.start, end });
    index = end + 1;
  }
  return pieces;
}

/** Cells of a row that are read. */
const MOST_CELLS = 4;

/** The cells of a row behind the one that begins at `from`, as long as each before them is one word. */
export function readCells(window: TextWindow, from: number): readonly GivenValue[] {
  const cells: GivenValue[] = [];
  let index = from;
  for (let cell = 0; cell <= MOST_CELLS; cell++) {
    const opening = window.run(index, BLANK, LONGEST_GAP);
    const start = window.at(opening) === CODE.backtick ? opening + 1 : opening;
    const end = endOfBare(window, start, false);
    const close = window.at(end) === CODE.backtick ? end + 1 : end;
    const pipe = window.run(close, BLANK, LONGEST_GAP);
    if (end === start || window.at(pipe) !== CODE.pipe) break;
    if (cell > 0) cells.push({ start, end, quoted: false, below: false, last: true, cut: false, call: false });
    index = pipe + 1;
  }
  return cells;
}

/** `"{{ '…' | password_hash('sha512') }}"`: the literal that a template turns into something else. */
export function inTemplate(window: TextWindow, value: GivenValue): GivenValue {
  if (window.at(value.start) !== CODE.openBrace) return value;
  const literal = LITERAL_IN_TEMPLATE.exec(
    window.slice(value.start, Math.min(value.end, value.start + LONGEST_ELEMENT)),
  );
  if (literal === null) return value;
  const [whole, , content = ''] = literal;
  return { ...value, start: value.start + whole.length - content.length, end: value.start + whole.length };
}

const LITERAL_IN_TEMPLATE = /^\{\{ {0,2}(["'])([^"']{4,64})(?=\1)/;

/** `a.password = a.password_confirmation = "…"`: the literal at the end of a chain of names. */
export function behindChain(window: TextWindow, value: GivenValue): GivenValue {
  if (value.quoted || value.below || window.at(value.end) !== CODE.space || window.at(value.end + 1) !== CODE.equals)
    return value;
  const opening = openLiteral(window, window.run(value.end + 2, BLANK, 4));
  if (opening === undefined || opening.close === '') return value;
  const end = endOfLiteral(window, opening);
  return end <= opening.start ? value : { ...value, start: opening.start, end, quoted: true, call: false };
}
