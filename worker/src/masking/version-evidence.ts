import { contextBefore } from './address-context.ts';
import { CODE, isIn, QUOTE, WORD } from './characters.ts';
import {
  BEFORE_NAMED_RELEASE,
  BEFORE_RELEASE,
  BEHIND_ADDRESS,
  BEHIND_RELEASE,
  FIXED_BEFORE,
  MOVED_FROM,
  NUMBERED_STANDARDS,
  OBJECT_CALLS,
  RELEASE_NOTES,
  STANDARD_RIGHT_BEFORE,
} from './lexicon/addresses.ts';
import type { TextWindow } from './text-window.ts';
import { standsBefore } from './words-before.ts';

/** A first part from here on is a network's; few products have come so far. */
const LARGE_PART = 100;
/** Sections of a text and entries of a list of changes count from small numbers. */
const MOST_SECTIONS = 60;
/** Products have come so far: a first part from here on is a network's, unless something says otherwise. */
const MOST_RELEASES = 30;
/** Words between a version word and a number that looks like a machine's. */
const NEAR = 1;
/** How far behind a number on its line the text is read for what a list of changes says, characters. */
const REACH_AHEAD = 64;
/** How far before a number its record, its path or its line is read, characters. */
const REACH_BEFORE = 96;

/**
 * True when four numbers with dots at [start, end) are a version, a section or an object identifier by the nearest
 * evidence: the column they stand in, the words before them with the shape of the numbers, what follows on their line.
 */
export function isVersion(window: TextWindow, start: number, end: number): boolean {
  const { column, versions } = window.table;
  if (versions.includes(column) && window.before(start - 1) === CODE.space) return true;
  const text = window.slice(start, end);
  const parts = text.split('.').map(Number);
  const isMoney = text.includes('.000');
  if (countsFromOne(parts) && STANDARD_RIGHT_BEFORE.test(window.left(start, 32))) return true;
  if (isObject(window, start, parts)) return true;
  const { context, distance } = contextBefore(window, start);
  if (isSmall(parts) && !isOnNetwork(window, start, end, context)) return true;
  if (context === 'version' && (distance <= NEAR || isMoney || !looksLikeMachine(parts))) return true;
  if ((context !== 'address' || distance > 0) && isBesideVersions(window, start, end)) return true;
  if (context === 'address') return false;
  return (
    isSection(window, start, parts) ||
    isEntry(window, start, end, parts) ||
    isTitled(window, start, end, parts) ||
    (!looksLikeMachine(parts) && isRelease(window, start, end)) ||
    isInDrawing(window, start, end)
  );
}

/** `// 20.11.5.3 observers`, `4.2.1.1. Stream flags`, `7.1.2.3 Arithmetic`: the number of what its line is the title of. */
function isTitled(window: TextWindow, start: number, end: number, parts: readonly number[]): boolean {
  if (!countsFromOne(parts)) return false;
  const left = window.left(start, LONGEST_OPENING);
  const line = left.slice(left.lastIndexOf('\n') + 1);
  // Cut from a longer line, or indented so far that it is no title.
  if (line.length === LONGEST_OPENING) return false;
  const before = BEGINS_LINE.exec(line.trimStart());
  if (before === null) return false;
  const isComment = (before[1] ?? '') !== '';
  return (isComment ? TITLE_IN_COMMENT : TITLE).test(window.peek(end, 24));
}

