import { JsonBytes, type RawJson, rawJson } from '../json-bytes.ts';
import { isHighSurrogate } from '../surrogates.ts';

/** What workers write an answer with, up to the opening quote of its text: `writeSettlement` keeps the order of its fields. */
const BEFORE_TEXT = '{"v":1,"outcome":"answered","text":';
const BEFORE_TEXT_BYTES = Buffer.from(BEFORE_TEXT);
const WITHOUT_TEXT = `${BEFORE_TEXT}""`;
/** The end of the text and the next field. Within a literal a quote follows a backslash, and never a comma. */
const BEHIND_TEXT = '","';

const LITERAL = Symbol('the text as it stood in the JSON');

const QUOTE = 34;
const BACKSLASH = 92;
/** `\u` and four digits. */
const LONGEST_ESCAPE = 6;
const ELLIPSIS = String.raw`\u2026`;

/** JSON as it came: what is long as UTF-8, which is handed on without having been decoded. */
export type ReadJson = string | Buffer;

/**
 * Splits the stored form of an answer into its text, as the JSON literal that it is, and the same JSON with an empty text: so
 * that a long text can be handed on without being decoded and encoded again.
 *
 * @returns `undefined` where the JSON is no answer, or was written in another order: it is to be parsed whole then
 */
export function splitText(json: ReadJson): { readonly literal: ReadJson; readonly rest: string } | undefined {
  if (!beginsAsAnswer(json)) return undefined;
  const end = endOfLiteral(json, BEFORE_TEXT.length);
  if (end === undefined) return undefined;
  const literal =
    typeof json === 'string' ? json.slice(BEFORE_TEXT.length, end) : json.subarray(BEFORE_TEXT.length, end);
  return { literal, rest: WITHOUT_TEXT + partOf(json, end, json.length) };
}

function beginsAsAnswer(json: ReadJson): boolean {
  if (typeof json === 'string') return json.startsWith(BEFORE_TEXT);
  const { length } = BEFORE_TEXT_BYTES;
  return json.length >= length && json.compare(BEFORE_TEXT_BYTES, 0, length, 0, length) === 0;
}

