import { BLANK, CODE } from './characters.ts';
import type { Operator } from './given-value.ts';
import type { TextWindow } from './text-window.ts';

/** `%3D`, and `%22%3A%22` as JSON has it in a query. */
export function encodedOperator(window: TextWindow, from: number): Operator | undefined {
  let index = from;
  let sign = false;
  for (let steps = 0; steps < 4; steps++) {
    if (!sign && (window.matches(index, '%3d') || window.matches(index, '%3a'))) sign = true;
    else if (!window.matches(index, '%22') && !window.matches(index, '%20')) break;
    index += 3;
  }
  return sign ? { end: index, kind: 'assign', tight: true, encoded: true } : undefined;
}

/** `&#61;`, `&colon;`, `\\u003d`: where a sign ends that is written as HTML or JSON may write it, or -1. */
export function writtenSign(window: TextWindow, at: number): number {
  const sign = WRITTEN_SIGNS.find((written) => window.matches(at, written));
  return sign === undefined ? -1 : at + sign.length;
}

/** Behind the blanks at `at` that HTML writes as entities, `&nbsp;`, and those that follow. */
export function skipWrittenBlank(window: TextWindow, at: number): number {
  if (window.at(at) !== CODE.ampersand) return at;
  const blank = WRITTEN_BLANKS.find((written) => window.matches(at, written));
  return blank === undefined ? at : window.run(at + blank.length, BLANK, 8);
}

const WRITTEN_BLANKS = ['&nbsp;', '&#160;', '&#xa0;', '&#8239;', '&ensp;', '&thinsp;'];
const WRITTEN_SIGNS = ['&#61;', '&#58;', '&#x3d;', '&#x3a;', '&equals;', '&colon;', '\\u003d', '\\u003a'];
