import { BARE_VALUE, BLANK, isIn, LETTER, QUOTE, UPPER } from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { NOT_THE_SECRET } from './rules/secret-words.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawn, isSecretValue } from './value-judge.ts';

/** How far after its name, within the sentence, a value may stand. */
const REACH = 72;
const LONGEST_WORD = 2048;
/** How far after a value the word may stand that says it is a secret. */
const AFTER = 56;

const VERBS = new Set(
  'is are was be adalah ialah yaitu yakni berupa menjadi jadi to ke as sebagai with dengan nya value nilai nilainya isinya of named called bernama following berikut'.split(
    ' ',
  ),
);

/** After one of these the value is an identifier or a fingerprint, not the secret. */
const NAMES_ANOTHER_THING = new Set(
  'id ids identifier hash commit sha digest checksum fingerprint version name url email publishable public price product order invoice request trace path file branch tag model region'.split(
    ' ',
  ),
);

const SECRET_NOUNS = new Set(
  'key keys token tokens secret secrets credential credentials password passphrase kunci sandi rahasia apikey bearer'.split(
    ' ',
  ),
);

/**
 * Finds the value a sentence gives to a secret's name: "the password is …", "token … adalah …", "use the key … for".
 * After a verb or in quotes a password-like word is enough; elsewhere the value has to be visibly drawn.
 */
export function findInProse(window: TextWindow, name: SecretName): Finding | undefined {
  // Only words may come between: a name inside a path, a call or a link gives nothing to what follows it.
  if (!isIn(window.at(name.end), BLANK | QUOTE) && window.at(name.end) !== 42 && window.at(name.end) !== 41)
    return undefined;
  const code = window.before(name.start - 1);
  if (code === 47 || (code === 46 && !/\bconfig\b[^\n]{0,48}$/.test(window.left(name.start, 64)))) return undefined;
  const stop = name.end + REACH;
  if (!window.holdsDrawn(name.end, stop, BARE_VALUE, SHORTEST_DRAWN[name.kind])) return undefined;
  let index = name.end;
  let verb = false;
  let named = false;
  for (let words = 0; words < 9 && index < stop; words++) {
    index = skipBetween(window, index, stop);
    if (index < 0 || index >= stop) return undefined;
    const start = index;
    while (index < start + LONGEST_WORD && isIn(window.at(index), BARE_VALUE) && window.at(index) !== 42) index++;
    if (index === start || (window.at(index) === 42 && isMarker(window, index))) return undefined;
    const quoted = isIn(window.before(start - 1), QUOTE) && window.at(index) === window.before(start - 1);
    const end = quoted ? index : window.trim(start, index, '.,:;!?');
    const word = window.text.slice(start, end);
    const folded = word.length < 12 ? word.toLowerCase() : '';
    if (NAMES_ANOTHER_THING.has(folded) || (words === 0 && isAspect(folded))) return undefined;
    if (word.includes('=') && /^[A-Za-z]{3,24}=/.test(word)) return undefined;
    if (SECRET_NOUNS.has(folded)) {
      // The nearer word is asked by itself.
      if (name.kind !== 'vendor' || named) return undefined;
      named = true;
    }
    if (
      isSecretWord(
        word,
        named && name.kind === 'vendor' ? { ...name, kind: 'secret' } : name,
        verb,
        quoted && (verb || words === 0),
        words === 0,
      )
    )
      return proseFinding(start, end);
    if (end < index && window.text.charAt(index - 1) !== ':' && /[.!?]/.test(window.text.charAt(end))) return undefined;
    verb =
      VERBS.has(folded) ||
      folded.endsWith('nya') ||
      window.text.charAt(end) === ':' ||
      (verb && (word === 'the' || word === 'now' || word === 'sekarang'));
  }
  return undefined;
}

/** A word as long as the limit goes on: its rest is swallowed. */
function proseFinding(start: number, end: number): Finding {
  const finding = { type: 'key', rule: 'prose', start, end } as const;
  return end - start < LONGEST_WORD ? finding : { ...finding, open: BARE_VALUE };
}

