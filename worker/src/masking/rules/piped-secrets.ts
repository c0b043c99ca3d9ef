import { BLANK, CODE, DASH, DOT, isIn, LETTER, WORD } from '../characters.ts';
import { readArgument } from '../command-argument.ts';
import type { Finding, Verify } from '../finding.ts';
import type { TextWindow } from '../text-window.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How much behind what is printed, and before it, is read. */
const LONGEST_PIPE = 160;
const LONGEST_BEFORE = 88;

/** What is piped goes into a command that reads a secret; in brackets it is printed twice, as programs ask for it. */
const PIPE = /^["']?(?:\s{0,2};\s{0,2}(?:echo|printf) [^|;\n]{1,72})?\)?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?/;
const TAKES_SECRETS =
  /^(?:-S|(?:[\w.-]{0,24}\/){0,5}(?:chpasswd|passwd|smbpasswd|vncpasswd|saslpasswd2|kinit|cryptsetup|openssl passwd|mkpasswd|openconnect|keepassxc-cli|elasticsearch-keystore add|opensearch-keystore add|logstash-keystore add|pass insert|wrangler secret put|npx wrangler secret put|gh secret set|vercel env add|gpg-preset-passphrase|ansible-vault)(?:\s|$))|--?(?:password-stdin|stdin|with-token|passphrase-fd|pass-stdin|stdinpass|passwd-on-stdin|passin stdin|password-file[= ](?:-|\/dev\/stdin)|key-file[= ]-)(?:\s|=|$)/;
const KEEPS_SECRETS = /^(?:(?:docker|podman) secret create|gcloud secrets) /;
const TAKES_STREAM = / (?:--data-file=)?-(?:\s|$)/;

function takesSecrets(after: string): boolean {
  const pipe = PIPE.exec(after);
  if (pipe === null) return false;
  const command = after.slice(pipe[0].length).split(/[|\n]/, 1)[0] ?? '';
  return TAKES_SECRETS.test(command) || (KEEPS_SECRETS.test(command) && TAKES_STREAM.test(command));
}

/** `--password-file=<(echo …)`: printed where an option reads a file that holds a secret. */
const READ_AS_FILE = /(?:pass(?:word|wd|phrase)?|secret|token|key)(?:-?file)?[= ]<\($/i;
/** `echo -e "user\nsecret"`: the second line. */
const LINE_BEFORE = /^[\w.@-]{1,48}\\n(?=.)/;
const LONGEST_OPTION = 40;

/** `printf '%s\\n' "…"` */
const FORMAT = /^["']?%s(?:\\n)?["']? (?=\S)/;
const LONGEST_FORMAT = 10;

/** Verifies at `echo `: what is piped into a command that reads a password. */
const verifyPiped: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
  // `echo -n`
  const option = window.at(end) === CODE.hyphen ? window.run(window.run(end + 1, LETTER, 3), BLANK, 2) : end;
  const from = option + (FORMAT.exec(window.peek(option, LONGEST_FORMAT))?.[0].length ?? 0);
  const found = readArgument(window, from, 'separate');
  if (found === undefined || window.at(found.start) === CODE.hyphen) return undefined;
  if (READ_AS_FILE.test(window.left(start, LONGEST_OPTION))) return behind(window, found, LINE_BEFORE);
  const after = window.peek(found.end, LONGEST_PIPE);
  if (!takesSecrets(after)) return undefined;
  return after.includes('chpasswd') ? behind(window, found, USER_BEFORE) : found;
};

const USER_BEFORE = /^[^:]{1,64}:/;

function behind(window: TextWindow, found: Finding, before: RegExp): Finding {
  const lead = before.exec(window.slice(found.start, found.end))?.[0].length ?? 0;
  return { ...found, start: found.start + lead };
}

/** The rest of a command up to the here-string that it reads. */
const HERE_STRING = /^[^\n|;<]{0,80}<<< ?(?=[^\s<])/;

/** Verifies at a program that reads a password from its input: `cryptsetup open /dev/sdb1 data <<< "…"`. */
const verifyHereString: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), WORD | DOT)) return undefined;
  const lead = HERE_STRING.exec(window.peek(end, LONGEST_BEFORE));
  if (lead === null) return undefined;
  const found = readArgument(window, end + lead[0].length, 'separate');
  return found !== undefined && anchor.startsWith('chpasswd') ? behind(window, found, USER_BEFORE) : found;
};

