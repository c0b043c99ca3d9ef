import { ALNUM, CODE, HEX, isDigit, isIn } from './characters.ts';

/**
 * Whether a word may begin at `start`: behind no letter or digit of ASCII, or behind one that may end an escape, such as
 * `\n`, `%20` and the colours of a terminal. The verifiers look closer.
 */
export function mayBeginWord(codes: Uint16Array, start: number): boolean {
  const code = start > 0 ? (codes[start - 1] ?? 0) : 0;
  return !isIn(code, ALNUM) || mayEndEscape(start > 1 ? (codes[start - 2] ?? 0) : 0, code);
}

/** Whether these two characters, the second of them a letter or a digit, may be the end of an escape. */
export function mayEndEscape(first: number, second: number): boolean {
  if (first === CODE.backslash) return true;
  if (second === CODE.m) return isDigit(first) || first === CODE.semicolon;
  return isIn(first, HEX) && isIn(second, HEX);
}
