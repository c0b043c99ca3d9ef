import { BLANK, CODE, isIn, LETTER, SPACE, tableOf, WORD } from './characters.ts';
import { generatedOperator } from './generated-secret.ts';
import { isDefined } from './given-in-words.ts';
import { OF_SERVICE } from './given-setting.ts';
import type { Operator } from './given-value.ts';
import { NOT_THE_SECRET } from './lexicon/secret-names.ts';
import { OWNERS, SECRET_NOUNS } from './lexicon/sentences.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';

/** The word behind an option, `field` in `the --password field`. */
const LONGEST_WORD = 32;
/** A user and a name, before `pass`. */
const NAMES_USER = /\b(?:user(?:name)?|login|akun|usuario|benutzer)(?: is)?[ :=]{1,3}["'`]?$/i;
const BEHIND_USER = /["'`]?[ ,;/]{1,3}(?:and |dan )?$/i;
const OF_USER = /[\w.@-]/;
const REACH_OF_LOGIN = 56;
/** What a prompt says of itself behind the name, with the value behind its colon. */
const LONGEST_PROMPT = 72;

/** What gives a name its value where no sign does: the blank of an option, of a login or of a prompt. */
export function spokenOperator(window: TextWindow, name: SecretName): Operator | undefined {
  const code = window.at(name.end);
  if (!isIn(code, SPACE) && code !== CODE.semicolon) return undefined;
  return (
    optionOperator(window, name) ??
    elementBehind(window, name.end) ??
    loginOperator(window, name) ??
    promptOperator(window, name) ??
    attributedOperator(window, name) ??
    generatedOperator(window, name) ??
    outputOperator(window, name)
  );
}

/** `$ cat /run/secrets/db_password` and the line below it: what a command prints that the prompt's line names. */
function outputOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (name.kind !== 'password' && name.kind !== 'secret') return undefined;
  const left = window.left(name.start, LONGEST_COMMAND);
  if (!left.startsWith('$ ', left.lastIndexOf('\n') + 1)) return undefined;
  const rest = REST_OF_LINE.exec(window.peek(name.end, LONGEST_PROMPT));
  return rest === null ? undefined : { end: name.end + rest[0].length, kind: 'loose', tight: false };
}

const LONGEST_COMMAND = 80;
const REST_OF_LINE = /^(?:[ ;][^\n]{0,40})?\r?\n(?=\S{8})/;

/** `<wsse:Password Type="…">…`: an element with attributes. */
function attributedOperator(window: TextWindow, name: SecretName): Operator | undefined {
  const before = window.before(name.start - 1);
  if ((before !== CODE.less && before !== CODE.colon) || window.at(name.end) !== CODE.space) return undefined;
  if (!OPENS_ELEMENT.test(window.left(name.start, LONGEST_WORD))) return undefined;
  const attributes = ATTRIBUTES.exec(window.peek(name.end, LONGEST_ATTRIBUTES));
  return attributes === null ? undefined : { end: name.end + attributes[0].length, kind: 'element', tight: false };
}

const OPENS_ELEMENT = /<(?:[A-Za-z][\w-]{0,20}:)?$/;
const LONGEST_ATTRIBUTES = 160;
const ATTRIBUTES = /^(?: [\w:.-]{1,32}="[^"<>\n]{0,100}"){1,3}>(?=[^<>\s])/;

/** `password <code>…</code>`, `password: <b>…</b>`: the element behind the name, at `from`. */
export function elementBehind(window: TextWindow, from: number): Operator | undefined {
  const code = window.at(from);
  if (code !== CODE.space && code !== CODE.colon) return undefined;
  // Most words and signs cannot lead to an element: that is seen many times as fast as a pattern is tried.
  if (LEADS_TO_ELEMENT[window.at(from + 1)] !== 1) return undefined;
  const element = ELEMENT_BEHIND.exec(window.peek(from, LONGEST_ELEMENT));
  return element === null ? undefined : { end: from + element[0].length, kind: 'element', tight: false };
}

/** Of ELEMENT_BEHIND the second character. */
const LEADS_TO_ELEMENT = tableOf(' iIaA:<&');
const LONGEST_ELEMENT = 32;
const ELEMENT_BEHIND = /^(?: is| adalah)?:?(?: {0,2}|&nbsp;|&#160;)<(?:code|b|strong|kbd|samp|em|tt|mark)>(?=[^<>\s])/i;

/** `--password value`, `#define PASSWORD "value"`: the blank is the operator. */
function optionOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (name.kind === 'password' && isDefined(window, name.start, name.end))
    return { end: name.end, kind: 'loose', tight: false, sure: OF_SERVICE.test(window.slice(name.start, name.end)) };
  if (
    name.kind === 'password' &&
    isIn(window.at(name.end), BLANK) &&
    OPENS_INSTRUCTION.test(window.left(name.start, LONGEST_INSTRUCTION))
  )
    return { end: name.end, kind: 'assign', tight: true };
  if (isKeyword(window, name)) return { end: name.end + 1, kind: 'assign', tight: false };
  if (
    !window.text.startsWith('--', name.start) ||
    window.at(name.end) !== CODE.space ||
    window.at(name.end + 1) === CODE.hyphen
  )
    return undefined;
  // `the --username and --password options`: a sentence about the option.
  const next = window.slice(name.end + 1, window.run(name.end + 1, LETTER, LONGEST_WORD)).toLowerCase();
  if (NOT_THE_SECRET.has(next) || SECRET_NOUNS.has(next)) return undefined;
  return { end: name.end + 1, kind: 'assign', tight: true };
}

/** Docker's `ENV NAME value`, and what shells and servers write before a variable of the environment. */
const OPENS_INSTRUCTION =
  /(?:^|\n)[ \t]{0,8}(?:[$>#%] )?(?:ENV|ARG|setx|setenv|set -g?xg?|fastcgi_param|uwsgi_param|launchctl setenv) $/i;
const LONGEST_INSTRUCTION = 32;

/** Clojure's `:password "…"`. */
function isKeyword(window: TextWindow, { start, end }: SecretName): boolean {
  if (window.before(start - 1) !== CODE.colon || isIn(window.before(start - 2), WORD)) return false;
  return window.at(end) === CODE.space && window.at(end + 1) === CODE.doubleQuote;
}

/** `user budi pass …`, as people write a login in a message: the blank is the operator. */
function loginOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (name.end - name.start !== 4 || !window.matches(name.start, 'pass') || window.at(name.end) !== CODE.space)
    return undefined;
  const end = window.matches(name.end + 1, 'is ') ? name.end + 4 : name.end + 1;
  return followsUser(window.left(name.start, REACH_OF_LOGIN)) ? { end, kind: 'assign', tight: false } : undefined;
}

function followsUser(left: string): boolean {
  const behind = BEHIND_USER.exec(left);
  if (behind === null) return false;
  let at = behind.index;
  while (at > 0 && OF_USER.test(left[at - 1] ?? '')) at--;
  return at < behind.index && behind.index - at <= LONGEST_WORD && NAMES_USER.test(left.slice(0, at));
}

/** `Passphrase for key /home/budi/id: …`, `Password (case sensitive) = …`: what was asked for, and the answer. */
function promptOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (window.at(name.end) !== CODE.space || (name.kind !== 'password' && name.kind !== 'secret')) return undefined;
  const owner = endOfOwner(window, name);
  if (owner > 0) return { end: owner, kind: 'assign', tight: false };
  const isNote = window.at(name.end + 1) === CODE.openParenthesis;
  if (!isNote && !window.matches(name.end + 1, 'for ')) return undefined;
  if (!ASKED.test(window.left(name.start, REACH_OF_LOGIN))) return undefined;
  const sign = (isNote ? NOTE : ASKED_FOR).exec(window.peek(name.end, LONGEST_PROMPT));
  return sign === null ? undefined : { end: name.end + sign[0].length, kind: 'assign', tight: false };
}

/** `Пароль от панели:`, `Password for the elastic user (reset with …):`: where the colon ends behind whose it is, or -1. */
function endOfOwner(window: TextWindow, name: SecretName): number {
  const preposition = PREPOSITION.exec(window.peek(name.end, LONGEST_PREPOSITION));
  if (!BEGINS_SENTENCE.test(window.left(name.start, REACH_OF_LOGIN))) return -1;
  if (preposition === null) {
    const owner = OWNER_ALONE.exec(window.peek(name.end, LONGEST_OWNER));
    const words = owner?.[1]?.toLowerCase().trim().split(' ') ?? [];
    if (owner === null || words.some((word) => NOT_THE_SECRET.has(word) && !OWNERS.has(word))) return -1;
    return name.end + owner[0].length;
  }
  const from = name.end + preposition[0].length;
  let blanks = 0;
  for (let index = from; index < from + LONGEST_OWNER; index++) {
    const code = window.at(index);
    if (code === CODE.colon) return isIn(window.at(index + 1), SPACE) ? index + 1 : -1;
    if ((code === CODE.emDash || code === CODE.enDash) && window.before(index - 1) === CODE.space) return index + 1;
    if (code === CODE.openParenthesis) {
      const close = window.peek(index, LONGEST_NOTE).indexOf(')');
      const end = index + close + 1;
      return close > 0 && window.at(end) === CODE.colon && isIn(window.at(end + 1), SPACE) ? end + 1 : -1;
    }
    if (
      code < CODE.space ||
      (code === CODE.space && ++blanks > MOST_BLANKS) ||
      ENDS_OWNER.test(window.text.charAt(index))
    )
      return -1;
  }
  return -1;
}

/** `Password wifi kantor:`, `Wachtwoord router:` */
const OWNER_ALONE = /^((?: \p{L}[\p{L}\d-]{1,15}){1,3})(?: ?:| [—–])(?= )/u;
const LONGEST_PREPOSITION = 8;
const PREPOSITION = /^ (?:for|of|on|von|für|del?|do|da|untuk|pada|dari|od|van|voor|pour|du|от|для|к|на) /;
const LONGEST_OWNER = 48;
const MOST_BLANKS = 4;
const LONGEST_NOTE = 72;
const ENDS_OWNER = /[.,;!?=<>{}[\]|)]/;
/** At the beginning of a line or behind another sentence. */
const BEGINS_SENTENCE = /(?:^|\n|[.!?] )[^\p{L}\p{N}\n]{0,8}(?:[A-Za-z]{1,16} ){0,2}$/u;

/** A prompt stands at the beginning of its line. */
const ASKED = /(?:^|\n)[\s>*#-]{0,8}(?:[A-Za-z]{1,16} ){0,2}$/;
const ASKED_FOR =
  /^ for (?:(?:the )?(?:key|user|account|file) ){0,2}['"]?[\w@./~-]{1,48}['"]?(?: file| user| account)?(?: \([^()\n]{1,40}\))?:(?= \S)/i;
const NOTE = /^ \([^()\n]{1,48}\) ?[:=](?= \S)/;
