import type { Rule } from './rule.ts';
import { tokens } from './token-shape.ts';

/** Characters that the drawn part of an operator's own token is made of, and what the patterns of shapes call them. */
const CHARACTERS = {
  'letters-digits': 'an',
  letters: 'let',
  'lower-digits': 'lo',
  'upper-digits': 'up',
  hex: 'hex',
  digits: 'd',
  base64url: 'url',
  base64: 'b64',
  word: 'w',
} as const;

export type ShapeCharacters = keyof typeof CHARACTERS;
export const SHAPE_CHARACTERS = Object.keys(CHARACTERS) as [ShapeCharacters, ...ShapeCharacters[]];

/** A drawn part, or the marks between two of them. */
export type ShapePart = { readonly characters: ShapeCharacters; readonly length: number } | { readonly text: string };

/** The shape of an operator's own tokens. */
export interface OwnShape {
  readonly name: string;
  /** What every token of the shape begins with, in exactly this case. */
  readonly prefix: string;
  readonly parts: readonly ShapePart[];
  readonly source?: string | undefined;
}

/** Prefixes shorter than this are found in other words: behind them the length has to be right and digits have to be there. */
const SHORTEST_TELLING_PREFIX = 5;
const FILE = 'the file MASK_RULES_FILE';

/** The rules of an operator's own shapes, which are asked before all others. */
export function ownShapeRules(shapes: readonly OwnShape[]): readonly Rule[] {
  return shapes.flatMap(({ name, prefix, parts, source = FILE }) => {
    const drawn = parts.map((part) => ('text' in part ? part.text : `{${CHARACTERS[part.characters]}:${part.length}}`));
    return tokens(source, { [name]: prefix + drawn.join('') }, prefix.length < SHORTEST_TELLING_PREFIX);
  });
}
