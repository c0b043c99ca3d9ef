import { CODE, DOT, isIn, LETTER, QUOTE, SPACE, tableOf, WORD } from '../characters.ts';
import { isGivenByPlace, LONGEST_ARGUMENT, secretOf } from '../command-argument.ts';
import { readServerName } from '../database-host.ts';
import type { Finding, Verify } from '../finding.ts';
import { COMMANDS, type Command, type CommandOption } from '../lexicon/command-options.ts';
import { wordList } from '../lexicon/word-set.ts';
import type { TextWindow } from '../text-window.ts';
import { DATABASE_HOST } from './database-hosts.ts';
import { chosen, type Rule } from './rule.ts';

/** Arguments that are read behind a program, and characters between two of them. */
const MOST_ARGUMENTS = 24;
const LONGEST_GAP = 48;
const MOST_SECRETS = 4;
/** How far before a program in a list of YAML its line is looked at. */
const LONGEST_PATH = 64;

interface Argument {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What a program is asked to do, as words behind its name, and what then takes a secret. */
interface Use {
  readonly words: readonly string[];
  readonly command: Command;
}

/** The uses of each program that takes a secret. */
const USES: ReadonlyMap<string, readonly Use[]> = usesByProgram();

function usesByProgram(): Map<string, Use[]> {
  const uses = new Map<string, Use[]>();
  for (const [name, command] of COMMANDS) {
    const [program = '', ...words] = name.trim().split(' ');
    uses.set(program, [...(uses.get(program) ?? []), { words, command }]);
  }
  return uses;
}

/** Programs that others start. All names would have to be looked at wherever a quote or a bracket ends a word. */
const STARTED = wordList(`
  mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mongosh mongo mongodump mongorestore mongoexport psql pg_dump redis-cli redis-server
  valkey-cli sqlcmd cqlsh rabbitmqctl rabbitmqadmin mosquitto_pub mosquitto_sub docker podman skopeo vault curl htpasswd sshpass ldapsearch ldapmodify
  ldappasswd smbclient snmpwalk snmpget ipmitool keytool jarsigner openssl rdesktop xfreerdp plink pscp swaks lftp twine`);

/** Programs that YAML starts in containers, an argument a line. For all of them many ends of lines would have to be looked at. */
const IN_CONTAINERS = wordList(
  'mysql mysqldump mysqladmin mariadb mariadb-dump mariadb-admin redis-cli redis-server valkey-cli mongosh mongodump sshpass',
);

/** Verifies at a program's name as the first of a list of arguments: `["mysqldump", "-p…"]`, or lines of YAML. */
const verifyArguments: Verify = (window, start, end, anchor) => {
  const last = window.code(end - 1);
  const inLines = last === CODE.newline;
  if (inLines ? !ITEM_BEFORE.test(window.left(start, LONGEST_PATH)) : !opensBefore(window, start, last))
    return undefined;
  const given = inLines ? readLines(window, end) : readList(window, end);
  if (window.starved || given.length === 0) return undefined;
  const [first, ...also] = secretsAmong(window, anchor.slice(0, -1), given);
  return first === undefined ? undefined : { ...first, also };
};

/** `- mysqldump`, `- /usr/bin/mysqldump`: the program alone in its line of a list. */
const ITEM_BEFORE = /(?:^|\n)[ \t]{0,32}- (?:[\w./-]{0,40}\/)?$/;

/** The quote that closes the name opens it, or a path before it. */
function opensBefore(window: TextWindow, start: number, quote: number): boolean {
  if (window.before(start - 1) === quote) return true;
  if (window.before(start - 1) !== CODE.slash) return false;
  const path = window.runBefore(start, WORD | DOT, LONGEST_PATH);
  return window.before(path - 1) === CODE.slash || window.before(path - 1) === quote;
}

/** The literals behind the name, up to the end of the list or the next program: that is an anchor of its own. */
function readList(window: TextWindow, from: number): Argument[] {
  const given: Argument[] = [];
  let index = from;
  while (given.length < MOST_ARGUMENTS) {
    index = skipGap(window, index);
    if (index < 0) break;
    const quote = window.at(index);
    if (!isIn(quote, QUOTE)) {
      // A variable takes a place as a literal does.
      const end = window.run(index, WORD | DOT, LONGEST_PATH);
      if (end === index) break;
      given.push({ start: index, end, text: '' });
      index = end;
      continue;
    }
    const end = endOfArgument(window, index + 1, quote);
    if (end < 0) break;
    const text = window.slice(index + 1, end);
    if (USES.has(text)) break;
    given.push(...wordsOf(text, index + 1));
    index = end + 1;
  }
  return given;
}

/** `"-S db1 -U sa -P …"`: several arguments in one literal. */
function wordsOf(text: string, from: number): Argument[] {
  if (!text.startsWith('-') || !text.includes(' ')) return [{ start: from, end: from + text.length, text }];
  const words: Argument[] = [];
  let start = from;
  for (const word of text.split(' ')) {
    words.push({ start, end: start + word.length, text: word });
    start += word.length + 1;
  }
  return words;
}

function endOfArgument(window: TextWindow, from: number, quote: number): number {
  for (let index = from; index < from + LONGEST_ARGUMENT; index++) {
    const code = window.at(index);
    if (code < CODE.space) return -1;
    if (code === quote) return index;
    if (code === CODE.backslash) index++;
  }
  return -1;
}

/** What may stand between two arguments; and what calls for the next: `.arg(`, `.args([`. */
const BETWEEN = tableOf(' \t\r\n,[({');

/** Where the next argument begins behind a comma, a bracket or a call; -1 where the list is over. */
function skipGap(window: TextWindow, from: number): number {
  let index = from;
  if (window.at(index) === CODE.closeParenthesis || window.at(index) === CODE.closeBracket) {
    const dot = window.run(index + 1, SPACE, LONGEST_GAP);
    const name = window.run(dot + 1, LETTER, 12);
    if (window.at(dot) !== CODE.dot || window.at(name) !== CODE.openParenthesis) return -1;
    if (!/^args?$/i.test(window.slice(dot + 1, name))) return -1;
    index = name;
  }
  const stop = index + LONGEST_GAP;
  let joined = false;
  for (; index < stop && BETWEEN[window.at(index)] === 1; index++) if (!isIn(window.at(index), SPACE)) joined = true;
  return joined ? index : -1;
}

/** The items of YAML's list below the program, one a line. */
function readLines(window: TextWindow, from: number): Argument[] {
  const given: Argument[] = [];
  let index = from;
  while (given.length < MOST_ARGUMENTS) {
    const hyphen = window.run(index, SPACE, LONGEST_GAP);
    if (window.at(hyphen) !== CODE.hyphen || window.at(hyphen + 1) !== CODE.space) break;
    const quote = isIn(window.at(hyphen + 2), QUOTE) ? window.at(hyphen + 2) : CODE.newline;
    const start = quote === CODE.newline ? hyphen + 2 : hyphen + 3;
    let end = start;
    while (end < start + LONGEST_ARGUMENT && window.at(end) !== quote && window.at(end) >= CODE.space) end++;
    if (end === start || end === start + LONGEST_ARGUMENT) break;
    const text = window.slice(start, end);
    if (USES.has(text)) break;
    given.push({ start, end, text });
    index = quote === CODE.newline ? end : end + 1;
  }
  return given;
}

function secretsAmong(window: TextWindow, program: string, given: readonly Argument[]): Finding[] {
  const found: Finding[] = [];
  for (const { words, command } of USES.get(program) ?? []) {
    if (!words.every((word, index) => given[index]?.text.toLowerCase() === word)) continue;
    let place = 0;
    for (let index = words.length; index < given.length && found.length < MOST_SECRETS; index++) {
      const argument = given[index];
      if (argument === undefined) break;
      const secret = ofOption(window, argument, given[index + 1], command.options);
      if (secret !== undefined) found.push(secret);
      if (argument.text.startsWith('-')) continue;
      place++;
      const asked = command.places?.find((one) => one.place === place);
      if (asked === undefined) continue;
      const behindOption = given[index - 1]?.text.startsWith('-') === true && index > words.length;
      const byPlace = secretOf(window, argument.start, argument.end, asked.style, true);
      if (byPlace !== undefined && isGivenByPlace(window, byPlace, behindOption))
        found.push({ ...byPlace, rule: ARGUMENT });
    }
    if (found.length > 0) break;
  }
  return found.sort((a, b) => a.start - b.start);
}

/** What an option takes: the rest of its own argument, or the next one. */
function ofOption(
  window: TextWindow,
  argument: Argument,
  next: Argument | undefined,
  options: readonly CommandOption[],
): Finding | undefined {
  const { text, start, end } = argument;
  for (const { option, style } of options) {
    if (!text.startsWith(option)) continue;
    const isWhole = text.length === option.length;
    if (isWhole && style === 'attached') continue;
    if (!isWhole && style === 'separate' && text.charAt(option.length) !== '=') continue;
    const taken = isWhole ? next : { start: start + option.length + (text.charAt(option.length) === '=' ? 1 : 0), end };
    if (taken === undefined || taken.end <= taken.start) continue;
    if (style === 'host') {
      const host = readServerName(window, taken.start);
      if (host?.end === taken.end) return { ...host, rule: DATABASE_HOST };
      continue;
    }
    const secret = secretOf(window, taken.start, taken.end, style, true);
    if (secret !== undefined) return { ...secret, rule: ARGUMENT };
  }
  return undefined;
}

/** Secrets in lists of arguments, as programs, containers and services are started with. */
const ARGUMENT: Rule = {
  name: 'argument-secret',
  type: 'key',
  anchors: [
    ...STARTED.flatMap((program) => [`${program}"`, `${program}'`]),
    ...IN_CONTAINERS.map((program) => `${program}\n`),
  ],
  verify: verifyArguments,
  source: 'https://docs.docker.com/reference/dockerfile/#cmd',
  masks: [
    `CMD ["mysqldump", "-u", "root", "-p${chosen}", "shop"]`,
    `execFileSync("docker", ["login", "-u", "budi", "-p", "${chosen}"])`,
    `Command::new("mongodump").arg("-p").arg("${chosen}")`,
    `command:\n  - redis-cli\n  - -a\n  - ${chosen}`,
    `cmd = ['rabbitmqctl', 'add_user', 'budi', '${chosen}']`,
  ],
  keeps: [
    'CMD ["mysqldump", "-p", "$PASSWORD"]',
    'spawn("docker", ["login", "-p", password])',
    'const tools = ["curl", "mysql", "psql", "redis-cli"];',
    'steps:\n  - curl\n  - -s\n  - https://example.com/a1b2\n',
  ],
};

export const ARGUMENT_LIST_RULES: readonly Rule[] = [ARGUMENT];
