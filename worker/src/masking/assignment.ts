import { ALNUM, BARE_VALUE, BASE64, BASE64URL, isIn, LETTER, QUOTE, UNDERSCORE } from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { type GivenValue, type Operator, readOperator, readValue } from './given-value.ts';
import { findInProse } from './prose.ts';
import { wordiness } from './rules/letter-pairs.ts';
import { PASSWORD_WORDS, SECRET_WORDS, WEAK_WORDS } from './rules/secret-words.ts';
import { type NameKind, readName, type SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawn, isDrawnPlainly, isSecretValue } from './value-judge.ts';

/** Verifies at a secret word: the value given to the name the word is part of. */
export function assignmentVerifier(kind: NameKind): Verify {
  return (window, start, end) => {
    if (isInMarker(window, start)) return undefined;
    const name = readName(window, start, end, kind);
    if (name === undefined) return undefined;
    const operator = readOperator(window, name.start, name.end) ?? optionOperator(window, name);
    if (operator === undefined) {
      // `IsFirstPass` in a sentence is a name of code: short forms need an operator.
      const short = kind === 'weak' && name.kind === 'password';
      return short || name.kind === 'glued' ? undefined : findInProse(window, name);
    }
    const found = judgeAssignment(window, name, operator);
    return found;
  };
}

/** `--password value`: the blank is the operator. */
function optionOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (!window.text.startsWith('--', name.start) || window.at(name.end) !== 32 || window.at(name.end + 1) === 45)
    return undefined;
  return { end: name.end + 1, kind: 'assign', tight: true };
}

function judgeAssignment(window: TextWindow, name: SecretName, operator: Operator): Finding | undefined {
  const query = window.before(name.start - 1);
  const inQuery = operator.tight && (query === 63 || query === 38 || query === 59);
  if (isNestedName(window, operator.end)) return undefined;
  let value = readValue(window, operator.end, inQuery);
  if (value === undefined) return undefined;
  if (operator.encoded === true) value = { ...value, end: encodedEnd(window, value) };
  // `Authorization: Bearer …`, `password: string = "…"`: a word that introduces the value.
  const word = window.text.slice(value.start, Math.min(value.end, value.start + 24)).toLowerCase();
  if (
    !value.quoted &&
    /^(?:bearer|basic|token|apikey|api-key|digest|aws4-hmac-sha256|key|bot|string|&?str|secretstr|is|adalah|ialah|yaitu|=)$/.test(
      word,
    )
  ) {
    const next = /^(?:string|&?str|secretstr)$/.test(word)
      ? readOperator(window, value.start, value.end)?.end
      : value.end;
    value = next === undefined ? undefined : readValue(window, next, inQuery);
  } else if (value.quoted && /^(?:bearer|basic|token|bot|apikey)\s/.test(word)) {
    value = { ...value, start: value.start + word.search(/\s/) + 1 };
  }
  if (value === undefined || value.end <= value.start) return undefined;
  return isGivenSecret(window, name, operator, value) ? findingOf(window, name, value) : undefined;
}

/** Where a value in a percent-encoded text ends: at an encoded quote, ampersand, comma or bracket. */
function encodedEnd(window: TextWindow, { start, end }: GivenValue): number {
  const at = window.text.slice(start, end).search(/%(?:2[267c]|7d|0a)/i);
  return at < 0 ? end : start + at;
}

/** `policy: min=12`, `key=key=…`: the value is a name with a value of its own, which is asked by itself. */
function isNestedName(window: TextWindow, from: number): boolean {
  const start = window.at(from) === 32 ? from + 1 : from;
  const end = window.run(start, LETTER | UNDERSCORE, 32);
  const code = window.at(end);
  if (end - start < 2 || (code !== 61 && code !== 58)) return false;
  const word = window.text.slice(start, end).toLowerCase();
  if (NAMES.has(word)) return true;
  return code === 61 && isIn(window.at(end + 1), ALNUM | QUOTE) && wordiness(word) > 0.5;
}

const NAMES = new Set<string>(['authorization', ...PASSWORD_WORDS, ...SECRET_WORDS, ...WEAK_WORDS]);

