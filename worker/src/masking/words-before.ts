/**
 * True when one of `words` (a pattern with the flag g) ends at most `reach` characters before the end of `text`, and
 * nothing that `separator` is stands in between. A pattern that says all that takes the square of the text's length.
 */
export function standsBefore(text: string, words: RegExp, separator: string, reach: number): boolean {
  const near = text.slice(text.lastIndexOf(separator) + 1);
  for (const { 0: word, index } of near.matchAll(words)) if (index + word.length >= near.length - reach) return true;
  return false;
}
