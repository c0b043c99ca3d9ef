import { BARE_VALUE, CODE, isIn, QUOTE } from './characters.ts';
import { isCommonWord } from './common-words.ts';
import type { OptionStyle } from './lexicon/command-options.ts';
import { DEFAULT_WORDS, LIKE_A_TEMPLATE } from './lexicon/values.ts';
import { isPlaceholder } from './placeholder.ts';
import { isUncommonWords, mayBeWords } from './plain-words.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawnIn, verdict } from './verdicts.ts';

export const LONGEST_ARGUMENT = 256;

interface Argument {
  readonly start: number;
  readonly end: number;
  readonly open?: number;
}

/** The secret that an argument of a command is, or holds behind the mark of its style; quotes around it are stepped over. */
export function readArgument(window: TextWindow, from: number, style: OptionStyle): Argument | undefined {
  // A shell's `$'…\n…'`.
  const opening = window.at(from) === CODE.dollar && window.at(from + 1) === CODE.singleQuote ? from + 1 : from;
  const quote = isIn(window.at(opening), QUOTE) ? window.at(opening) : -1;
  const start = quote < 0 ? from : opening + 1;
  let end = start;
  while (end < start + LONGEST_ARGUMENT) {
    const code = window.at(end);
    if (
      code < CODE.space ||
      code === quote ||
      (quote < 0 &&
        (code === CODE.space ||
          isIn(code, QUOTE) ||
          code === CODE.semicolon ||
          code === CODE.pipe ||
          code === CODE.closeParenthesis))
    )
      break;
    end++;
  }
  return secretOf(window, start, end, style, quote >= 0);
}

/** The secret in the argument at [start, end), which stands without its quotes. */
export function secretOf(
  window: TextWindow,
  start: number,
  end: number,
  style: OptionStyle,
  quoted: boolean,
): Argument | undefined {
  if (style === '@') {
    const login = LOGIN_AT_HOST.exec(window.slice(start, end));
    const [, before = '', value = ''] = login ?? [];
    const from = start + before.length;
    return login === null ? undefined : secretOf(window, from, from + value.length, 'separate', quoted);
  }
  let from = start;
  if (style !== 'separate' && style !== 'attached') {
    const mark = window.slice(start, end).indexOf(style);
    if (mark < 0) return undefined;
    from += mark + 1;
  }
  const value = window.slice(from, end);
  // Of a short word nothing is known but that it stands there.
  const plain =
    /^[a-z]+$/i.test(value) && (value.length < 4 || (value.length < 6 && isCommonWord(value.toLowerCase())));
  if (
    value.length < 3 ||
    plain ||
    (isPlaceholder(value) && !(quoted && LIKE_A_TEMPLATE.test(value) && /\d/.test(value))) ||
    DEFAULT_WORDS.has(value.toLowerCase()) ||
    /^[/~.]|^\\\\/.test(value)
  )
    return undefined;
  if (style === 'attached' && !/[0-9!@#$%^&*]/.test(value) && value.length < 6) return undefined;
  return end < start + LONGEST_ARGUMENT ? { start: from, end } : { start: from, end, open: BARE_VALUE };
}

/** `corp/budi:…@dc1` */
const LOGIN_AT_HOST = /^([\w.+\\/-]{1,64}:)(\S{1,128})@[\w.-]{1,64}$/;

/** Drawn, or no word where no option can take it. */
export function isGivenByPlace(
  window: TextWindow,
  { start, end }: { readonly start: number; readonly end: number },
  ofOption: boolean,
): boolean {
  const value = window.slice(start, end);
  if (isDrawnIn(window, value)) return true;
  if (ofOption) return false;
  if (/[^A-Za-z_.:/-]/.test(value) || verdict(window, 'uncommon words', value, isUncommonWords)) return true;
  // `PecelLele`
  return /^(?:[A-Z][a-z]{2,16}){2,4}$/.test(value) && verdict(window, 'may be words', value, mayBeWords);
}