/** Where the literal that begins with the quote at `start` has ended. */
function endOfLiteral(json: ReadJson, start: number): number | undefined {
  if (unitAt(json, start) !== QUOTE) return undefined;
  // Not each quote is looked at: there may be thousands of them in a text.
  for (let at = json.indexOf(BEHIND_TEXT, start + 1); at > 0; at = json.indexOf(BEHIND_TEXT, at + 1)) {
    let escapes = 0;
    while (unitAt(json, at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return undefined;
}

function unitAt(json: ReadJson, at: number): number | undefined {
  return typeof json === 'string' ? json.charCodeAt(at) : json[at];
}

function partOf(json: ReadJson, start: number, end: number): string {
  return typeof json === 'string' ? json.slice(start, end) : json.toString('utf8', start, end);
}

/**
 * Gives a settlement that was read without its text the text of this literal. That of bytes is decoded when it is first looked
 * at. Not that of others: V8 puts each pair of accessors into the old generation, where it keeps what they refer to until a full
 * collection, and to decode a short text costs less than that.
 *
 * @returns `undefined` where what was taken for a literal is none
 */
export function withLiteral<Some extends { text: string }>(settlement: Some, read: ReadJson): Some | undefined {
  if (typeof read !== 'string') return withBytes(settlement, new JsonBytes(read));
  const text = parseText(read);
  if (text === undefined) return undefined;
  settlement.text = text;
  return Object.defineProperty(settlement, LITERAL, { value: rawJson(read) });
}

function parseText(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

function withBytes<Some extends object>(settlement: Some, literal: JsonBytes): Some {
  let text: string | undefined;
  Object.defineProperty(settlement, 'text', {
    // A copy of the settlement has the text as any other field, and not the literal.
    enumerable: true,
    get: () => (text ??= JSON.parse(literal.bytes.toString()) as string),
  });
  return Object.defineProperty(settlement, LITERAL, { value: literal });
}

/**
 * The text of an answer, for a place in something that is sent as JSON. One that came as bytes is handed on by `writeJson`, after
 * which the settlement has no text any more.
 */
export function textAsJson(settlement: { readonly text: string }): string | RawJson | JsonBytes {
  const literal = literalOf(settlement);
  return literal ?? settlement.text;
}

/**
 * The beginning of an answer's text, for a place in JSON: cut behind so many UTF-16 units, with `…` where more follows.
 *
 * @throws SyntaxError where what was taken for a literal is none, so that Redis holds what no worker has written
 */
export function beginningAsJson(settlement: { readonly text: string }, most: number): string | RawJson {
  const whole = literalOf(settlement);
  if (whole === undefined) return cut(settlement.text, most);
  const literal = whole instanceof JsonBytes ? whole.bytes : whole.rawJSON;
  // A literal has two quotes, and is never shorter than what it stands for.
  if (literal.length - 2 <= most) return whole instanceof JsonBytes ? rawJson(literal.toString()) : whole;
  const plain = plainBeginning(literal, most);
  if (plain !== undefined) return rawJson(plain);
  const text = decodeBeginning(literal, most + 1);
  if (text.length <= most) return text;
  return rawJson(withEllipsis(JSON.stringify(text.slice(0, most).toWellFormed()).slice(0, -1)));
}

/** A literal of which the quote at the end is missing, with `…`. As an escape: a single such character makes V8 take two bytes for each of them. */
function withEllipsis(begun: string): string {
  return `${begun}${ELLIPSIS}"`;
}

/**
 * The beginning of a literal as it stands there, as `beginningAsJson` wants it; `undefined` where it has to be decoded, because there is
 * an escape in it that may be half of a character, or because it would end in the middle of one.
 */
function plainBeginning(literal: ReadJson, most: number): string | undefined {
  for (let length = most + LONGEST_ESCAPE; ; length *= 2) {
    const isWhole = length >= literal.length;
    const piece = partOf(literal, 0, isWhole ? literal.length : beforeCharacter(literal, length));
    const end = indexOfUnit(piece, most);
    if (end === undefined) return undefined;
    if (isWhole && end >= piece.length - 1) return piece;
    if (end >= piece.length) continue;
    return isHighSurrogate(piece.charCodeAt(end - 1)) ? undefined : withEllipsis(piece.slice(0, end));
  }
}

/** Where in a literal so many UTF-16 units of its text have ended; `undefined` where one of them is written with its number. */
function indexOfUnit(literal: string, units: number): number | undefined {
  let index = 1 + units;
  for (let at = literal.indexOf('\\', 1); at >= 0 && at < index; at = literal.indexOf('\\', at + 2)) {
    if (literal[at + 1] === 'u') return undefined;
    index++;
  }
  return index;
}

/** The text of a literal, so many UTF-16 units of it at least, or all. */
function decodeBeginning(literal: ReadJson, wanted: number): string {
  for (let length = wanted + LONGEST_ESCAPE; length < literal.length - 1; length *= 2) {
    const piece = partOf(literal, 0, beforeCharacter(literal, length));
    const text = JSON.parse(`${piece.slice(0, beforeEscape(piece, piece.length))}"`) as string;
    if (text.length >= wanted) return text;
  }
  return JSON.parse(literal.toString()) as string;
}

/** The place at or before `at` that is in no character of several bytes. */
function beforeCharacter(literal: ReadJson, at: number): number {
  if (typeof literal === 'string') return at;
  let start = at;
  // Such bytes go on with a character: 10xxxxxx.
  while (start > 0 && ((literal[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

/** The place at or before `at` that is in no escape. */
function beforeEscape(literal: string, at: number): number {
  let backslash = literal.lastIndexOf('\\', at - 1);
  if (backslash <= at - LONGEST_ESCAPE) return at;
  // The first of those that stand in a row begins an escape.
  while (literal.charCodeAt(backslash - 1) === BACKSLASH) backslash--;
  return backslash;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

function literalOf(settlement: { readonly text: string }): RawJson | JsonBytes | undefined {
  return (settlement as { readonly [LITERAL]?: RawJson | JsonBytes })[LITERAL];
}
