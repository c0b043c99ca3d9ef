import { BARE_VALUE, CODE, DASH, DOT, isIn, QUOTE, WORD } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { SQL_ACCOUNT_WORDS } from '../lexicon/sentences.ts';
import { DEFAULT_WORDS } from '../lexicon/values.ts';
import type { Memory } from '../memory.ts';
import { isPlaceholder } from '../placeholder.ts';
import type { TextWindow } from '../text-window.ts';
import { standsBefore } from '../words-before.ts';
import { chosen, type Rule } from './rule.ts';

/** How a command takes a secret: `-p value`, `-pvalue`, or `-u user:value`. */
interface CommandOption {
  readonly option: string;
  readonly style: 'separate' | 'attached' | 'login';
}

/** Command lines whose options carry a password or a token without naming it (from each command's manual page). */
const COMMAND_OPTIONS: ReadonlyMap<string, readonly CommandOption[]> = new Map([
  ['mysql ', [{ option: '-p', style: 'attached' }]],
  ['mysqldump ', [{ option: '-p', style: 'attached' }]],
  ['mysqladmin ', [{ option: '-p', style: 'attached' }]],
  ['mysqlimport ', [{ option: '-p', style: 'attached' }]],
  ['mariadb ', [{ option: '-p', style: 'attached' }]],
  ['mariadb-dump ', [{ option: '-p', style: 'attached' }]],
  ['mongo ', [{ option: '-p', style: 'separate' }]],
  ['mongosh ', [{ option: '-p', style: 'separate' }]],
  ['mongodump ', [{ option: '-p', style: 'separate' }]],
  ['redis-cli ', [{ option: '-a', style: 'separate' }]],
  ['sshpass ', [{ option: '-p', style: 'separate' }]],
  ['sqlcmd ', [{ option: '-P', style: 'separate' }]],
  ['bcp ', [{ option: '-P', style: 'separate' }]],
  ['docker login ', [{ option: '-p', style: 'separate' }]],
  ['podman login ', [{ option: '-p', style: 'separate' }]],
  ['az login ', [{ option: '-p', style: 'separate' }]],
  ['oc login ', [{ option: '-p', style: 'separate' }]],
  ['ldapsearch ', [{ option: '-w', style: 'separate' }]],
  ['unzip ', [{ option: '-P', style: 'separate' }]],
  ['zip ', [{ option: '-P', style: 'separate' }]],
  ['7z ', [{ option: '-p', style: 'attached' }]],
  [
    'keytool ',
    [
      { option: '-storepass', style: 'separate' },
      { option: '-keypass', style: 'separate' },
      { option: '-srcstorepass', style: 'separate' },
      { option: '-deststorepass', style: 'separate' },
    ],
  ],
  ['smbclient ', [{ option: '-U', style: 'separate' }]],
  [
    'curl ',
    [
      { option: '-u', style: 'login' },
      { option: '--user', style: 'login' },
      { option: '--proxy-user', style: 'login' },
      { option: '-U', style: 'login' },
    ],
  ],
  ['http ', [{ option: '-a', style: 'login' }]],
  ['https ', [{ option: '-a', style: 'login' }]],
]);

const LONGEST_COMMAND = 400;
const LONGEST_ARGUMENT = 256;

/** How far each command's line was read for options that carry a secret, without finding one before `until`. */
const LINES_READ: Memory<{ lines: { readonly command: string; from: number; until: number }[] }> = {
  begin: () => ({ lines: [] }),
  forget: ({ lines }, count) => {
    for (const line of lines) {
      line.from -= count;
      line.until -= count;
    }
  },
};

/** Verifies at a command's name: looks along the command line for the options that carry a secret. */
function verifyCommand(
  window: TextWindow,
  start: number,
  end: number,
  command: string,
  options: readonly CommandOption[],
): Finding | undefined {
  if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
  // Where another such command has read in vain, this one would too.
  const read = window.remembered(LINES_READ);
  const known = read.lines.find((line) => line.command === command);
  const from = end - 1;
  const stop = end + LONGEST_COMMAND;
  const isKnown = known !== undefined && known.from <= from && from <= known.until;
  let index = isKnown ? Math.min(known.until, stop) : from;
  let found: Finding | undefined;
  for (; index < stop; index++) {
    const code = window.at(index);
    if (endsCommand(window, index, code)) break;
    if (code !== CODE.space && !isIn(code, QUOTE)) continue;
    const next = window.at(index + 1);
    if (next === command.charCodeAt(0) && window.matches(index + 1, command)) break;
    found = next === CODE.hyphen && code === CODE.space ? readOption(window, index + 1, options) : undefined;
    if (found !== undefined) break;
  }
  if (window.starved) return undefined;
  if (isKnown) known.until = Math.max(known.until, index);
  else read.lines = [...read.lines.filter((line) => line !== known), { command, from, until: index }];
  return found;
}

