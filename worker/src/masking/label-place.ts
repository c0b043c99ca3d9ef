import { CODE, NO_CHARACTER } from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** Nothing but marks of headings, lists and emphasis stands before the name on its line: what follows below is its value. */
export function isTitle(window: TextWindow, nameStart: number): boolean {
  let index = nameStart;
  while (index > nameStart - 12 && TITLE_MARKS.includes(String.fromCharCode(window.before(index - 1)))) index--;
  const code = window.before(index - 1);
  return code === NO_CHARACTER || code === CODE.newline;
}

/** Whether a name begins its line, a word or two before it at most. */
export function isLabel(window: TextWindow, nameStart: number): boolean {
  return BEGINS_LABEL.test(window.left(nameStart, REACH_OF_LABEL));
}

const REACH_OF_LABEL = 48;
const BEGINS_LABEL = /(?:^|\n)[\s>*#•+-]{0,8}["'`*_]{0,3}(?:[\p{L}-]{1,16} ){0,2}$/u;

/** A longer name alone on its line is a line of base64 that ends like one. */
export const LONGEST_TITLE = 30;
const TITLE_MARKS = '#*->_` \t.0123456789';
