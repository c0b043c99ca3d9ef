import type { TokenShape } from '../token-shape.ts';

/** Names the shapes one documentation page gives. `strict` marks all of them, or the named ones, as weak prefixes. */
export function shapes(
  source: string,
  patterns: Readonly<Record<string, string>>,
  strict: boolean | readonly string[] = false,
): TokenShape[] {
  return Object.entries(patterns).map(([name, pattern]) => ({
    name,
    pattern,
    source,
    strict: strict === true || (Array.isArray(strict) && strict.includes(name)),
  }));
}
