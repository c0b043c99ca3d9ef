const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Writes a non-negative integer in base62 (digits, then capitals, then small letters), padded with `0` on the left.
 *
 * @param value a non-negative integer
 * @param width the least number of characters of the result
 */
export function encodeBase62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(width, '0');
}
