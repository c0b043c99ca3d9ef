import { CODE, isIn, LETTER } from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** Between a name and the literal it is compared with, as programming languages write it: `!=`, `===`, `eq`, `.equals(`. */
const SIGN =
  /^(?:[!=]==? {0,2}|<> {0,2}|-?(?:eq|ne|ceq|cne) {1,2}|\)\.(?:not\.)?(?:tobe|toequal|tostrictequal|to\.equal|to\.eq|isequalto)\( {0,2}|\.(?:equals|equalsignorecase|contentequals|isequaltostring:@|compareto)\( {0,2})(?=@?["'`])/i;
const LONGEST_SIGN = 32;
const EXCLAMATION = 33;

/** Functions that compare their two arguments. */
const COMPARES =
  /(?:\bstrn?(?:case)?cmp|compare_digest|hash_equals|safe_?equals?|secure_?compare|constant_time_compare|timingsafeequal|\bequals?|tobe|isequal)\(\s{0,2}[\w.$>-]{0,24}$/i;
const LONGEST_CALL = 56;
const NEXT_ARGUMENT = /^ {0,4}(?=@?["'`])/;

/** Where the comparison ends that begins at `at`, behind a name that begins at `nameStart`; -1 where none does. */
export function endOfComparison(window: TextWindow, nameStart: number, at: number): number {
  const code = window.at(at);
  if (code === CODE.comma) {
    if (!COMPARES.test(window.left(nameStart, LONGEST_CALL))) return -1;
    const gap = NEXT_ARGUMENT.exec(window.peek(at + 1, 8));
    return gap === null ? -1 : at + 1 + gap[0].length;
  }
  const first = isIn(code, LETTER) || code === CODE.hyphen || code === CODE.dot || code === CODE.closeParenthesis;
  if (code !== EXCLAMATION && code !== CODE.equals && code !== CODE.less && !first) return -1;
  if (code === CODE.equals && window.at(at + 1) !== CODE.equals) return -1;
  if (isIn(code, LETTER) && !window.matches(at, 'eq ') && !window.matches(at, 'ne ')) return -1;
  const sign = SIGN.exec(window.peek(at, LONGEST_SIGN));
  return sign === null ? -1 : at + sign[0].length;
}
