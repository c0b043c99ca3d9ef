import { CODE, DASH, isIn, LETTER, LINE_END, LONGEST_RUN, QUOTE, SPACE, WORD } from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** What a string literal begins with: where its content starts, and what ends it. */
export interface Opening {
  readonly start: number;
  /** What stands for a quote at its end, in lower case; empty where the end of the line is the end. */
  readonly close: string;
  /** A backslash takes the character after it along, as it does in most languages' plain strings. */
  readonly escapes: boolean;
}

/** Quotes as HTML, XML and escaped Unicode write them (WHATWG HTML 13.5, RFC 8259 7). */
const WRITTEN_QUOTES = ['&quot;', '&#34;', '&#39;', '&#x22;', '&#x27;', '&apos;', '\\u0022', '\\u0027'];
/** A string in JSON in a string in JSON has three backslashes, one deeper seven. */
const MOST_BACKSLASHES = 7;
/** `rb"`, `u8R"`, `$@"`: the marks before the quote of a literal. */
const LONGEST_MARK = 3;
/** Rust's `r##"`. */
const MOST_HASHES = 4;
/** C++'s `R"delimiter(`; the standard allows 16 characters. */
const LONGEST_DELIMITER = 16;
/** The word that ends a here-document. */
const LONGEST_WORD = 32;

/** The quote, however it is written, that begins at `at`: its end, or -1. */
export function endOfQuote(window: TextWindow, at: number): number {
  const code = window.at(at);
  if (isIn(code, QUOTE)) return at + 1;
  if (code !== CODE.backslash && code !== CODE.ampersand) return -1;
  const written = writtenQuote(window, at, code);
  if (written !== undefined) return at + written.length;
  const end = backslashes(window, at);
  return end > at && isIn(window.at(end), QUOTE) ? end + 1 : -1;
}

/** Reads what opens a literal at `from`, marks before it included; undefined when none does. */
export function openLiteral(window: TextWindow, from: number): Opening | undefined {
  const at = skipMarks(window, from);
  const code = window.at(at);
  const perl = at === from && code === CODE.q ? openPerl(window, at) : undefined;
  if (perl !== undefined) return perl;
  if (isIn(code, QUOTE)) return plainOpening(window, at, code, at > from);
  if (code === CODE.less) return openHereDocument(window, at);
  if (at > from || (code !== CODE.backslash && code !== CODE.ampersand)) return undefined;
  const close = writtenQuote(window, at, code);
  if (close !== undefined) return { start: at + close.length, close, escapes: false };
  const end = backslashes(window, at);
  if (end === at || !isIn(window.at(end), QUOTE)) return undefined;
  return { start: end + 1, close: window.slice(at, end + 1), escapes: false };
}

/** Perl's `q{…}` and `qq{…}` (perldoc perlop, Quote-Like Operators). */
function openPerl(window: TextWindow, at: number): Opening | undefined {
  const brace = window.at(at + 1) === CODE.q ? at + 2 : at + 1;
  return window.at(brace) === CODE.openBrace ? { start: brace + 1, close: '}', escapes: true } : undefined;
}

function plainOpening(window: TextWindow, at: number, quote: number, marked: boolean): Opening {
  const character = String.fromCharCode(quote);
  if (window.at(at + 1) === quote && window.at(at + 2) === quote) {
    // What a string in three quotes holds may begin on the next line.
    const start = isIn(window.at(at + 3), LINE_END) ? window.run(at + 3, SPACE, 24) : at + 3;
    return { start, close: character, escapes: true };
  }
  if (marked && quote === CODE.doubleQuote && isIn(window.code(at - 1), LETTER)) {
    const end = window.run(at + 1, WORD, LONGEST_DELIMITER);
    if (window.at(end) === CODE.openParenthesis && window.text.charAt(at - 1) === 'R')
      return { start: end + 1, close: `)${window.slice(at + 1, end).toLowerCase()}"`, escapes: false };
  }
  // Of raw strings a backslash is a character: `r"C:\x"`, `@"…"`, `r#"…"#`.
  const raw = marked && /[r@#]/i.test(window.text.slice(Math.max(0, at - LONGEST_MARK), at));
  return { start: at + 1, close: character, escapes: !raw };
}

/** `<<~TOKEN`, `<<-'EOT'`, `<<<EOT`: the value is the line below. */
function openHereDocument(window: TextWindow, at: number): Opening | undefined {
  if (window.at(at + 1) !== CODE.less) return undefined;
  let index = at + 2;
  const mark = window.at(index);
  if (mark === CODE.less || mark === CODE.tilde || mark === CODE.hyphen) index++;
  if (isIn(window.at(index), QUOTE)) index++;
  const end = window.run(index, WORD | DASH, LONGEST_WORD);
  if (end === index) return undefined;
  const close = isIn(window.at(end), QUOTE) ? end + 1 : end;
  if (!isIn(window.at(close), LINE_END)) return undefined;
  return { start: window.run(close, SPACE, 40), close: '', escapes: false };
}

function writtenQuote(window: TextWindow, at: number, code: number): string | undefined {
  const next = window.at(at + 1);
  if (code === CODE.backslash ? next !== CODE.u : next !== CODE.hash && next !== CODE.q && next !== CODE.a)
    return undefined;
  return WRITTEN_QUOTES.find((quote) => window.matches(at, quote));
}

function backslashes(window: TextWindow, at: number): number {
  let end = at;
  while (end < at + MOST_BACKSLASHES && window.at(end) === CODE.backslash) end++;
  return end;
}

/** The marks of a literal, if a quote follows them; else `from`. */
function skipMarks(window: TextWindow, from: number): number {
  let index = from;
  for (let code = window.at(index); index < from + LONGEST_MARK && isMark(code); code = window.at(++index));
  if (index === from) return from;
  let hashes = index;
  while (hashes < index + MOST_HASHES && window.at(hashes) === CODE.hash) hashes++;
  return isIn(window.at(hashes), QUOTE) ? hashes : from;
}

function isMark(code: number): boolean {
  return isIn(code, LETTER) || code === CODE.at || code === CODE.dollar || code === CODE.eight;
}

/** Where the content of a literal ends, or -1 where it has no quote, its line ends, the text ends or LONGEST_RUN characters went by. */
export function endOfLiteral(window: TextWindow, { start, close, escapes }: Opening): number {
  const first = close.charCodeAt(0);
  for (let index = start; index < start + LONGEST_RUN; index++) {
    const code = window.at(index);
    if (code === first && (close.length === 1 || window.matches(index, close))) return index;
    if (code < 0 || isIn(code, LINE_END)) return -1;
    if (escapes && code === CODE.backslash) {
      const next = window.at(index + 1);
      // The end of a line, in a string that holds several.
      if (next === CODE.n || next === CODE.r) return index;
      if (next > CODE.space) index++;
    }
  }
  return start + LONGEST_RUN;
}
