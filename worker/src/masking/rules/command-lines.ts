import { ALNUM, BLANK, CODE, DASH, DIGIT, DOT, isIn, LETTER, QUOTE, WORD } from '../characters.ts';
import { isGivenByPlace, LONGEST_ARGUMENT, readArgument } from '../command-argument.ts';
import { endsCommand, LINE, LONGEST_COMMAND } from '../command-line.ts';
import { readServerName } from '../database-host.ts';
import type { Finding, Verify } from '../finding.ts';
import { COMMANDS, type Command, type CommandOption, type OptionStyle } from '../lexicon/command-options.ts';
import { SQL_ACCOUNT_STATEMENT } from '../lexicon/sentences.ts';
import type { Memory } from '../memory.ts';
import type { TextWindow } from '../text-window.ts';
import { DATABASE_HOST } from './database-hosts.ts';
import { chosen, type Rule } from './rule.ts';

/** How far before `IDENTIFIED BY` its statement may begin. */
const REACH_OF_STATEMENT = 160;
/** On one command line. */
const MOST_SECRETS = 4;

/** How far each command's line was read for options that carry a secret, without finding one before `until`. */
const LINES_READ: Memory<Map<string, { from: number; until: number }>> = {
  begin: () => new Map(),
  forget: (lines, count) => {
    for (const line of lines.values()) {
      line.from -= count;
      line.until -= count;
    }
  },
};

/** Verifies at a command's name: looks along the command line for what carries a secret. */
function verifyCommand(
  window: TextWindow,
  start: number,
  end: number,
  name: string,
  command: Command,
): Finding | undefined {
  if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
  const [first, ...also]: Finding[] = [
    ...findOptions(window, end, name, command.options),
    ...findArguments(window, end, name, command),
  ];
  if (first === undefined || window.starved) return undefined;
  return { ...first, also };
}

/** The secrets that options carry. A line that another such command has read in vain is not read again. */
function findOptions(window: TextWindow, end: number, name: string, options: readonly CommandOption[]): Finding[] {
  if (options.length === 0) return [];
  const line = window.remembered(LINE);
  const read = window.remembered(LINES_READ);
  const known = read.get(name);
  const from = end - 1;
  const stop = end + LONGEST_COMMAND;
  const isKnown = known !== undefined && known.from <= from && from <= known.until;
  const found: Finding[] = [];
  const taken = new Set<string>();
  let until = stop;
  let index = line.optionFrom(window, isKnown ? Math.min(known.until, stop) : from, stop);
  while (index < stop && found.length < MOST_SECRETS) {
    // `sshpass -p … ssh -p 2222`: the second is another command's.
    const known = options.find(({ option: text }) => window.peek(index + 1, text.length) === text);
    if (known?.style === 'separate' && taken.has(known.option)) {
      // But it is read again for the same command further on.
      until = Math.min(until, index);
      break;
    }
    if (known !== undefined) taken.add(known.option);
    const option = known === undefined ? undefined : readOption(window, index + 1, options);
    let next = index + 1;
    if (option !== undefined) {
      until = Math.min(until, index);
      if (beginsAnew(window, from, index, name)) break;
      found.push(option);
      // A mark inside the quotes of a value does not end the command.
      next = option.end;
    }
    index = line.optionFrom(window, next, stop);
  }
  if (window.starved) return [];
  until = Math.min(until, line.end);
  if (isKnown) known.until = Math.max(known.until, until);
  else read.set(name, { from, until });
  return found;
}

/** Whether the same command stands between `from` and `to`: what follows it is its own. */
function beginsAnew(window: TextWindow, from: number, to: number, name: string): boolean {
  for (let index = from; index < to; index++) {
    const code = window.at(index);
    if ((code === CODE.space || isIn(code, QUOTE)) && window.matches(index + 1, name)) return true;
  }
  return false;
}

/** The arguments of their places that are secrets: those that were drawn, or no word. */
function findArguments(window: TextWindow, end: number, name: string, { places = [] }: Command): Finding[] {
  const found: Finding[] = [];
  const last = places.at(-1)?.place ?? 0;
  let index = end;
  // The word behind an option may be what the option takes.
  let ofOption = false;
  const stop = end + LONGEST_COMMAND;
  for (let place = 1; place <= last && index < stop; ) {
    index = window.run(index, BLANK, 8);
    const first = window.at(index);
    if (endsCommand(window, index, first) || first === CODE.newline) return found;
    const isOption = first === CODE.hyphen || isWindowsOption(window, index, first);
    const asked = isOption ? undefined : places.find((one) => one.place === place);
    const secret = asked && readArgument(window, index, asked.style);
    if (secret !== undefined && isGivenByPlace(window, secret, ofOption)) found.push({ rule: COMMAND, ...secret });
    if (!isOption) place++;
    const word = index;
    while (index < word + LONGEST_ARGUMENT && window.at(index) > CODE.space) index++;
    if (place > last) return found;
    // The same command begins anew, glued to what stands before it.
    if (window.matches(index - name.indexOf(' '), name)) return [];
    ofOption = first === CODE.hyphen && !window.holds(word, index, '=') && !isOneDigit(window, word, index);
    if (index === word || index === word + LONGEST_ARGUMENT) return found;
  }
  return found;
}

