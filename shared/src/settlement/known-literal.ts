import type { Answered } from './settlement.ts';

/** A text, and the same text as JSON, UTF-8; other escapes may be in it than `JSON.stringify` would write. */
export interface Literal {
  readonly text: string;
  readonly json: Buffer;
}

/** What workers write an answer with, up to its text: `writeSettlement` keeps the order of its fields. */
const WITHOUT_TEXT = '{"v":1,"outcome":"answered","text":""';
const BEFORE_TEXT = Buffer.from(WITHOUT_TEXT.slice(0, -2));

/**
 * The stored form of an answer, UTF-8, with its text as the JSON that is there already. What is settled decides: what was masked
 * is another text.
 *
 * @returns `undefined` where the literal is of another text
 */
export function joinText(answered: Answered, literal: Literal): Buffer | undefined {
  if (literal.text !== answered.text) return undefined;
  const rest = JSON.stringify({ ...answered, text: '' });
  if (!rest.startsWith(WITHOUT_TEXT)) return undefined;
  return Buffer.concat([BEFORE_TEXT, literal.json, Buffer.from(rest.slice(WITHOUT_TEXT.length))]);
}
