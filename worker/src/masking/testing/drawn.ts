/** Draws `length` characters of `alphabet`. */
export function draw(random: () => number, length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
}
