import { contextBefore } from './address-context.ts';
import { CODE, isIn, QUOTE, WORD } from './characters.ts';
import { NUMBERED_STANDARDS, OBJECT_CALLS, RELEASE_NOTES } from './lexicon/addresses.ts';
import type { TextWindow } from './text-window.ts';
import { standsBefore } from './words-before.ts';

/** A first part from here on is a network's; few products have come so far. */
const LARGE_PART = 100;
/** Sections of a text and entries of a list of changes count from small numbers. */
const MOST_SECTIONS = 40;
/** Words between a version word and a number that looks like a machine's. */
const NEAR = 1;
/** How far behind a number on its line the text is read for what a list of changes says, characters. */
const REACH_AHEAD = 48;

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
  const { context, distance } = contextBefore(window, start);
  if (context === 'version' && (distance <= NEAR || isMoney || !looksLikeMachine(parts))) return true;
  return (
    context !== 'address' &&
    (isSection(window, start, parts) || isObject(window, start, parts) || isEntry(window, start, end, parts))
  );
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
  if (!/(?:^|\n)[ \t]{0,4}(?:[-*+#]{1,4}[ \t]{1,3})?[[*`]{0,3}$/.test(window.left(start, 16))) return false;
  const code = window.at(end);
  if (code !== CODE.space && code !== CODE.colon && code !== CODE.closeBracket && code !== CODE.star) return false;
  return RELEASE_NOTES.test(window.peek(end, REACH_AHEAD).split('\n', 1)[0] ?? '');
}
