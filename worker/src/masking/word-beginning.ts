import { ALNUM, CODE, HEX, isDigit, isIn } from './characters.ts';

/**
 * Whether a word may begin at `start`: behind no letter or digit of ASCII, or behind one that may end an escape, such as
 * `\n`, `%20` and the colours of a terminal. The verifiers look closer.
 */
export function mayBeginWord(codes: Uint16Array, start: number): boolean {
  const code = start > 0 ? (codes[start - 1] ?? 0) : 0;
  if (!isIn(code, ALNUM)) return true;
  const before = start > 1 ? (codes[start - 2] ?? 0) : 0;
  if (before === CODE.backslash) return true;
  if (code === CODE.m) return isDigit(before) || before === CODE.semicolon;
  return isIn(code, HEX) && isIn(before, HEX);
}
