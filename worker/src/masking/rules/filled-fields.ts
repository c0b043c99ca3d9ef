import { CODE, isIn, QUOTE, SPACE } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { TRADE_WORDS } from '../lexicon/values.ts';
import { endOfLiteral, openLiteral } from '../literal-opening.ts';
import { isMadeUp, isPassPhrase, isWordGiven } from '../made-up.ts';
import { isSureWords } from '../sure-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from '../verdicts.ts';
import { isCounted } from './code-numbers.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How far before a call the field is named that it fills, and how far behind its bracket. */
const REACH = 120;
const LONGEST_SECRET = 128;
const LONGEST_LOCATOR = 64;
/** The locator of a field for passwords, which the call follows: `getByLabel('Password')`, `[data-testid="password-input"]`. */
const NAMES_FIELD = /(?:pass|pwd|kennwort|sandi|contrase|senha|wachtwoord)[\w-]{0,12}$/i;
/** Behind it: the ends of its quotes and brackets, an option, a call that goes before. */
const ENDS_LOCATOR = /(?:["'`\])}/]|\/i| \})\)?$/;
const CALLED_BEFORE = /\.(?:first|last|clear|click|focus|nth)\(\d?\)$/;
const OPTION_BEHIND = /, ?\{[^{}\n]{0,16}\}\)$/;

/** Whether the text before a call ends in the locator of a field for passwords. */
function endsInField(left: string): boolean {
  let text = left.replace(CALLED_BEFORE, '').replace(CALLED_BEFORE, '').replace(OPTION_BEHIND, '');
  if (!ENDS_LOCATOR.test(text) && text === left) return false;
  for (let marks = 0; marks < 6; marks++) {
    const last = text.charAt(text.length - 1);
    const isMark = '"\'`])}/ '.includes(last) || (last === 'i' && text.endsWith('/i'));
    if (last === '' || !isMark) break;
    text = text.slice(0, -1);
  }
  return NAMES_FIELD.test(text.slice(-LONGEST_NAME));
}

const LONGEST_NAME = 28;
const LONGEST_FIELD = 80;
const FIELD_FIRST = /^[\w.]{1,32}\(["'`/]([\w -]{1,24})["'`/]i?\), ?/;
const NAMES_IN_LITERAL =
  /(?:pass(?:word|code|phrase|wort|wd)?|pwd|kennwort|sandi|senha|wachtwoord)[\w-]{0,16}["'\])]{0,3}$/i;

const NAMES_NUMBER = /(?:^|[^a-z])(?:pin|otp|passcode)(?:[-_]?(?:input|field|code))?["'\])]{0,3}$/i;

interface Span {
  readonly start: number;
  readonly end: number;
}

function readLiteral(window: TextWindow, from: number): Span | undefined {
  const opening = openLiteral(window, from);
  if (opening === undefined || opening.close === '') return undefined;
  const end = endOfLiteral(window, opening);
  return end > opening.start && end - opening.start <= LONGEST_SECRET ? { start: opening.start, end } : undefined;
}

/** Whether what is typed into a field for passwords is one: a test's `wrong-password` is none. */
function isTyped(window: TextWindow, { start, end }: Span): boolean {
  const value = window.slice(start, end);
  if (verdict(window, 'sure words', value, isSureWords)) return true;
  if (/\s/.test(value))
    return verdict(window, 'phrase at place', value, (text) => isPassPhrase(text, /\d/.test(text) ? 2 : 3));
  if (isDrawnIn(window, value) || isThoughtUpIn(window, value)) return true;
  if (verdict(window, 'made-up', value, isMadeUp) || verdict(window, 'word at place', value, isWordGiven)) return true;
  return (
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !TRADE_WORDS.test(value) &&
    isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: false })
  );
}

/** Verifies at a call that types into a field of a page: the field is named before it, or by its first argument. */
const verifyFilled: Verify = (window, start, end): Finding | undefined => {
  const from = window.run(end, SPACE, 16);
  if (!isIn(window.at(from), QUOTE)) {
    // `user.type(screen.getByLabelText(/password/i), '…')`
    const field = FIELD_FIRST.exec(window.peek(from, LONGEST_FIELD));
    const typed =
      field === null || !/pass/i.test(field[1] ?? '') ? undefined : readLiteral(window, from + field[0].length);
    return typed !== undefined && isTyped(window, typed) ? typed : undefined;
  }
  const first = readLiteral(window, from);
  if (first === undefined) return undefined;
  const left = window.left(start, REACH);
  if (endsInField(left.slice(left.lastIndexOf('\n') + 1))) return isTyped(window, first) ? first : undefined;
  const comma = window.run(first.end + 1, SPACE, 4);
  if (window.at(comma) !== CODE.comma || first.end - first.start > LONGEST_LOCATOR) return undefined;
  const locator = window.slice(first.start, first.end);
  const ofNumber = NAMES_NUMBER.test(locator);
  if (!ofNumber && !NAMES_IN_LITERAL.test(locator)) return undefined;
  let next = window.run(comma + 1, SPACE, 16);
  if (window.matches(next, 'with: ')) next += 6;
  const second = readLiteral(window, next);
  if (second === undefined) return undefined;
  if (ofNumber) {
    const digits = window.slice(second.start, second.end);
    return /^\d{4,8}$/.test(digits) && !isCounted(digits) ? second : undefined;
  }
  return isTyped(window, second) ? second : undefined;
};

const FILLED: Rule = {
  name: 'filled-field',
  type: 'key',
  anchors: [
    '.fill(',
    '.type(',
    '.sendkeys(',
    '.send_keys(',
    '.presssequentially(',
    '.setvalue(',
    '.filltext(',
    '.fillfield(',
    '.typetext(',
    '.entertext(',
    '.addvalue(',
    'fill_in(',
    'fill_in ',
  ],
  verify: verifyFilled,
  source: 'https://playwright.dev/docs/input#text-input',
  masks: [
    `await page.getByLabel('Password').fill('kue_cubit_3');`,
    `cy.get('[data-testid="password-input"]').type('${chosen}');`,
    `driver.find_element(By.ID, "password").send_keys("${chosen}")`,
    `fill_in 'Password', with: '${chosen}'`,
    `page.fill('#password', '${drawn}')`,
  ],
  keeps: [
    `page.getByLabel('Password').fill('wrong-password')`,
    `page.getByLabel('User').fill('budi-santoso-77')`,
    `page.getByLabel('Password').fill(password)`,
    `canvas.fill('evenodd')`,
  ],
};

/** What stands behind the value: the row of a table of settings that it is given to. */
const NAMED_BEHIND =
  /^'\s{1,4}where\s{1,4}[\w.`"]{1,32}\s{0,2}=\s{0,2}'[\w.:-]{0,40}(?:api[_-]?key|secret|token|pass(?:word)?|_key|pwd|credential)'/i;
const LONGEST_WHERE = 128;

/** Verifies at `SET value = '…' WHERE name = 'api_key'`: SQL names the setting behind its value. */
const verifyUpdated: Verify = (window, _start, end) => {
  const span = readLiteral(window, end - 1);
  if (span === undefined) return undefined;
  const where = NAMED_BEHIND.exec(window.peek(span.end, LONGEST_WHERE));
  if (where === null) return undefined;
  if (isDrawnIn(window, window.slice(span.start, span.end))) return span;
  return /(?:pass(?:word)?|pwd)'$/i.test(where[0]) && isTyped(window, span) ? span : undefined;
};

const UPDATED: Rule = {
  name: 'updated-setting',
  type: 'key',
  anchors: ['value', 'val', 'setting_value', 'option_value', 'config_value', 'setting', 'data'].flatMap((column) => [
    `set ${column} = '`,
    `set ${column}='`,
  ]),
  verify: verifyUpdated,
  source: 'https://www.postgresql.org/docs/current/sql-update.html',
  masks: [`UPDATE settings SET value = '${drawn}' WHERE name = 'payment_api_key';`],
  keeps: [
    `UPDATE settings SET value = '${drawn}' WHERE name = 'last_run';`,
    "UPDATE settings SET value = 'on' WHERE name = 'use_token';",
  ],
};

/** What a hash is taken of, on a line that gives it to the name of a password. */
const GIVES_HASH = /(?:pass|pwd|sandi)\w{0,8}["']? ?$/i;
const SIGN_BEFORE = /(?:=>|=|:) ?(?:await )?[\w.>-]{0,12}$/;

/** Verifies at `hash('…')`: the password that is hashed. */
const verifyHashed: Verify = (window, start, end) => {
  const left = window.left(start, REACH);
  const line = left.slice(left.lastIndexOf('\n') + 1);
  const sign = SIGN_BEFORE.exec(line);
  if (sign === null || !GIVES_HASH.test(line.slice(0, sign.index))) return undefined;
  const span = readLiteral(window, end - 1);
  return span !== undefined && isTyped(window, span) ? span : undefined;
};

const HASHED: Rule = {
  name: 'hashed-password',
  type: 'key',
  anchors: ["hash('", 'hash("', "hash(b'", 'hash(b"', "hashsync('", "encrypt('", 'encrypt("', "bcrypt('", 'bcrypt("'],
  verify: verifyHashed,
  source: 'https://github.com/ranisalt/node-argon2#usage',
  masks: ["const passwordHash = await hash('matahari terbit 5', 10);", `password: bcrypt('${chosen}')`],
  keeps: ["const passwordHash = await hash('sha256', input);", `const id = await hash('${chosen}', 10);`],
};

/** Secrets that a call or a statement gives to a field that is named in another place. */
export const FILLED_RULES: readonly Rule[] = [FILLED, UPDATED, HASHED];
