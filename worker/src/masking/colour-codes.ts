import { CODE, isDigit, lowerCase } from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** Begins a control sequence of a terminal (ECMA-48, 8.3.117). */
const ESCAPE = 27;
/** `\u001b[38;2;255;255;255m` is the longest that is in use. */
const LONGEST_CODE = 24;

/** Where the colours end that a terminal is told at `from`: `from` itself where there are none. */
export function skipColour(window: TextWindow, from: number): number {
  let index = from;
  for (;;) {
    const escape = endOfEscape(window, index);
    if (escape < 0 || window.at(escape) !== CODE.openBracket) return index;
    let end = escape + 1;
    while (end < index + LONGEST_CODE && isParameter(window.at(end))) end++;
    if (lowerCase(window.at(end)) !== CODE.m) return index;
    index = end + 1;
  }
}

/** Behind the escape at `at`, which code and logs may write as four or six characters; -1 where there is none. */
function endOfEscape(window: TextWindow, at: number): number {
  const code = window.at(at);
  if (code === ESCAPE) return at + 1;
  if (code !== CODE.backslash) return -1;
  const written = WRITTEN_ESCAPES.find((escape) => window.matches(at, escape));
  return written === undefined ? -1 : at + written.length;
}

const WRITTEN_ESCAPES = ['\\u001b', '\\x1b', '\\033', '\\e'];

/** Whether a colour ends right before `end`, where a word begins then. */
export function endsColour(window: TextWindow, end: number): boolean {
  if (window.before(end - 1) !== CODE.m) return false;
  let index = end - 2;
  while (index > end - LONGEST_CODE && isParameter(window.before(index))) index--;
  if (window.before(index) !== CODE.openBracket) return false;
  return window.before(index - 1) === ESCAPE || ENDS_ESCAPE.test(window.left(index, 6));
}

/** The end of what WRITTEN_ESCAPES holds. */
const ENDS_ESCAPE = /\\(?:u001b|x1b|033|e)$/i;

function isParameter(code: number): boolean {
  return isDigit(code) || code === CODE.semicolon;
}
