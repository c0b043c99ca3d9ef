/** JSON that `JSON.stringify` writes as it stands. */
export interface RawJson {
  readonly rawJSON: string;
}

const { rawJSON } = JSON as unknown as { rawJSON(json: string): RawJson };

/** What workers write an answer with, up to the opening quote of its text: `writeSettlement` keeps the order of its fields. */
const BEFORE_TEXT = '{"v":1,"outcome":"answered","text":';
const WITHOUT_TEXT = `${BEFORE_TEXT}""`;

const LITERAL = Symbol('the text as it stood in the JSON');

const BACKSLASH = 92;
/** `\u` and four digits. */
const LONGEST_ESCAPE = 6;

/**
 * Splits the stored form of an answer into its text, as the JSON literal that it is, and the same JSON with an empty text: so
 * that a long text can be handed on without being decoded and encoded again.
 *
 * @returns `undefined` where the JSON is no answer, or was written in another order: it is to be parsed whole then
 */
export function splitText(json: string): { readonly literal: string; readonly rest: string } | undefined {
  if (!json.startsWith(BEFORE_TEXT)) return undefined;
  const end = endOfLiteral(json, BEFORE_TEXT.length);
  if (end === undefined) return undefined;
  return { literal: json.slice(BEFORE_TEXT.length, end), rest: WITHOUT_TEXT + json.slice(end) };
}

/** Where the literal that begins with the quote at `start` has ended. */
function endOfLiteral(json: string, start: number): number | undefined {
  if (json[start] !== '"') return undefined;
  for (let at = json.indexOf('"', start + 1); at > 0; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return undefined;
}

/** Gives a settlement that was read without its text the text of this literal, which is decoded when it is first looked at. */
export function withLiteral<Some extends object>(settlement: Some, literal: string): Some {
  let text: string | undefined;
  Object.defineProperty(settlement, 'text', {
    // A copy of the settlement has the text as any other field, and not the literal.
    enumerable: true,
    get: () => (text ??= JSON.parse(literal) as string),
  });
  return Object.defineProperty(settlement, LITERAL, { value: literal });
}

/**
 * The text of an answer, for a place in something that is sent as JSON.
 *
 * @throws SyntaxError where what was taken for a literal is none, so that Redis holds what no worker has written
 */
export function textAsJson(settlement: { readonly text: string }): string | RawJson {
  const literal = literalOf(settlement);
  return literal === undefined ? settlement.text : rawJSON(literal);
}

/**
 * The beginning of an answer's text, for a place in JSON: cut behind so many UTF-16 units, with `…` where more follows.
 *
 * @throws as `textAsJson`
 */
export function beginningAsJson(settlement: { readonly text: string }, most: number): string | RawJson {
  const literal = literalOf(settlement);
  if (literal === undefined) return cut(settlement.text, most);
  // A literal has two quotes, and is never shorter than what it stands for.
  if (literal.length - 2 <= most) return rawJSON(literal);
  return cut(decodeBeginning(literal, most + 1), most);
}

/** The text of a literal, so many UTF-16 units of it at least, or all. */
function decodeBeginning(literal: string, wanted: number): string {
  for (let length = wanted + LONGEST_ESCAPE; length < literal.length - 1; length *= 2) {
    const text = JSON.parse(`${literal.slice(0, beforeEscape(literal, length))}"`) as string;
    if (text.length >= wanted) return text;
  }
  return JSON.parse(literal) as string;
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

function literalOf(settlement: { readonly text: string }): string | undefined {
  return (settlement as { readonly [LITERAL]?: string })[LITERAL];
}
