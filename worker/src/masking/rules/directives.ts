import { CODE, DIGIT, isIn, LINE_END, QUOTE, UPPER, WORD } from '../characters.ts';
import { readArgument, secretOf } from '../command-argument.ts';
import type { Finding, Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { DIRECTIVES, type Directive, GIVEN_TYPE } from '../lexicon/directives.ts';
import { NAMES_STANDARD } from '../lexicon/values.ts';
import { isAppPassword, isMadeUp } from '../made-up.ts';
import { isUncommonWords, mayBeWords } from '../plain-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, verdict } from '../verdicts.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How much of a line before a directive is read, and of what stands between it and its secret. */
const LONGEST_BEFORE = 96;
const LONGEST_BETWEEN = 64;

/** Verifies at a directive: its line says that it is one, and no word of a sentence. */
const verifyDirective: Verify = (window, start, end, anchor) => {
  if (window.before(start - 2) === CODE.pipe) return undefined;
  const isGlued = isIn(window.before(start - 1), WORD);
  const directives = DIRECTIVES.get(anchor.slice(0, -1)) ?? [];
  if (isGlued && !directives.some(({ glued }) => glued === true)) return undefined;
  const before = lineBefore(window, start);
  if (before === undefined) return undefined;
  for (const directive of directives) {
    if (isGlued && directive.glued !== true) continue;
    if (!directive.before.test(before) || (directive.capitals === true && !isIn(window.code(start + 1), UPPER)))
      continue;
    const first = readSecret(window, end, directive, directive.between);
    if (first === undefined) continue;
    const next = directive.beforeNext && readSecret(window, first.end, directive, directive.beforeNext);
    return next === undefined ? first : { ...first, also: [next] };
  }
  return undefined;
};

/** The text of the line before `start`, what is masked in it too; undefined where the line is longer than is read. */
function lineBefore(window: TextWindow, start: number): string | undefined {
  const left = window.slice(Math.max(0, start - LONGEST_BEFORE), start);
  const newline = left.lastIndexOf('\n');
  return newline < 0 && left.length === LONGEST_BEFORE ? undefined : left.slice(newline + 1);
}

function readSecret(
  window: TextWindow,
  from: number,
  { quoted = false, login = false, alone = false, made = false }: Directive,
  between: RegExp | undefined,
): Finding | undefined {
  let index = from;
  // Read first, so that a stream does not wait for more of a sentence.
  if (between === GIVEN_TYPE && !isIn(window.at(from), DIGIT)) return undefined;
  if (between !== undefined) {
    between.lastIndex = 0;
    const joint = between.exec(window.peek(from, LONGEST_BETWEEN));
    if (joint === null) return undefined;
    index += joint[0].length;
  }
  if (quoted && !isIn(window.at(index), QUOTE)) return undefined;
  const found = readArgument(window, index, login ? ':' : 'separate');
  if (found === undefined) return undefined;
  const value = window.slice(found.start, found.end);
  if (made && !isMade(window, value)) return undefined;
  if (alone && !(endsLine(window, found.end) && isMade(window, value))) return undefined;
  // A hash, a scheme or an option is none; a sentence goes on in letters.
  return NAMES_STANDARD.test(value) || /^(?:\{[A-Z\d]{2,9}\}|\$\w{1,8}\$|--|\*{3})/.test(value) ? undefined : found;
}

function endsLine(window: TextWindow, at: number): boolean {
  const code = window.at(at);
  return code < 0 || isIn(code, LINE_END);
}

function isMade(window: TextWindow, value: string): boolean {
  const made = (word: string) => isMadeUp(word) || isAppPassword(word);
  if (isDrawnIn(window, value) || isThoughtUpIn(window, value) || verdict(window, 'made', value, made)) return true;
  return verdict(window, 'uncommon words', value, isUncommonWords);
}

const DIRECTIVE: Rule = {
  name: 'directive-secret',
  type: 'key',
  anchors: [...DIRECTIVES.keys()].map((word) => `${word} `),
  verify: verifyDirective,
  source:
    'https://www.cisco.com/c/en/us/support/docs/security-vpn/remote-authentication-dial-user-service-radius/107614-64.html',
  masks: [
    `enable secret ${chosen}`,
    `username budi privilege 15 password 0 ${chosen}`,
    `snmp-server community ${chosen} RO`,
    `crypto isakmp key ${chosen} address x`,
    `set ike policy p1 pre-shared-key ascii-text "${chosen}"`,
    `bindpw ${chosen}`,
    `user budi\npassword ${chosen}\n`,
    `127.0.0.1:6379> AUTH default ${chosen}`,
    `USER budi\nPASS ${chosen}`,
    `a1 LOGIN budi ${chosen}`,
    `consul kv put toko/db_password ${chosen}`,
    `Set-Mailbox budi -Password ${chosen}`,
  ],
  keeps: [
    'enable secret 5 $1$mERr$hx5rVt7rPNoS4wqbXKX7m0',
    'the community support2 team',
    'AUTH CRAM-MD5',
    'AUTH LOGIN',
    'rootpw {SSHA}x1y2z3x1y2z3',
    'set password policy2 on',
    'password required\n',
    'the key string1 and the md5 hash2',
  ],
};

/** How far before what is sent the prompt stands that it answers. */
const LONGEST_EXCHANGE = 120;
const PROMPTED = /(?:ass(?:word|phrase|code)|\bpin|sandi|secret|token)[:?]?[ *$]{0,3}$/i;

/** A prompt in quotes, with no more than the rest of its line and the beginning of the next one behind it. */
function followsPrompt(left: string): boolean {
  const quote = Math.max(left.lastIndexOf('"'), left.lastIndexOf("'"));
  const [rest = '', next = '', ...more] = left.slice(quote + 1).split('\n');
  const isNear = rest.length <= LONGEST_REST && next.length <= LONGEST_NEXT_LINE && more.length === 0;
  return quote >= 0 && isNear && PROMPTED.test(left.slice(0, quote));
}

const LONGEST_REST = 16;
const LONGEST_NEXT_LINE = 48;

/** Verifies at what a script sends to a program that asked for a password: `expect "assword:"`, `send "…\r"`. */
const verifySent: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD) || !followsPrompt(window.left(start, LONGEST_EXCHANGE))) return undefined;
  const quote = window.code(end - 1);
  let stop = end;
  while (stop < end + LONGEST_EXCHANGE) {
    const code = window.at(stop);
    if (code < CODE.space || code === quote || code === CODE.backslash) break;
    stop++;
  }
  if (window.at(stop) !== quote && window.at(stop) !== CODE.backslash) return undefined;
  const value = window.slice(end, stop);
  const isSent = /^(?=\S*\d)(?=\S*[A-Za-z])\S+$/.test(value) || verdict(window, 'may be words', value, mayBeWords);
  return isSent ? secretOf(window, end, stop, 'separate', true) : undefined;
};

const SENT: Rule = {
  name: 'sent-secret',
  type: 'key',
  anchors: ['send "', 'send -- "', 'sendline("', "sendline('", 'send("', "send('"],
  verify: verifySent,
  source: 'https://www.tcl-lang.org/man/expect5.31/expect.1.html',
  masks: [`expect "assword:"\nsend "${chosen}\\r"`, `child.expect('password:')\nchild.sendline('${drawn}')`],
  keeps: ['expect "assword:"\nsend "$pw\\r"', 'res.send("error404found")', 'token: res.send("yes")'],
};

/** Words of configurations and protocols behind which a secret stands. */
export const DIRECTIVE_RULES: readonly Rule[] = [DIRECTIVE, SENT];
