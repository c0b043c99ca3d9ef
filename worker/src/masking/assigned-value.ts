import { CODE, DASH, isIn, QUOTE, WORD } from './characters.ts';
import { isForeignLetter } from './given-in-words.ts';
import { inTemplate } from './given-list.ts';
import type { GivenValue, Operator } from './given-value.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';

const LONGEST_REST = 300;

/** The value as it is judged: without what stands around it in a template, an element or another encoding. */
export function settledValue(window: TextWindow, name: SecretName, operator: Operator, given: GivenValue): GivenValue {
  const value = given.quoted ? given : overLetters(window, inQuotes(window, name, operator, given));
  if (operator.printed === true && !value.quoted) return wholeWord(window, value);
  if (operator.encoded === true) return { ...value, end: encodedEnd(window, value) };
  if (operator.kind === 'tag') return wholeElement(window, { ...value, end: endInTag(window, value) });
  if (!value.quoted) return value;
  const literal = inTemplate(window, value);
  // Spring Security writes before a password how it is encoded.
  return window.matches(literal.start, '{noop}') ? { ...literal, start: literal.start + NOOP } : literal;
}

const NOOP = '{noop}'.length;

/** `<password>a&amp;b</password>`: an entity in an element is a part of the value. */
function endInTag(window: TextWindow, { end, quoted }: GivenValue): number {
  if (quoted || window.at(end) !== CODE.ampersand) return end;
  const rest = /^(?:&\w{2,4};[^<&\s]{0,64}){1,4}(?=<)/.exec(window.peek(end, LONGEST_REST));
  return rest === null ? end : end + rest[0].length;
}

/** Where a value in a percent-encoded text ends: at an encoded quote, ampersand, comma or bracket. */
function encodedEnd(window: TextWindow, { start, end }: GivenValue): number {
  const at = window.slice(start, end).search(/%(?:2[267c]|7d|0a)/i);
  return at < 0 ? end : start + at;
}

/** `-F 'password=velvet anchor'`: the quote before the name ends the value. */
function inQuotes(window: TextWindow, { start }: SecretName, { tight }: Operator, value: GivenValue): GivenValue {
  const quote = window.before(start - 1);
  if (!tight || !isIn(quote, QUOTE) || window.at(value.end) !== CODE.space) return value;
  let end = value.end;
  while (end < value.start + LONGEST_PHRASE && window.at(end) >= CODE.space && !ENDS_PHRASE.has(window.at(end))) end++;
  return window.at(end) === quote ? { ...value, end, quoted: true, last: true } : value;
}

const LONGEST_PHRASE = 64;
const ENDS_PHRASE: ReadonlySet<number> = new Set([
  CODE.doubleQuote,
  CODE.singleQuote,
  CODE.backtick,
  CODE.equals,
  CODE.ampersand,
  CODE.semicolon,
  CODE.dollar,
]);

/** `piñata`, `çaydanlık`: letters that ASCII has not are a part of the value, up to what would end it. */
function overLetters(window: TextWindow, value: GivenValue): GivenValue {
  if (!isForeignLetter(window.at(value.end))) return value;
  let { end } = value;
  while (end < value.start + LONGEST_PHRASE && (isForeignLetter(window.at(end)) || isIn(window.at(end), WORD | DASH)))
    end++;
  const code = window.at(end);
  return end === value.start + LONGEST_PHRASE ? value : { ...value, end, last: code < CODE.space };
}

/** `<property name="password">velvet anchor</property>`: all that the element holds. */
function wholeElement(window: TextWindow, value: GivenValue): GivenValue {
  if (value.quoted || window.at(value.end) !== CODE.space) return value;
  let end = value.end;
  while (end < value.start + LONGEST_PHRASE && window.at(end) >= CODE.space && window.at(end) !== CODE.less) end++;
  return window.at(end) === CODE.less && window.at(end + 1) === CODE.slash ? { ...value, end } : value;
}

/** What a program has printed at the end of its line may hold any mark: it is judged as if it stood in quotes. */
function wholeWord(window: TextWindow, value: GivenValue): GivenValue {
  let { end } = value;
  while (end < value.start + LONGEST_REST && window.at(end) > CODE.space) end++;
  const isLast = window.at(end) < CODE.space;
  if (!isLast || end === value.start + LONGEST_REST) return value;
  const stop = window.trim(value.start, end, '.');
  return { ...value, end: stop, quoted: MARKED.test(window.slice(value.start, stop)), below: false, last: true };
}

/** Words alone go on with the sentence. */
const MARKED = /\d|[a-z][A-Z]|[^\w\s.,:'"-]/;