/** Steps over blanks, emphasis, quotes, opening brackets and commas; -1 at the end of the line, of a cell or of code. */
function skipBetween(window: TextWindow, from: number, stop: number): number {
  let index = from;
  while (index < stop) {
    const code = window.at(index);
    if (code === 42 && isMarker(window, index)) return -1;
    if (
      code === 32 ||
      code === 9 ||
      isIn(code, QUOTE) ||
      code === 42 ||
      code === 40 ||
      code === 41 ||
      code === 44 ||
      code === 60 ||
      code === 62
    )
      index++;
    else break;
  }
  const code = window.at(index);
  return isIn(code, LETTER) || isIn(code, BARE_VALUE) ? index : -1;
}

/** `password policy`, `token lifetime`: the sentence goes on about something else than the secret's owner. */
function isAspect(word: string): boolean {
  return NOT_THE_SECRET.has(word) && !OWNERS.has(word);
}

const OWNERS = new Set(
  'user username owner email mail phone group role service services account test server storage backend page store s'.split(
    ' ',
  ),
);

/** Three stars and a capital: one of our markers, not emphasis. */
function isMarker(window: TextWindow, index: number): boolean {
  return window.at(index + 1) === 42 && window.at(index + 2) === 42 && isIn(window.at(index + 3), UPPER);
}

/** A word that people choose as a password, and no word of a text about passwords: `rfc2617` and `step2` are none. */
function looksChosen(word: string): boolean {
  if (!/[a-z]/.test(word) || !/\d/.test(word)) return false;
  if (/[A-Z]/.test(word)) return true;
  return /\d{3}|[!@#$%^&]/.test(word) && !/^(?:rfc|cve|iso|sha|md|aes|utf|pbkdf|nist|sp|v)[- ]?\d/.test(word);
}

/** What `isSecretWord` asks of a word before anything else. */
const SHORTEST_DRAWN = { password: 6, secret: 6, weak: 14, vendor: 6, glued: 6 } as const;

const PROSE_PASSWORD = { name: 'password', quoted: false, environment: false, prose: true } as const;

function isSecretWord(word: string, name: SecretName, verb: boolean, quoted: boolean, next: boolean): boolean {
  if (word.length < 6) return false;
  if (name.kind === 'vendor') return word.length >= 16 && isDrawn(word) && !/^[0-9a-f-]+$/i.test(word);
  if (isDrawn(word)) {
    const plain = /^(?:0x)?[0-9a-f-]+$/i.test(word);
    return plain ? name.kind !== 'weak' && word.length >= 24 : word.length >= (name.kind === 'password' ? 8 : 14);
  }
  if (next && name.kind === 'password' && looksChosen(word)) return isSecretValue(word, PROSE_PASSWORD);
  if (!verb && !quoted) return false;
  if (name.kind === 'weak') return false;
  return (
    /\d/.test(word) &&
    isSecretValue(word, {
      name: name.kind === 'password' ? 'password' : 'secret',
      quoted,
      environment: false,
      prose: true,
    })
  );
}

/**
 * Verifies at a verb such as "use" or "simpan": a drawn value that the same sentence then calls a key, as in
 * "store … as the billing API key".
 */
export const verifyNamedAfterwards: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  let from = end;
  while (from < end + 3 && (isIn(window.at(from), QUOTE) || window.at(from) === 42)) from++;
  let index = from;
  while (index < from + LONGEST_WORD && isIn(window.at(index), BARE_VALUE) && window.at(index) !== 42) index++;
  if (index - from < 15 || (window.at(index) === 42 && isMarker(window, index))) return undefined;
  const stop = window.trim(from, index, '.,:;!?');
  if (stop - from < 15 || stop < index || !isDrawn(window.text.slice(from, stop))) return undefined;
  const after = window.peek(index, AFTER);
  const words = (after.split('\n', 1)[0] ?? '').toLowerCase().split(/[^a-z]+/);
  // A word cut off by the reach is no word.
  if (after.length === AFTER && !after.includes('\n')) words.pop();
  const noun = words.findIndex((word) => SECRET_NOUNS.has(word));
  if (noun < 0 || words.slice(0, noun).some((word) => NAMES_ANOTHER_THING.has(word))) return undefined;
  return proseFinding(from, stop);
};

/** Verbs that hand a value over, in English and Indonesian. */
export const GIVING_VERBS =
  `use using store stored paste pasted rotate rotated revoke revoked leaked leak copy enter send save put add set replace with pass
  provide supply share shared pakai gunakan memakai menggunakan masukkan simpan tempel kirim ganti salin isi isikan berikan dengan`.split(
    /\s+/,
  );
