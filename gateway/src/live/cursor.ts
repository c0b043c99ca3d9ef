/** How much of an answer a reader has: UTF-16 units of reasoning and of text, and whole tool calls. */
export interface Cursor {
  readonly reasoning: number;
  readonly text: number;
  readonly calls: number;
}

/** Instead of an offset in the reasoning: the reader wants none of it. */
export const NO_REASONING = Number.MAX_SAFE_INTEGER;

/** Instead of a cursor in the id of an event: it was the last one. */
export const END = 'end';

export const BEGINNING: Cursor = { reasoning: 0, text: 0, calls: 0 };

/** The form in an event's id, behind the name of the answer. */
export function writeCursor({ reasoning, text, calls }: Cursor): string {
  return `${reasoning === NO_REASONING ? '-' : reasoning}.${text}.${calls}`;
}