/** Programs and options that read a secret from the input. */
const READERS = [
  'cryptsetup ',
  'kinit ',
  'vncpasswd ',
  'chpasswd ',
  'smbpasswd ',
  'saslpasswd2 ',
  'openssl passwd ',
  'sudo -s ',
  'passwd ',
  'pass insert ',
  'secret put ',
  'secret set ',
  'secret-tool store ',
  'keystore add ',
  'keepassxc-cli open ',
  '-stdinpass ',
  '-password-stdin ',
  '--passphrase-fd 0 ',
  '--passwd-on-stdin ',
];

/** Lines `user:password` that a program reads: cloud-init's list, a here-document. */
const LOGINS_BELOW =
  /^(?:[ \t]{0,12}\w{1,12}: ?[^\n]{0,24}\n){0,2}(?:[ \t]{0,12}(?:- )?["']?[\w.-]{1,32}:[^\s"']{3,64}["']?\n?){1,6}/;
const LOGIN = /^[ \t]{0,12}(?:- )?["']?[\w.-]{1,32}:(?=[^\s"'])/;
const LONGEST_LIST = 320;

/** Verifies at `chpasswd` with the logins on the lines below it. */
const verifyLogins: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD)) return undefined;
  const list = LOGINS_BELOW.exec(window.peek(end, LONGEST_LIST))?.[0];
  if (list === undefined) return undefined;
  const found: Finding[] = [];
  let at = end;
  for (const line of list.split('\n')) {
    const user = LOGIN.exec(line);
    const secret = user === null ? undefined : readArgument(window, at + user[0].length, 'separate');
    if (secret !== undefined && !/^\$\d|^R$|^RANDOM$/.test(window.slice(secret.start, secret.end))) found.push(secret);
    at += line.length + 1;
  }
  const [first, ...also] = found;
  return first === undefined || window.starved ? undefined : { ...first, also };
};

const VERIFIERS: ReadonlyMap<string, Verify> = new Map([
  ...['echo ', 'printf '].map((word): [string, Verify] => [word, verifyPiped]),
  ...READERS.map((word): [string, Verify] => [word, verifyHereString]),
  ...['chpasswd:\n', 'chpasswd <<eof\n', "chpasswd <<'eof'\n", 'chpasswd << eof\n'].map((word): [string, Verify] => [
    word,
    verifyLogins,
  ]),
]);

const PIPED: Rule = {
  name: 'piped-secret',
  type: 'key',
  anchors: [...VERIFIERS.keys()],
  verify: (window: TextWindow, start, end, anchor) => VERIFIERS.get(anchor)?.(window, start, end, anchor),
  source: 'https://www.gnu.org/software/bash/manual/bash.html#Redirections',
  masks: [
    `printf '${chosen}' | sudo -S reboot`,
    `echo "${chosen}" | openconnect --user=budi --passwd-on-stdin vpn.toko`,
    `echo -e "${chosen}\\n${chosen}" | smbpasswd -a -s budi`,
    `(echo "${chosen}"; echo "${chosen}") | passwd budi`,
    `cryptsetup open /dev/sdb1 data <<< '${chosen}'`,
    `rsync --password-file=<(echo ${drawn}) a::b c`,
    `chpasswd:\n  list: |\n    root:${chosen}\n    budi:${chosen}\n`,
    `chpasswd <<EOF\nroot:${chosen}\nEOF\n`,
  ],
  keeps: [
    'echo step2 | sudo tee /etc/x',
    'echo done2 | cat',
    'chpasswd:\n  expire: false\n  list: |\n    root:RANDOM\n',
    'diff <(echo a1b2) x',
    'pass insert web/x1',
  ],
};

/** Secrets that are printed for a program to read. */
export const PIPED_RULES: readonly Rule[] = [PIPED];