function isGivenSecret(window: TextWindow, name: SecretName, operator: Operator, value: GivenValue): boolean {
  const text = window.text.slice(value.start, Math.min(value.end, value.start + 300));
  const next = window.at(value.end);
  if (!value.quoted && (next === 40 || value.call)) return false;
  if (value.quoted && operator.kind === 'loose' && name.kind !== 'vendor')
    return isDrawn(text) || (name.kind === 'password' && judgedAs(text, 'secret', true));
  if (name.kind === 'glued')
    return (
      operator.kind === 'assign' && !value.below && isDrawn(text) && text.length >= 10 && !/^[0-9a-f-]+$/i.test(text)
    );
  if (operator.kind === 'tag' && window.before(name.start - 1) !== 60) return false;
  if (
    value.below &&
    operator.kind !== 'tag' &&
    (name.kind === 'weak' || name.kind === 'vendor') &&
    /^[0-9a-f-]+$/i.test(text)
  )
    return false;
  if (value.below && name.kind === 'password' && operator.kind === 'assign' && isSetApart(window, value))
    return /[a-z]/i.test(text) && /\d/.test(text) && text.length >= 8 && judgedAs(text, 'password', true);
  if (value.below || operator.kind === 'loose' || name.kind === 'vendor') {
    const drawn = isDrawn(text) || (name.kind === 'vendor' && isDrawnPlainly(text));
    return drawn && !isSentenceWord(text);
  }
  if (name.kind === 'weak' && operator.kind === 'assign' && value.last && isPassAlone(window, name))
    return /[A-Za-z]/.test(text) && /\d/.test(text) && text.length >= 8 && judgedAs(text, 'password', value.quoted);
  const environment = operator.tight && !value.quoted && (isUpper(window, name) || isOption(window, name));
  const sentence = !value.quoted && !value.last && operator.kind === 'assign' && !operator.tight;
  return isSecretValue(text, {
    name: name.kind === 'password' ? 'password' : name.kind === 'secret' ? 'secret' : 'weak',
    quoted: value.quoted,
    environment,
    exact: /(?:secret|token|secret_?key|api_?key)$/i.test(window.text.slice(name.start, name.end)),
    prose: sentence || operator.kind === 'cell',
  });
}

/** In quotes, or in a code block of its own. */
function isSetApart(window: TextWindow, { quoted, start }: GivenValue): boolean {
  return quoted || window.left(start, 16).includes('```');
}

/** `pass: …` on a line of its own: short for password, if the value looks like one. */
function isPassAlone(window: TextWindow, name: SecretName): boolean {
  return name.end - name.start === 4 && window.matches(name.start, 'pass');
}

function judgedAs(text: string, name: 'password' | 'secret', quoted: boolean): boolean {
  return isSecretValue(text, { name, quoted, environment: false, prose: false });
}

function isSentenceWord(text: string): boolean {
  return /^[A-Za-z]+$/.test(text) && text.length < 16;
}

/** `DB_PASSWORD`: the name of an environment variable. */
function isUpper(window: TextWindow, name: SecretName): boolean {
  return !/[a-z]/.test(window.text.slice(name.start, name.end));
}

/** `--password=…` and `-e API_TOKEN=…` give plain values, as an environment file does. */
function isOption(window: TextWindow, name: SecretName): boolean {
  return window.text.startsWith('--', name.start) || window.before(name.start - 1) === 45;
}

function findingOf(window: TextWindow, name: SecretName, value: GivenValue): Finding {
  const rule = `${name.kind}-assignment`;
  const finding = { type: 'key', rule, start: value.start, end: value.end } as const;
  if (!value.cut || !isIn(window.at(value.end), BARE_VALUE) || isIn(window.at(value.end), QUOTE)) return finding;
  return { ...finding, open: BARE_VALUE };
}

/** The words of our own markers are no names. */
function isInMarker(window: TextWindow, start: number): boolean {
  return (
    window.before(start - 1) === 42 &&
    window.before(start - 2) === 42 &&
    /^\*\*\*(?:API_|IP_|DB_)/.test(window.text.slice(start - 3, start + 4))
  );
}

/** Verifies at `Basic `: the base64 of `user:password` (RFC 7617). */
export const verifyBasic: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), BASE64URL)) return undefined;
  const stop = window.run(end, BASE64);
  if (stop - end < 6 || stop - end > 1024) return undefined;
  const login = Buffer.from(window.text.slice(end, stop), 'base64').toString('latin1');
  if (!/^[\x20-\x7e\x80-\xff]*:[\x20-\x7e\x80-\xff]*$/.test(login)) return undefined;
  return { type: 'key', rule: 'basic-credentials', start: end, end: stop };
};

const BEARER = BASE64URL | BASE64 | 128 | 1024 | 2048;

/** Verifies at `Bearer `: the token that follows (RFC 6750). */
export const verifyBearer: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), BASE64URL)) return undefined;
  const run = window.run(end, BEARER);
  if (window.text.slice(run - 3, run) === '...' || window.at(run) === 0x2026) return undefined;
  const stop = window.trim(end, run, '.:');
  const token = window.text.slice(end, Math.min(stop, end + 300));
  const secret =
    isDrawn(token) ||
    (token.length >= 16 && isSecretValue(token, { name: 'secret', quoted: true, environment: false, prose: false }));
  if (!secret) return undefined;
  return run - end >= 2048
    ? { type: 'key', rule: 'bearer-token', start: end, end: run, open: BEARER }
    : { type: 'key', rule: 'bearer-token', start: end, end: stop };
};
