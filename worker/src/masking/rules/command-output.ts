import { CODE, isIn, WORD } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { isMadeUp, isWordGiven } from '../made-up.ts';
import { isPlaceholder } from '../placeholder.ts';
import { mayBeWords } from '../plain-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from '../verdicts.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How much of a line stands before a command at most, and behind it. */
const LONGEST_PROMPT = 72;
const LONGEST_REST = 120;
const LONGEST_OUTPUT = 128;
const SHORTEST_OUTPUT = 6;
/** A prompt of a shell, of PowerShell or of Windows, and what may stand before a command on its line. */
const PROMPT =
  /^[ \t]{0,8}(?:[$#%❯➜] |PS [^>\n]{0,48}> |[A-Z]:\\[^>\n]{0,48}> ?|[\w.-]{1,24}@[\w.-]{1,32}(?:[: ][^$#%\n]{0,32})?[$#%] |\[[^\]\n]{1,48}\][$#%] )(?:sudo )?$/;
/** Names of a file that holds a secret alone. */
const FILE_OF_SECRET =
  /(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|credential|auth[_-]?key|sandi)[\w-]{0,12}(?:\.(?:txt|key|secret|dat|pass|asc|token))?["']?$/i;
const FILE_OF_PASSWORD = /(?:pass|pwd|sandi)/i;
/** An argument of one word, an option before it or not. */
const ARGUMENT = /^(?:-{1,2}\w{1,12} ){0,2}([^\s|;&<>]{1,100})[ \t]{0,4}\r?\n/;
/** What prints the one secret that its arguments name. */
const ANY_ARGUMENTS = /^[^\s|;&<>][^\n|;&<>]{0,110}\r?\n/;
/** What a cluster keeps is encoded. */
const DECODED_ARGUMENTS = /^[^\s|;&<>][^\n|;&<>]{0,90}\| ?base64 (?:-d|--decode|-D)(?:; echo)?\r?\n/;
const DECODED: ReadonlySet<string> = new Set(['kubectl get secret ', 'oc get secret ']);

type Reads = 'file' | 'password' | 'secret';

/** Commands by what they print. */
const READERS: ReadonlyMap<string, Reads> = new Map<string, Reads>([
  ...['cat ', 'type ', 'head ', 'tail ', 'less ', 'more ', 'get-content ', 'gc ', 'bat '].map(
    (command): [string, Reads] => [command, 'file'],
  ),
  ...[
    'pass ',
    'gopass ',
    'bw get password ',
    'op read ',
    'secret-tool lookup ',
    'security find-generic-password ',
    'keepassxc-cli show ',
  ].map((command): [string, Reads] => [command, 'password']),
  ...[
    'vault kv get -field=',
    'vault read -field=',
    'gcloud secrets versions access ',
    'az keyvault secret show ',
    'aws secretsmanager get-secret-value ',
    'aws ssm get-parameter ',
    'openssl rand ',
    'pwgen ',
    'gcloud auth print-access-token ',
    'gh auth token ',
    'kubectl get secret ',
    'oc get secret ',
  ].map((command): [string, Reads] => [command, 'secret']),
]);

/** What a program says that has nothing to print. */
const SAYS = /^(?:error|usage|warning|fatal|password|bash|cat|type|no|not)\b[^\d]*$/i;

/** Verifies at a command that prints a secret: what stands alone on the line below it. */
const verifyOutput: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), WORD) || !mayFollowPrompt(window, start)) return undefined;
  const left = window.left(start, LONGEST_PROMPT);
  if (!PROMPT.test(left.slice(left.lastIndexOf('\n') + 1))) return undefined;
  const reads = READERS.get(anchor) ?? 'file';
  const rest = window.peek(end, LONGEST_REST);
  const pattern = reads === 'file' ? ARGUMENT : DECODED.has(anchor) ? DECODED_ARGUMENTS : ANY_ARGUMENTS;
  const line = pattern.exec(rest);
  if (line === null) return undefined;
  const file = reads === 'file' ? (line[1] ?? '') : '';
  if (reads === 'file' && !FILE_OF_SECRET.test(file)) return undefined;
  if (reads === 'password' && anchor.endsWith('pass ') && STORES.test(line[0])) return undefined;
  const from = end + line[0].length;
  let stop = from;
  while (stop < from + LONGEST_OUTPUT && window.at(stop) >= CODE.space) stop++;
  if (stop - from < SHORTEST_OUTPUT || stop === from + LONGEST_OUTPUT) return undefined;
  if (window.at(stop) === CODE.tab) return undefined;
  const isPassword = reads === 'password' || FILE_OF_PASSWORD.test(reads === 'file' ? file : line[0]);
  stop = window.trim(from, stop, ' ');
  return isPrinted(window, window.slice(from, stop), isPassword) ? { start: from, end: stop } : undefined;
};

/** Whether a prompt's mark or `sudo` stands right before `start`: these words are common, and seldom commands. */
function mayFollowPrompt(window: TextWindow, start: number): boolean {
  const code = window.before(start - 1);
  if (code !== CODE.space) return code === CODE.greater;
  return PROMPT_ENDS.has(window.before(start - 2));
}

/** What PROMPT ends with before its blank; the last letter of `sudo` is one of them. */
const PROMPT_ENDS: ReadonlySet<number> = new Set(Array.from('$#%❯➜>o', (mark) => mark.charCodeAt(0)));

/** Subcommands of pass that print no secret. */
const STORES = /^(?:insert|add|generate|edit|rm|mv|cp|ls|list|find|grep|git|init|help|version|-c|show -c)\b/;

function isPrinted(window: TextWindow, value: string, isPassword: boolean): boolean {
  if (SAYS.test(value) || isPlaceholder(value) || /^[$#>]|[:{[]$|:\/\/|:.*:/.test(value)) return false;
  if (isDrawnIn(window, value)) return true;
  if (!isPassword) return false;
  return (
    isThoughtUpIn(window, value) ||
    verdict(window, 'made-up', value, isMadeUp) ||
    verdict(window, 'word at place', value, isWordGiven) ||
    verdict(window, 'may be words', value, mayBeWords) ||
    (/\d/.test(value) &&
      isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: false }))
  );
}

const OUTPUT: Rule = {
  name: 'printed-secret',
  type: 'key',
  anchors: [...READERS.keys()],
  beginsWord: true,
  verify: verifyOutput,
  source: 'https://git.zx2c4.com/password-store/about/',
  masks: [
    `C:\\> type C:\\Users\\budi\\secrets\\api_key.txt\n${drawn}\n`,
    '$ cat /run/secrets/db_password\nMartabak.Telur.11\n',
    `$ pass show work/grafana\n${chosen}\nlogin: budi\n`,
    `budi@web:~$ sudo cat token.txt\n${drawn}\n`,
  ],
  keeps: [
    `$ cat README.md\n${chosen}\n`,
    '$ cat password.txt\ncat: password.txt: No such file or directory\n',
    '$ pass insert work/grafana\nMartabak.Telur.11\n',
    `the cat password.txt\n${chosen}\n`,
    '$ cat /etc/passwd\nroot:x:0:0:root:/root:/bin/bash\n',
  ],
};

/** Secrets that a command has printed. */
export const OUTPUT_RULES: readonly Rule[] = [OUTPUT];
