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
  return [...bitsOf(word, bits.length * 8)].every((bit) => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** Where a word stands in a filter of `size` bits: two hashes (FNV-1a), and what they add up to. */
export function bitsOf(word: string, size: number): number[] {
  let first = BASIS;
  let second = PRIME;
  for (let index = 0; index < word.length; index++) {
    first = Math.imul(first ^ word.charCodeAt(index), PRIME) >>> 0;
    second = (Math.imul(second, 31) + word.charCodeAt(index)) >>> 0;
  }
  second |= 1;
  return Array.from({ length: HASHES }, (_, step) => (first + Math.imul(step, second >>> 0)) >>> 0).map(
    (hash) => hash % size,
  );
}