/** `-6`: an option that takes nothing. */
function isOneDigit(window: TextWindow, start: number, end: number): boolean {
  return end === start + 2 && isIn(window.at(start + 1), DIGIT);
}

/** `/user:kantor\\budi`: an option as Windows writes it, with what it takes. */
function isWindowsOption(window: TextWindow, at: number, first: number): boolean {
  return first === CODE.slash && window.at(window.run(at + 1, LETTER, 12)) === CODE.colon;
}

/** Verifies at SQL's `IDENTIFIED BY '…'`: quoted, or bare in a statement about an account. In backticks it is prose. */
const verifyIdentifiedBy: Verify = (window, start, end) => {
  const code = window.at(end);
  if (
    code === CODE.backtick ||
    ((code !== CODE.singleQuote || window.code(start) !== CODE.I) &&
      !isAccountStatement(window.left(start, REACH_OF_STATEMENT)))
  )
    return undefined;
  return readDirective(window, start, end);
};

function isAccountStatement(left: string): boolean {
  return SQL_ACCOUNT_STATEMENT.test(left.slice(left.lastIndexOf(';') + 1));
}

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
    const found =
      valueStart < 0
        ? undefined
        : style === 'host'
          ? readHost(window, valueStart)
          : readArgument(window, valueStart, style);
    if (found !== undefined) return { rule: COMMAND, ...found };
  }
  return undefined;
}

function readHost(window: TextWindow, from: number): Finding | undefined {
  const found = readServerName(window, isIn(window.at(from), QUOTE) ? from + 1 : from);
  return found === undefined ? undefined : { ...found, rule: DATABASE_HOST };
}

function startOfValue(window: TextWindow, at: number, style: OptionStyle): number {
  const code = window.at(at);
  if (style === 'attached') return code > CODE.space && code !== CODE.hyphen ? at : -1;
  if (code !== CODE.space && code !== CODE.equals) return style !== 'separate' && isIn(code, ALNUM) ? at : -1;
  return at + 1;
}

/** Verifies at a key of OpenWrt's settings: `uci set wireless.default_radio0.key='…'`. */
function readWirelessKey(window: TextWindow, start: number, end: number): Finding | undefined {
  return /\bwireless\.[\w@[\]-]{1,32}$/.test(window.left(start, LONGEST_SECTION))
    ? readArgument(window, end, 'separate')
    : undefined;
}

const LONGEST_SECTION = 48;

/** How MySQL and ClickHouse check a password that is given as it is. */
const AUTHENTICATIONS = [
  'mysql_native_password',
  'caching_sha2_password',
  'sha256_password',
  'plaintext_password',
  'double_sha1_password',
];

/** What wakes the rule beside the programs of COMMANDS. */
const OTHERS: ReadonlyMap<string, Verify> = new Map([
  ['requirepass ', readDirective],
  ['masterauth ', readDirective],
  ['identified by ', verifyIdentifiedBy],
  ...AUTHENTICATIONS.map((kind): [string, Verify] => [`identified with ${kind} by `, verifyIdentifiedBy]),
  ['-passin pass:', readDirective],
  ['-passout pass:', readDirective],
  ['-pass pass:', readDirective],
  ['-ks-pass pass:', readDirective],
  ['-key-pass pass:', readDirective],
  ['keymaterial=', readDirective],
  ['.key=', readWirelessKey],
  ['--type securestring --value ', readDirective],
]);

const verifyCommandLine: Verify = (window, start, end, anchor) => {
  const command = COMMANDS.get(anchor);
  return command === undefined
    ? OTHERS.get(anchor)?.(window, start, end, anchor)
    : verifyCommand(window, start, end, anchor, command);
};

/** Secrets on command lines, in directives and in statements, which no name announces. */
const COMMAND: Rule = {
  name: 'command-secret',
  type: 'key',
  anchors: [...COMMANDS.keys(), ...OTHERS.keys()],
  verify: verifyCommandLine,
  source: 'https://dev.mysql.com/doc/refman/8.4/en/connecting.html',
  masks: [
    `mysql -u root -p${chosen} shop`,
    `curl -u budi:${chosen} x`,
    `snmpget -v3 -A ${chosen} -X ${chosen}2 host`,
    `rabbitmqctl add_user budi ${chosen}`,
    `smbclient //nas/arsip -U budi%${chosen}`,
  ],
  keeps: [
    'mysql -u root -p shop',
    'redis-cli -a $PASS ping',
    'rabbitmqctl add_user budi "$PASS2"',
    'the vault login command of 2024',
    'cargo login --registry main',
  ],
};

export const COMMAND_RULES: readonly Rule[] = [COMMAND];
