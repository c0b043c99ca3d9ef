import { createHash } from 'node:crypto';

/** Gives the next number below a bound. */
export type RandomSource = (bound: number) => number;

/** An endless stream of numbers that are the same for the same seed: SHA-256 of it and a counter, four bytes at a time. */
export function randomSource(seed: string): RandomSource {
  let block = Buffer.alloc(0);
  let counter = 0;
  let offset = 0;
  return (bound) => {
    if (offset + 4 > block.byteLength) {
      block = createHash('sha256').update(`${counter}:${seed}`).digest();
      counter += 1;
      offset = 0;
    }
    const number = block.readUInt32LE(offset);
    offset += 4;
    return number % bound;
  };
}
