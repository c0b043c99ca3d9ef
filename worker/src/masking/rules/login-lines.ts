import { CODE, DASH, WORD } from '../characters.ts';
import { secretOf } from '../command-argument.ts';
import { readServerName } from '../database-host.ts';
import type { Finding, Verify } from '../finding.ts';
import type { TextWindow } from '../text-window.ts';
import { DATABASE_HOST } from './database-hosts.ts';
import { chosen, type Rule } from './rule.ts';

/** How much of a line is read, before what wakes the rule and behind it. */
const LONGEST_LINE = 128;

/** Verifies at the port of a line of PostgreSQL's password file: `host:5432:database:user:password`. */
const verifyPasswordFile: Verify = (window, start, end) => {
  const line = lineBefore(window, start);
  if (!/^[\w.*-]{1,64}$/.test(line)) return undefined;
  const fields = /^[\w*$-]{1,40}:[\w.@*-]{1,40}:(?=[^\s:])/.exec(window.peek(end, LONGEST_LINE));
  if (fields === null) return undefined;
  const secret = toLineEnd(window, end + fields[0].length);
  if (secret === undefined) return undefined;
  const host = line === '*' ? undefined : readServerName(window, start - line.length);
  return host?.end === start ? { ...host, rule: DATABASE_HOST, also: [{ ...secret, rule: LOGIN_LINE }] } : secret;
};

/** Verifies at the server of a line of PPP's secrets: `"budi" * "…" *`. */
const verifyLinkSecret: Verify = (window, start, end, anchor) => {
  const line = lineBefore(window, start);
  if (!(anchor === LINK ? /^"[\w.@\\-]{1,48}$/ : /^"?[\w.@\\-]{1,48}"?[ \t]{1,16}$/).test(line)) return undefined;
  const given = /^([^"\n]{3,64})"(?:[ \t]{1,8}[*\d]|[ \t]{0,8}\n)/.exec(window.peek(end, LONGEST_LINE))?.[1];
  return given === undefined ? undefined : secretOf(window, end, end + given.length, 'separate', true);
};

/** Verifies at the element of OpenVPN's that holds a user and, a line below, the password. */
const verifyElement: Verify = (window, start, end) => {
  if (window.before(start - 1) !== CODE.less) return undefined;
  const user = /^[^\s<>]{1,64}\r?\n(?=[^\s<>])/.exec(window.peek(end, LONGEST_LINE));
  return user === null ? undefined : toLineEnd(window, end + user[0].length);
};

/** Verifies behind SMTP's question for a password, which is in base64 as its answer is (RFC 4954, 4). */
const verifyLineBelow: Verify = (window, start, end) =>
  /^334 $/.test(lineBefore(window, start)) ? toLineEnd(window, end) : undefined;

/** Verifies at the user of a rule of Redis: `user budi on >…`. */
const verifyRule: Verify = (window, start, end) => {
  if (!/^(?:ACL SET)?$/i.test(lineBefore(window, start))) return undefined;
  const name = window.run(end, WORD | DASH, LONGEST_USER);
  if (
    name === end ||
    !(window.matches(name, ' on ') || window.matches(name, ' off ') || window.matches(name, ' reset'))
  )
    return undefined;
  const flags = /^(?: (?:on|off|reset\w{0,8}|allkeys|allchannels|[~&+@][\w:*@-]{1,24})){1,6} >(?=\S)/.exec(
    window.peek(name, LONGEST_LINE),
  );
  return flags === null ? undefined : toLineEnd(window, name + flags[0].length, true);
};

const LONGEST_USER = 32;
const LINK = '" * "';

/** The raw line: what is masked in it is as good as any host. */
function lineBefore(window: TextWindow, start: number): string {
  const left = window.text.slice(Math.max(0, start - LONGEST_LINE), start);
  return left.slice(left.lastIndexOf('\n') + 1);
}

function toLineEnd(window: TextWindow, from: number, goesOn = false): Finding | undefined {
  let end = from;
  while (end < from + LONGEST_LINE && window.at(end) > CODE.space) end++;
  return window.at(end) > CODE.space || (!goesOn && window.at(end) === CODE.space)
    ? undefined
    : secretOf(window, from, end, 'separate', false);
}

/** Verifies at the beginning of what a code for a wireless network holds: `WIFI:S:…;T:WPA;P:…;;`. */
const verifyWireless: Verify = (window, _start, end) => {
  const fields = /^(?:[STHRE]:[^;\n]{0,40};){0,4}P:(?=[^;\n]{4,64};)/.exec(window.peek(end, LONGEST_LINE));
  if (fields === null) return undefined;
  const from = end + fields[0].length;
  const password = window.peek(from, LONGEST_LINE).split(';', 1)[0] ?? '';
  return secretOf(window, from, from + password.length, 'separate', true);
};

/** Verifies at the port of a mail server in a line of Postfix's map of passwords: `[smtp.toko]:587 budi@toko:…`. */
const verifyMailLogin: Verify = (window, start, end) => {
  if (!/^\[?[\w.-]{1,64}\]?$/.test(lineBefore(window, start))) return undefined;
  const user = /^[\w.+-]{1,48}(?:@[\w.-]{1,48})?:(?=[^\s:])/.exec(window.peek(end, LONGEST_LINE));
  return user === null ? undefined : toLineEnd(window, end + user[0].length);
};

const VERIFIERS: ReadonlyMap<string, Verify> = new Map([
  ...[':5432:', ':5433:', ':6432:', ':*:'].map((port): [string, Verify] => [port, verifyPasswordFile]),
  ...[LINK, '*  "'].map((mark): [string, Verify] => [mark, verifyLinkSecret]),
  ['ugfzc3dvcmq6\n', verifyLineBelow],
  ['user ', verifyRule],
  ['wifi:', verifyWireless],
  ...[':587 ', ':465 ', ':25 '].map((port): [string, Verify] => [port, verifyMailLogin]),
  ['auth-user-pass>\n', verifyElement],
]);

/** Logins that are lines of a file, in an order that the file's manual gives. */
const LOGIN_LINE: Rule = {
  name: 'login-line',
  type: 'key',
  anchors: [...VERIFIERS.keys()],
  verify: (window, start, end, anchor) => VERIFIERS.get(anchor)?.(window, start, end, anchor),
  source: 'https://www.postgresql.org/docs/current/libpq-pgpass.html',
  masks: [
    `db:5432:shop:budi:${chosen}`,
    `*:*:*:budi:${chosen}`,
    `WIFI:S:Sawah;T:WPA;P:${chosen};;`,
    `[mail.toko]:587 budi@toko:${chosen}`,
    `"budi" * "${chosen}" *`,
    `<auth-user-pass>\nbudi\n${chosen}\n</auth-user-pass>`,
  ],
  keeps: ['WIFI:S:Sawah;T:nopass;;', '[mail.toko]:587 is the relay', 'host:5432:db:user:password', '"a" * "b2c3"'],
};

export const LOGIN_LINE_RULES: readonly Rule[] = [LOGIN_LINE];
