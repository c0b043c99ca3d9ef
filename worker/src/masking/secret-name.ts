import { ALNUM, DASH, DOT, isIn, LOWER, QUOTE, UNDERSCORE, UPPER, WORD } from './characters.ts';
import { HARMLESS_QUALIFIERS, NOT_THE_SECRET } from './rules/secret-words.ts';
import type { TextWindow } from './text-window.ts';

/** `glued`: an unknown ending is stuck to the word, as in `authority`; only a drawn value makes it a secret's name. */
export type NameKind = 'password' | 'secret' | 'weak' | 'vendor' | 'glued';

export interface SecretName {
  readonly kind: NameKind;
  readonly start: number;
  readonly end: number;
  /** `DB_PASSWORD`: the name of an environment variable. */
  readonly upper: boolean;
}

const LONGEST_NAME = 64;

/**
 * Reads the whole name around the secret word at [start, end) and says whether it names a secret: `DB_PASSWORD`,
 * `clientSecret` and `x-api-key` do; `token_type`, `cacheKey`, `monkey` and `author` do not.
 */
export function readName(window: TextWindow, start: number, end: number, kind: NameKind): SecretName | undefined {
  const nameStart = window.runBefore(start, WORD | DASH, LONGEST_NAME);
  const before = window.before(start - 1);
  const glued = isIn(before, LOWER) && isIn(window.text.charCodeAt(start), LOWER);
  if (glued && kind !== 'password' && kind !== 'vendor' && !isKnownGlue(window, nameStart, start)) return undefined;
  const nameEnd = endOfName(window, end);
  if (nameEnd - end >= LONGEST_NAME || !leadsOn(window.at(nameEnd))) return undefined;
  const first = window.text.charCodeAt(end);
  const upper = !/[a-z]/.test(window.text.slice(nameStart, nameEnd));
  if (kind === 'vendor') return glued ? undefined : { kind, start: nameStart, end: nameEnd, upper };
  if (nameEnd > end && isIn(window.at(end), ALNUM)) {
    const inner = isIn(window.text.charCodeAt(end - 1), LOWER) && isIn(first, LOWER);
    const shouting = isIn(window.text.charCodeAt(end - 1), UPPER) && isIn(first, UPPER);
    const rest = (/^[a-z]+|^[A-Z]+(?![a-z])/.exec(window.text.slice(end, nameEnd))?.[0] ?? '').toLowerCase();
    const stuck = inner || shouting;
    if (stuck && NOT_THE_SECRET.has(rest) && rest !== 's') return undefined;
    if (stuck && rest !== 's' && !isTailWord(rest))
      return end - start < 3 || (end - start === 3 && kind !== 'weak')
        ? undefined
        : { kind: 'glued', start: nameStart, end: nameEnd, upper };
  }
  const tail = nameEnd === end ? NO_WORDS : wordsOf(window.text.slice(end, nameEnd));
  if (tail.some((word) => NOT_THE_SECRET.has(word))) return undefined;
  if (kind === 'password') return { kind, start: nameStart, end: nameEnd, upper };
  const head = nameStart === start ? NO_WORDS : wordsOf(window.text.slice(nameStart, start));
  const qualifier = head.at(-1) ?? wordBefore(window, nameStart);
  if (HARMLESS_QUALIFIERS.has(qualifier) && tail.length === 0) return undefined;
  return { kind, start: nameStart, end: nameEnd, upper };
}

const NO_WORDS: readonly string[] = [];

/** What may follow the name of a secret at all: an operator, a quote, a bracket, white space or emphasis. */
function leadsOn(code: number): boolean {
  return (
    code <= 32 ||
    code === 61 ||
    code === 58 ||
    code > 126 ||
    isIn(code, QUOTE) ||
    '*])>|,?+&\\<-.'.includes(String.fromCharCode(code))
  );
}

function isKnownGlue(window: TextWindow, nameStart: number, start: number): boolean {
  return /(?:^|[^a-z])(?:my|db|user|admin|app|auth|api|access|client|master|private|secret|bot|refresh|id|web|service|account|session)$/.test(
    window.text.slice(nameStart, start).toLowerCase(),
  );
}

function isTailWord(rest: string): boolean {
  return /^(?:key|token|secret|value|val|code|hex|prod|dev|test|live|staging|base|string|str|nya|mu|ku|s)\w*$/.test(
    rest,
  );
}

/** Names go on over letters, digits, underscores, hyphens and dots that another word follows. */
function endOfName(window: TextWindow, end: number): number {
  let index = window.run(end, WORD, LONGEST_NAME);
  for (let parts = 0; parts < 4; parts++) {
    const code = window.at(index);
    if ((code !== 45 && code !== 46) || !isIn(window.at(index + 1), ALNUM)) break;
    index = window.run(index + 1, WORD, LONGEST_NAME);
  }
  return index;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** The word before the name, one space away: `primary key`, `public key`. */
function wordBefore(window: TextWindow, nameStart: number): string {
  if (window.before(nameStart - 1) !== 32) return '';
  const start = window.runBefore(nameStart - 1, ALNUM | UNDERSCORE | DOT, 24);
  return window.text.slice(start, nameStart - 1).toLowerCase();
}
