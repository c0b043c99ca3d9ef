import { COMMON_WORD_BITS } from './common-word-bits.ts';

/**
 * Words that texts about programs are written in, in the languages of their translations: at the place of a password they
 * label a field, name a state or go on with the sentence. A Bloom filter, so that tens of thousands of them take little room;
 * it takes one other word in seventy for one of them.
 */

/** Bits that a word sets. */
export const HASHES = 6;
const bits = Buffer.from(COMMON_WORD_BITS, 'base64');
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Whether `word`, in lower case, is common. */
export function isCommonWord(word: string): boolean {
  const size = bits.length * 8;
  const [first, second] = hashesOf(word);
  for (let step = 0; step < HASHES; step++) {
    const bit = ((first + Math.imul(step, second)) >>> 0) % size;
    if (((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Where a word stands in a filter of `size` bits. */
export function bitsOf(word: string, size: number): number[] {
  const [first, second] = hashesOf(word);
  return Array.from({ length: HASHES }, (_, step) => ((first + Math.imul(step, second)) >>> 0) % size);
}

/** FNV-1a, and an odd number that is added to it again and again. */
function hashesOf(word: string): [first: number, second: number] {
  let first = BASIS;
  let second = PRIME;
  for (let index = 0; index < word.length; index++) {
    first = Math.imul(first ^ word.charCodeAt(index), PRIME) >>> 0;
    second = (Math.imul(second, 31) + word.charCodeAt(index)) >>> 0;
  }
  return [first, second | 1];
}
