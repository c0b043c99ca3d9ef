import type { Answered, Settlement } from './settlement.ts';

/** A text, and the same text as JSON, UTF-8; other escapes may be in it than `JSON.stringify` would write. */
export interface Literal {
  readonly text: string;
  readonly json: Buffer;
}

/** What workers write an answer with, up to its text: `writeSettlement` keeps the order of its fields. */
const WITHOUT_TEXT = '{"v":1,"outcome":"answered","text":""';
const BEFORE_TEXT = Buffer.from(WITHOUT_TEXT.slice(0, -2));

/** An answer; where the JSON of its text, UTF-8, is there already, its own text is empty, so that nothing holds it any longer. */
export interface AnswerInParts {
  readonly settlement: Settlement;
  readonly textJson?: Buffer;
}

/** An answer with the JSON in which the model has said it. What is settled decides: what was masked is another text. */
export function withJsonOfText(answered: Answered, literal: Literal | undefined): AnswerInParts {
  if (literal?.text !== answered.text) return { settlement: answered };
  return { settlement: { ...answered, text: '' }, textJson: literal.json };
}

/** The stored form of an answer, UTF-8, of which the text is only there as JSON. */
export function joinText(answered: Answered, textJson: Buffer): Buffer {
  const rest = JSON.stringify(answered);
  if (rest.startsWith(WITHOUT_TEXT)) {
    return Buffer.concat([BEFORE_TEXT, textJson, Buffer.from(rest.slice(WITHOUT_TEXT.length))]);
  }
  return Buffer.from(JSON.stringify({ ...answered, text: JSON.parse(textJson.toString()) }));
}