function endsCommand(window: TextWindow, index: number, code: number): boolean {
  return (
    code < 0 ||
    code === CODE.backtick ||
    code === CODE.pipe ||
    code === CODE.semicolon ||
    (code === CODE.newline && window.before(index - 1) !== CODE.backslash)
  );
}

const TAKES_SECRETS = /^["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?(?:chpasswd|[^|\n]{0,120}--password-stdin)/;

/** Verifies at `echo `: what is piped into a command that reads a password. */
const verifyPiped: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
  const found = readArgument(window, end, 'separate');
  if (found === undefined || window.at(found.start) === CODE.hyphen) return undefined;
  const after = window.peek(found.end, 160);
  if (!TAKES_SECRETS.test(after)) return undefined;
  const login = after.includes('chpasswd') ? window.slice(found.start, found.end).indexOf(':') + 1 : 0;
  return { start: found.start + login, end: found.end };
};

/** Verifies at SQL's `IDENTIFIED BY '…'`: quoted, or bare in a statement about an account. In backticks it is prose. */
const verifyIdentifiedBy: Verify = (window, start, end) => {
  const code = window.at(end);
  if (
    code === CODE.backtick ||
    (code !== CODE.singleQuote &&
      code !== CODE.doubleQuote &&
      !standsBefore(window.left(start, 160), SQL_ACCOUNT_WORDS, ';', 120))
  )
    return undefined;
  return readDirective(window, start, end);
};

/** Verifies at a directive that a password follows: `requirepass …`. */
function readDirective(window: TextWindow, start: number, end: number): Finding | undefined {
  if (isIn(window.before(start - 1), WORD)) return undefined;
  const found = readArgument(window, end, 'separate');
  return found === undefined || window.slice(found.start, found.end).includes('***') ? undefined : found;
}

function readOption(window: TextWindow, at: number, options: readonly CommandOption[]): Finding | undefined {
  for (const { option, style } of options) {
    if (window.peek(at, option.length) !== option) continue;
    const valueStart = startOfValue(window, at + option.length, style);
    const found = valueStart < 0 ? undefined : readArgument(window, valueStart, style);
    if (found !== undefined) return found;
  }
  return undefined;
}

function startOfValue(window: TextWindow, at: number, style: CommandOption['style']): number {
  const code = window.at(at);
  if (style === 'attached') return code > CODE.space && code !== CODE.hyphen ? at : -1;
  if (code !== CODE.space && code !== CODE.equals) return -1;
  return at + 1;
}

function readArgument(
  window: TextWindow,
  from: number,
  style: CommandOption['style'],
): { start: number; end: number; open?: number } | undefined {
  const quote = isIn(window.at(from), QUOTE) ? window.at(from) : -1;
  let start = quote < 0 ? from : from + 1;
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
  if (style === 'login') {
    const colon = window.slice(start, end).indexOf(':');
    if (colon < 0) return undefined;
    start += colon + 1;
  }
  const value = window.slice(start, end);
  const plain = /^[a-z]+$/i.test(value) && value.length < 6;
  if (
    value.length < 3 ||
    plain ||
    isPlaceholder(value) ||
    DEFAULT_WORDS.has(value.toLowerCase()) ||
    /^[/~.]/.test(value)
  )
    return undefined;
  if (style === 'attached' && !/[0-9!@#$%^&*]/.test(value) && value.length < 6) return undefined;
  return end < from + LONGEST_ARGUMENT ? { start, end } : { start, end, open: BARE_VALUE };
}

/** What wakes the rule beside the commands of COMMAND_OPTIONS. */
const OTHERS: ReadonlyMap<string, Verify> = new Map([
  ['requirepass ', readDirective],
  ['masterauth ', readDirective],
  ['identified by ', verifyIdentifiedBy],
  ['echo ', verifyPiped],
  ['printf ', verifyPiped],
]);

const verifyCommandLine: Verify = (window, start, end, anchor) => {
  const options = COMMAND_OPTIONS.get(anchor);
  return options === undefined
    ? OTHERS.get(anchor)?.(window, start, end, anchor)
    : verifyCommand(window, start, end, anchor, options);
};

/** Secrets on command lines, in directives and in statements, which no name announces. */
export const COMMAND_RULES: readonly Rule[] = [
  {
    name: 'command-secret',
    type: 'key',
    anchors: [...COMMAND_OPTIONS.keys(), ...OTHERS.keys()],
    verify: verifyCommandLine,
    source: 'https://dev.mysql.com/doc/refman/8.4/en/connecting.html',
    masks: [`mysql -u root -p${chosen} shop`, `curl -u budi:${chosen} x`],
    keeps: ['mysql -u root -p shop', 'redis-cli -a $PASS ping'],
  },
];
