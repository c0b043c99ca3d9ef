import type { ComponentChildren } from 'preact';

/** Stand for parts in a sentence; no language writes them. */
const PLACES = ['{1}', '{2}'] as const;

/**
 * A sentence with elements in it, each where the language wants it.
 *
 * @param sentence makes it of its parts
 */
export function placed(
  sentence: (first: string, second: string) => string,
  first: ComponentChildren,
  second: ComponentChildren,
): ComponentChildren[] {
  return sentence(...PLACES)
    .split(/(\{[12]\})/)
    .map((part) => (part === PLACES[0] ? first : part === PLACES[1] ? second : part));
}
