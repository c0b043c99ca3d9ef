import { BARE_VALUE, isIn, LETTER, QUOTE } from './characters.ts';
import type { Finding } from './finding.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawn, isSecretValue } from './value-judge.ts';

/** How far after its name, within the sentence, a value may stand. */
const REACH = 72;
const LONGEST_WORD = 512;

const VERBS = new Set(
  'is are was be adalah ialah yaitu yakni berupa menjadi jadi to ke as sebagai with dengan value nilai nilainya isinya of named called bernama following berikut'.split(
    ' ',
  ),
);

/**
 * Finds the value a sentence gives to a secret's name: "the password is …", "token … adalah …", "use the key … for".
 * After a verb or in quotes a password-like word is enough; elsewhere the value has to be visibly drawn.
 */
export function findInProse(window: TextWindow, name: SecretName): Finding | undefined {
  const stop = name.end + REACH;
  let index = name.end;
  let verb = false;
  for (let words = 0; words < 9 && index < stop; words++) {
    index = skipBetween(window, index, stop);
    if (index < 0 || index >= stop) return undefined;
    const start = index;
    while (index < start + LONGEST_WORD && isIn(window.at(index), BARE_VALUE) && window.at(index) !== 42) index++;
    if (index === start) return undefined;
    const quoted = isIn(window.before(start - 1), QUOTE) && window.at(index) === window.before(start - 1);
    const end = quoted ? index : window.trim(start, index, '.,:;!?');
    const word = window.text.slice(start, end);
    if (isSecretWord(word, name, verb, quoted)) return { type: 'key', rule: 'prose', start, end };
    if (end < index && window.text.charAt(index - 1) !== ':' && /[.!?]/.test(window.text.charAt(end))) return undefined;
    verb = VERBS.has(word.toLowerCase()) || (verb && (word === 'the' || word === 'now' || word === 'sekarang'));
  }
  return undefined;
}

/** Steps over blanks, emphasis, quotes, opening brackets and commas; -1 at the end of the line, of a cell or of code. */
function skipBetween(window: TextWindow, from: number, stop: number): number {
  let index = from;
  while (index < stop) {
    const code = window.at(index);
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

function isSecretWord(word: string, name: SecretName, verb: boolean, quoted: boolean): boolean {
  if (word.length < 6) return false;
  if (name.kind === 'vendor') return word.length >= 16 && isDrawn(word) && !/^[0-9a-f-]+$/i.test(word);
  if (isDrawn(word)) {
    const plain = /^(?:0x)?[0-9a-f-]+$/i.test(word);
    return plain ? name.kind !== 'weak' && word.length >= 24 : word.length >= (name.kind === 'password' ? 8 : 14);
  }
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
