import { CODE, isIn, QUOTE, SPACE } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { isMadeUp } from '../made-up.ts';
import { isUncommonWords, mayBeWords } from '../plain-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, verdict } from '../verdicts.ts';
import { chosen, type Rule } from './rule.ts';

/** How much before the name of a column its list is read, and how much of a list and its rows. */
const LONGEST_HEAD = 96;
const LONGEST_ROW = 160;
const MOST_ROWS = 8;
const LONGEST_LITERAL = 64;

interface Literal {
  readonly start: number;
  readonly end: number;
}

/** Names in one string, `"user,password`, or in one each: `("user", "password`. How many stand before, or -1. */
function columnsBefore(left: string): number {
  const list = left.slice(1 + Math.max(...ENDS_OF_LISTS.map((mark) => left.lastIndexOf(mark))));
  if (!HAS_USER.test(list)) return -1;
  const inString = IN_STRING.exec(left);
  if (inString !== null) return inString[0].split(',').length - 1;
  const inList = IN_LIST.exec(left);
  return inList === null ? -1 : inList[0].split(',').length - 1;
}

/** A column of users stands beside it: lists of words hold `password` too. */
const HAS_USER = /(?:user|login|name|mail|account|benutzer|usuario|akun)\w{0,8}["']?,/i;
const ENDS_OF_LISTS = ['(', ')', '[', ']', '\n'];
const IN_STRING = /["'](?:\w{1,24}, ?){1,4}$/;
const IN_LIST = /[([](?:["']\w{1,24}["'], ?){1,4}["']$/;
/** What stands behind the quote of the name: further columns, the end of their list, the beginning of the rows. */
const TO_ROWS = /^(?:, ?["']\w{1,24}["']){0,3}[)\]]{0,2},\s{0,24}(?=[[(])/;
const LONGEST_TO_ROWS = 96;

/** Verifies at the name of a column in code: the literals of that place in the rows that follow. */
const verifyColumn: Verify = (window, start, end) => {
  const column = columnsBefore(window.left(start, LONGEST_HEAD));
  if (column < 0) return undefined;
  const lead = TO_ROWS.exec(window.peek(end, LONGEST_TO_ROWS));
  if (lead === null) return undefined;
  const [first, ...also] = readRows(window, end + lead[0].length, column);
  return first === undefined ? undefined : { ...first, also };
};

function readRows(window: TextWindow, from: number, column: number): Finding[] {
  const found: Finding[] = [];
  let index = from;
  for (let row = 0; row < MOST_ROWS; row++) {
    // The list of rows, a row of its own, or both.
    while (isOpening(window.at(index))) index = window.run(index + 1, SPACE, 32);
    const literals = readRow(window, index);
    const cell = literals?.row[column];
    if (literals === undefined || cell === undefined) break;
    if (isGivenIn(window, cell)) found.push(cell);
    index = window.run(literals.end + 1, SPACE, 32);
    if (window.at(index) !== CODE.comma) break;
    index = window.run(index + 1, SPACE, 32);
    if (!isOpening(window.at(index))) break;
  }
  return found;
}

/** The literals of a row and its closing bracket. */
function readRow(window: TextWindow, from: number): { row: Literal[]; end: number } | undefined {
  const row: Literal[] = [];
  let index = from;
  while (index < from + LONGEST_ROW) {
    const quote = window.at(index);
    if (!isIn(quote, QUOTE)) return undefined;
    let end = index + 1;
    while (end < index + LONGEST_LITERAL && window.at(end) >= CODE.space && window.at(end) !== quote) end++;
    if (window.at(end) !== quote) return undefined;
    row.push({ start: index + 1, end });
    index = window.run(end + 1, SPACE, 16);
    const code = window.at(index);
    if (code === CODE.closeParenthesis || code === CODE.closeBracket) return { row, end: index };
    if (code !== CODE.comma) return undefined;
    index = window.run(index + 1, SPACE, 16);
  }
  return undefined;
}

function isOpening(code: number): boolean {
  return code === CODE.openBracket || code === CODE.openParenthesis;
}

function isGivenIn(window: TextWindow, { start, end }: Literal): boolean {
  const value = window.slice(start, end);
  return (
    isDrawnIn(window, value) ||
    isThoughtUpIn(window, value) ||
    verdict(window, 'made-up', value, isMadeUp) ||
    (/\s/.test(value)
      ? verdict(window, 'may be words', value, mayBeWords)
      : verdict(window, 'uncommon words', value, isUncommonWords))
  );
}

const NAMES = ['password', 'passwd', 'pwd', 'passwort', 'passphrase', 'secret', 'sandi', 'senha'];

/** The names of columns in code, and the rows of literals behind them. */
const COLUMN: Rule = {
  name: 'code-column',
  type: 'key',
  anchors: NAMES.flatMap((name) => [`${name}"`, `${name}'`]),
  verify: verifyColumn,
  source: 'https://docs.pytest.org/en/stable/how-to/parametrize.html',
  masks: [
    `@pytest.mark.parametrize("user,password", [("budi", "${chosen}"), ("rina", "bakso malang")])`,
    `creds = dict(zip(("user", "secret"), ("budi", "${chosen}")))`,
  ],
  keeps: [
    'fields = ("user", "password"), ("Benutzer", "Passwort")',
    '@pytest.mark.parametrize("user,password", [("budi", ""), ("", "x")])',
    "only('email', 'password')",
    'insert("users", ["name", "password"], [name, hash])',
  ],
};

export const CODE_COLUMN_RULES: readonly Rule[] = [COLUMN];