/** The line's text so far: nothing but marks of a comment, caught, and of a list. */
const BEGINS_LINE = /^(\/{2,3}|[-*] \[[ xX]\]|\*|#|"|;;?|--|%|\.\.|)[ \t]{0,4}\[?$/;
const LONGEST_OPENING = 40;
const TITLE = /^(?:\.\)? {1,2}[A-Za-z]| {1,4}[A-Z][a-z]+[ \n])/;
const TITLE_IN_COMMENT = /^(?:\.|\]\/\d|\])?[ \t]{1,3}[A-Za-z]\w*[ \n,(-]/;

/** What is said right before or behind the number speaks of a release, of a package at a version, of a part of a standard. */
function isRelease(window: TextWindow, start: number, end: number): boolean {
  const left = window.left(start, REACH_BEFORE);
  const before = left.slice(left.lastIndexOf('\n') + 1);
  return (
    BEFORE_RELEASE.test(before) ||
    BEFORE_NAMED_RELEASE.test(before) ||
    FIXED_BEFORE.test(before) ||
    BEHIND_RELEASE.test(window.peek(end, REACH_AHEAD))
  );
}

/** `"v8": "10.2.154.26"` where the value before or behind it in the record is a version of two or three parts. */
function isBesideVersions(window: TextWindow, start: number, end: number): boolean {
  const code = window.before(start - 1);
  if (!isIn(code, QUOTE) && code !== CODE.space) return false;
  return (
    isVersionBefore(window.left(start, REACH_BEFORE)) || VERSION_BEHIND_IN_RECORD.test(window.peek(end, REACH_AHEAD))
  );
}

/** The same of the record's text so far: its last field's name is taken off, then the one before it is read. */
function isVersionBefore(left: string): boolean {
  const sign = SIGN_OF_FIELD.exec(left);
  if (sign === null) return false;
  let at = sign.index;
  while (at > 0 && NAME_OF_FIELD.test(left[at - 1] ?? '')) at--;
  if (at === sign.index || sign.index - at > LONGEST_FIELD) return false;
  const before = left.slice(0, at).replace(/["']$/, '').trimEnd();
  const value = Math.max(before.lastIndexOf(':'), before.lastIndexOf('=')) + 1;
  return value > 0 && VERSION_IN_RECORD.test(before.slice(value));
}

const LONGEST_FIELD = 40;
const SIGN_OF_FIELD = /["']?[ \t]{0,4}[:=][ \t]{0,4}["']?$/;
const NAME_OF_FIELD = /[\w@/.-]/;
const VERSION_IN_RECORD = /^[ \t]*["']?[v^~]?\d{1,4}(?:\.\d{1,4}){1,2}(?:[-+][\w.+-]+)?["']?,?$/;
const VERSION_BEHIND_IN_RECORD =
  /^["']?,?[ \t]{0,4}(?:\r?\n[ \t]{0,24})?["']?[\w@/.-]{1,40}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[v^~]?\d{1,4}(?:\.\d{1,4}){1,2}(?![\d.])/;

/** `2.83-2.12 3.86.79.26 2.03.5`: numbers of a drawing on both sides, which SVG may join by their dots (SVG 2, 9.3.1). */
function isInDrawing(window: TextWindow, start: number, end: number): boolean {
  return DRAWN_BEFORE.test(window.left(start, 24)) && DRAWN_BEHIND.test(window.peek(end, 24));
}

const DRAWN_BEFORE = /(?:\d\.\d{1,3}|\.\d{1,3}|[ ,-]\d{1,3}|[a-zA-Z]\d{1,3})[ ,-]$/;
const DRAWN_BEHIND =
  /^(?:[ ,-]{1,2}\d{0,3}\.\d{1,3}(?:[ ,.a-zA-Z-]\d{0,3}){0,2}[^.\d]|[a-zA-Z]-?\d?\.?\d|[ ,-]\d{1,3}[ ,-])/;

/**
 * Parts as a product counts its releases and a standard its sections. Of addresses that are given out, seven in a thousand
 * look so; those that people know by heart, and write where any address would do, do not.
 */
function isSmall(parts: readonly number[]): boolean {
  const [first = 0] = parts;
  if (first >= MOST_RELEASES || first === 10 || parts.some((part) => part >= LARGE_PART)) return false;
  const isCounted = parts.every((part, index) => index === 0 || part === (parts[index - 1] ?? 0) + 1);
  return !isCounted && new Set(parts).size > 1 && !isResolver(parts);
}

/** 8.8.4.4, 9.9.9.10, 1.0.0.1: of public resolvers, and written as often as any. */
function isResolver([first, second, third, last]: readonly number[]): boolean {
  return first === second ? first === 8 || first === 9 : first === 1 && second === 0 && third === 0 && last === 1;
}

/** Whether anything says that the number is an address: a word before it, or the port, the prefix, the log that follows. */
function isOnNetwork(window: TextWindow, start: number, end: number, context: string): boolean {
  if (BEHIND_ADDRESS.test(window.peek(end, 32))) return true;
  const left = window.left(start, REACH_BEFORE);
  const before = left.slice(left.lastIndexOf('\n') + 1);
  return context === 'address' && !MOVED_FROM.test(before);
}

/** A private network, a loopback, or a first part that is too large for most products. */
function looksLikeMachine([first = 0, second = 0]: readonly number[]): boolean {
  return first >= LARGE_PART || first === 10 || (first === 172 && second >= 16 && second < 32);
}

function countsFromOne(parts: readonly number[]): boolean {
  return parts[0] !== 10 && parts.every((part) => part > 0 && part < MOST_SECTIONS) && new Set(parts).size > 1;
}

/** `RFC 5280, 4.2.1.10`, `ECMA-262 22.1.3.17`: a section of a standard. */
function isSection(window: TextWindow, start: number, parts: readonly number[]): boolean {
  return countsFromOne(parts) && standsBefore(window.left(start, 56), NUMBERED_STANDARDS, '\n', 42);
}

/** `OBJ_txt2nid("2.5.29.17")`: below ISO or ITU, given to a function that speaks of objects. */
function isObject(window: TextWindow, start: number, [first = 0]: readonly number[]): boolean {
  const code = window.before(start - 1);
  return first < 3 && (isIn(code, QUOTE) || code === CODE.openParenthesis) && OBJECT_CALLS.test(window.left(start, 48));
}

/** `- 1.2.1.0: fixes a leak`, `4.18.2.1 (2026-02-11)`: the first word of a line in a list of changes. */
function isEntry(window: TextWindow, start: number, end: number, parts: readonly number[]): boolean {
  if ((parts[0] ?? 0) >= MOST_SECTIONS || parts[0] === 10) return false;
  const first = window.before(start - 1);
  if (isIn(first, WORD) || (first === CODE.space && isIn(window.before(start - 2), WORD))) return false;
  if (!/(?:^|\n)[ \t]{0,4}(?:[-*+#"]{1,4}[ \t]{1,4})?[[*`]{0,3}$/.test(window.left(start, 16))) return false;
  const code = window.at(end);
  if (code !== CODE.space && code !== CODE.colon && code !== CODE.closeBracket && code !== CODE.star) return false;
  return RELEASE_NOTES.test(window.peek(end, REACH_AHEAD).split('\n', 1)[0] ?? '');
}
