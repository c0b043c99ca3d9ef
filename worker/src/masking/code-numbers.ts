import { BLANK, DIGIT, isIn, LETTER, QUOTE, WORD } from './characters.ts';
import type { Verify } from './finding.ts';

const SHORTEST = 4;
const LONGEST = 8;
const STAR = 42;

/** Names of secrets that are short numbers. */
export const CODE_NAMES = ['pin', 'otp', 'kode otp', 'pin atm', 'kode verifikasi', 'verification code', 'cvv'] as const;

/** `1234`, `0000`, `654321`: typed to show where the number goes. */
function isCounted(digits: string): boolean {
  const step = digits.charCodeAt(1) - digits.charCodeAt(0);
  for (let index = 2; index < digits.length; index++)
    if (digits.charCodeAt(index) - digits.charCodeAt(index - 1) !== step) return false;
  return Math.abs(step) < 2;
}

/**
 * Verifies at the name of a short number that is a secret: `PIN: 4…`, `kode OTP adalah …`. Four to eight digits; a
 * connector's pin has fewer, and a number that goes on is something else.
 */
export const verifyCodeNumber: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD) || window.before(start - 1) === 45) return undefined;
  let index = window.matches(end, 'nya') || window.matches(end, ' anda') ? end + (window.at(end) === 32 ? 5 : 3) : end;
  while (window.at(index) === STAR || isIn(window.at(index), QUOTE)) index++;
  index = window.run(index, BLANK, 3);
  if (window.at(index) === 58 || window.at(index) === 61) index++;
  else if (window.matches(index, 'is ')) index += 2;
  else if (window.matches(index, 'adalah ')) index += 6;
  else return undefined;
  index = window.run(index, BLANK, 3);
  while (window.at(index) === STAR || isIn(window.at(index), QUOTE)) index++;
  const stop = window.run(index, DIGIT, LONGEST + 1);
  const length = stop - index;
  if (length < SHORTEST || length > LONGEST || isCounted(window.text.slice(index, stop))) return undefined;
  const code = window.at(stop);
  const goesOn = code === 46 || code === 44 || code === 58 || code === 47 || code === 45 || code === 37;
  if (isIn(code, WORD) || (goesOn && isIn(window.at(stop + 1), DIGIT | LETTER))) return undefined;
  return { type: 'key', rule: 'code-number', start: index, end: stop };
};
