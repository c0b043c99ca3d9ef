/** Digits, then capitals, then small letters. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Writes a non-negative integer in base62, padded with `0` on the left.
 *
 * @param value a non-negative safe integer
 * @param width the least number of characters of the result
 */
export function encodeBase62(value: number, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = BASE62.charAt(rest % 62) + digits;
  return digits.padStart(width, '0');
}
