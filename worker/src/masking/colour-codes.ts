import { CODE, isDigit, lowerCase } from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** Begins a control sequence of a terminal (ECMA-48, 8.3.117). */
const ESCAPE = 27;
/** `\u001b[38;2;255;255;255m` is the longest that is in use. */
const LONGEST_CODE = 24;

/** Where the colours end that a terminal is told at `from`: `from` itself where there are none. */
export function skipColour(window: TextWindow, from: number): number {
  let index = from;
  while (window.at(index) === ESCAPE && window.at(index + 1) === CODE.openBracket) {
    let end = index + 2;
    while (end < index + LONGEST_CODE && isParameter(window.at(end))) end++;
    if (lowerCase(window.at(end)) !== CODE.m) return index;
    index = end + 1;
  }
  return index;
}

/** Whether a colour ends right before `end`, where a word begins then. */
export function endsColour(window: TextWindow, end: number): boolean {
  if (window.before(end - 1) !== CODE.m) return false;
  let index = end - 2;
  while (index > end - LONGEST_CODE && isParameter(window.before(index))) index--;
  return window.before(index) === CODE.openBracket && window.before(index - 1) === ESCAPE;
}

function isParameter(code: number): boolean {
  return isDigit(code) || code === CODE.semicolon;
}
