import { checkText, InvalidField } from './fields.ts';

/** How deep the caller's own JSON may be nested: schemas of tools and answers. */
const MOST_DEPTH = 100;
/** Parts, tool calls and values of schemas that one request may have, all together. */
const MOST_PIECES = 100_000;
const HIGH_SURROGATE = /[\uD800-\uDBFF]/g;

/** Adds up what a request says, so that its whole has a bound whatever it is made of. */
export interface ContextCount {
  /** Checks a text and counts its characters. @throws InvalidField where `checkText` refuses it */
  take(text: string, param: string): string;
  /** Counts so many parts. @throws InvalidField where they become too many */
  pieces(count: number, param: string): void;
  /**
   * Checks JSON that is handed on as it is: without recursion, because the stack is shorter than JSON may be deep. It
   * is looked at and never compiled.
   *
   * @throws InvalidField where it is nested too deep, has too many values, or holds a text that `checkText` refuses
   */
  json(root: unknown, param: string): void;
  /** @throws InvalidField where all that was taken is longer than may be */
  conclude(): void;
}

/** @param mostChars characters that a request may have, all its texts together */
export function countContext(mostChars: number): ContextCount {
  const texts: string[] = [];
  let units = 0;
  let pieces = 0;
  const take = (text: string, param: string): string => {
    units += text.length;
    texts.push(text);
    return checkText(text, param);
  };
  const takePieces = (count: number, param: string): void => {
    pieces += count;
    if (pieces <= MOST_PIECES) return;
    throw new InvalidField(param, `The request has more than ${MOST_PIECES} parts and values; ${param} is too many.`);
  };
  return {
    take,
    pieces: takePieces,
    json(root, param) {
      const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        const { value, depth } = next;
        if (typeof value === 'string') take(value, param);
        if (typeof value !== 'object' || value === null) continue;
        if (depth > MOST_DEPTH) {
          throw new InvalidField(param, `${param} must be nested at most ${MOST_DEPTH} levels deep.`);
        }
        const inner = Object.values(value);
        takePieces(inner.length, param);
        if (!Array.isArray(value)) for (const name of Object.keys(value)) take(name, param);
        for (const item of inner) open.push({ value: item, depth: depth + 1 });
      }
    },
    conclude() {
      if (units <= mostChars) return;
      const characters = texts.reduce((sum, text) => sum - (text.match(HIGH_SURROGATE)?.length ?? 0), units);
      if (characters <= mostChars) return;
      const message = `The request must have at most ${mostChars} characters, messages and tools together; ${characters} were given. Shorten it.`;
      throw new InvalidField('messages', message, { error: 'context_exceeded' });
    },
  };
}
