import { holdsDrawn } from '../calm-text.ts';
import { BARE_VALUE, BLANK, CODE, isIn, LETTER, QUOTE, UPPER } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { endOfForeignWord, isForeignLetter } from '../given-in-words.ts';
import { SAID_ADVERBS } from '../lexicon/said.ts';
import { GIVING_VERBS, NAMED_ELSEWHERE, PREPOSITIONS, RESETS, VERBS } from '../lexicon/sentences.ts';
import { isMadeUp } from '../made-up.ts';
import type { SecretName } from '../secret-name.ts';
import {
  BARE_WORD,
  isCalled,
  isInConfiguration,
  LONGEST_JUDGED,
  LONGEST_WORD,
  looksChosen,
  opensElsewhere,
  WORDS_READ,
  Word,
} from '../sentence-words.ts';
import { isTellingValue } from '../telling-value.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from '../verdicts.ts';
import { findFurtherOn } from './password-in-sentence.ts';
import { isAspect, nounBehind, QUOTED_FIRST } from './quoted-first.ts';
import { findQuotedPassword } from './quoted-password.ts';
import { chosen, drawn, type Rule } from './rule.ts';
import { findSaidPassword } from './said-password.ts';

/** How far after its name, within the sentence, a value may stand. */
const REACH = 72;
/** Words between a name and its value. */
const MOST_WORDS = 11;

const DEFINITION = /#\s{0,4}define\s{1,8}\w*$/;
const LONGEST_DEFINED = 80;
/**
 * Finds the value a sentence gives to a secret's name: "the password is …", "token … adalah …", "use the key … for".
 * After a verb or in quotes a password-like word is enough; elsewhere the value has to be visibly drawn.
 */
export function findInProse(window: TextWindow, name: SecretName): Finding | undefined {
  return findNear(window, name) ?? furtherOn(window, name);
}

function furtherOn(window: TextWindow, name: SecretName): Finding | undefined {
  const found = isOfPath(window, name) ? undefined : findFurtherOn(window, name);
  return found && { rule: PROSE, ...found };
}

function isOfPath(window: TextWindow, { start }: SecretName): boolean {
  const code = window.before(start - 1);
  return code === CODE.slash || (code === CODE.dot && !isInConfiguration(window, start));
}

function findNear(window: TextWindow, name: SecretName): Finding | undefined {
  // Only words may come between: a name inside a path, a call or a link gives nothing to what follows it.
  if (
    !isIn(window.at(name.end), BLANK | QUOTE) &&
    window.at(name.end) !== CODE.star &&
    window.at(name.end) !== CODE.closeParenthesis
  )
    return undefined;
  if (isOfPath(window, name)) return undefined;
  // What C defines is no sentence: a literal there is read as the value of the name.
  const left = window.left(name.start, LONGEST_DEFINED);
  if (left.includes('#') && DEFINITION.test(left)) return undefined;
  const said = findQuotedPassword(window, name) ?? findSaidPassword(window, name);
  if (said !== undefined) return { rule: PROSE, ...said };
  const stop = name.end + REACH;
  if (!holdsDrawn(window, name.end, stop, BARE_VALUE, SHORTEST_DRAWN[name.kind])) return undefined;
  let index = name.end;
  let verb = false;
  let named = false;
  const prepositions = name.kind === 'password' && NAMED_ELSEWHERE.test(window.slice(name.start, name.end));
  for (let words = 0; words < MOST_WORDS && index < stop; words++) {
    index = skipBetween(window, index, stop);
    if (index < 0 || index >= stop) return undefined;
    const start = index;
    const read = window.remembered(WORDS_READ).at(window, start);
    index = read.end;
    if (isForeignLetter(window.at(index))) {
      index = endOfForeignWord(window, start);
      if (index < 0) return undefined;
      verb = VERBS.has(window.slice(start, index).toLowerCase());
      continue;
    }
    if (index === start || (window.at(index) === CODE.star && isMarker(window, index))) return undefined;
    const { quoted, stop: end, word, folded } = read;
    if (
      read.namesAnotherThing ||
      read.assigns ||
      (words === 0 && isAspect(folded) && !isPast(window, index) && !isChange(window, folded, index))
    )
      return undefined;
    if (read.isNoun) {
      // The nearer word is an anchor of its own.
      if (name.kind !== 'vendor' || named) return undefined;
      named = true;
    }
    if (
      isSecretWord(
        window,
        read,
        named && name.kind === 'vendor' ? { ...name, kind: 'secret' } : name,
        verb,
        quoted && (verb || words === 0),
        words === 0,
      ) &&
      !isCalled(window, index, name.kind === 'weak' ? 2 : 0)
    )
      return withSuccessor(window, proseFinding(start, end), name, quoted);
    if (end < index && window.text.charAt(index - 1) !== ':' && /[.!?]/.test(window.text.charAt(end))) return undefined;
    verb =
      read.isVerb ||
      (prepositions && PREPOSITIONS.has(folded)) ||
      (verb && (word === 'the' || word === 'para' || SAID_ADVERBS.has(folded)));
  }
  return undefined;
}

/** `was changed from X to Y`: the value that took the place of the first. */
function withSuccessor(window: TextWindow, first: Finding, name: SecretName, quoted: boolean): Finding {
  const joint = SUCCESSOR.exec(window.peek(first.end, 16));
  if (joint === null) return first;
  const start = first.end + joint[0].length;
  const end = window.trim(start, window.run(start, BARE_WORD, LONGEST_JUDGED), '.,:;!?');
  const isSecret = end > start && isSecretWord(window, new Word(window.slice(start, end)), name, true, quoted, false);
  return isSecret ? { ...first, also: [{ start, end }] } : first;
}

const SUCCESSOR = /^["'`*]{0,3} (?:to|ke|into|menjadi|and|dan|with|by|dengan) ["'`*]{0,3}/;

/** A word as long as the limit goes on: its rest is swallowed. */
function proseFinding(start: number, end: number): Finding {
  const finding = { rule: PROSE, start, end };
  return end - start < LONGEST_WORD ? finding : { ...finding, open: BARE_VALUE };
}

/** Steps over blanks, emphasis, quotes, opening brackets and commas; -1 at the end of the line, of a cell or of code. */
function skipBetween(window: TextWindow, from: number, stop: number): number {
  let index = from;
  while (index < stop) {
    const code = window.at(index);
    if (code === CODE.star && isMarker(window, index)) return -1;
    if (
      code === CODE.space ||
      code === CODE.tab ||
      isIn(code, QUOTE) ||
      code === CODE.star ||
      code === CODE.openParenthesis ||
      code === CODE.closeParenthesis ||
      code === CODE.comma ||
      code === CODE.less ||
      code === CODE.greater ||
      code === CODE.emDash ||
      code === CODE.enDash ||
      opensElsewhere(code)
    )
      index++;
    else break;
  }
  const code = window.at(index);
  return isIn(code, LETTER) || isIn(code, BARE_VALUE) || isForeignLetter(code) ? index : -1;
}

/** `the password used to be …` */
function isPast(window: TextWindow, end: number): boolean {
  return window.matches(end, ' to be ');
}

/** `the password was reset to …` */
function isChange(window: TextWindow, word: string, end: number): boolean {
  return RESETS.has(word) && window.matches(end, ' to ');
}

/** Three stars and a capital: one of our markers, not emphasis. */
function isMarker(window: TextWindow, index: number): boolean {
  return window.at(index + 1) === CODE.star && window.at(index + 2) === CODE.star && isIn(window.at(index + 3), UPPER);
}

/** What `isSecretWord` checks of a word before anything else. */
const SHORTEST_DRAWN = { password: 6, secret: 6, weak: 14, vendor: 6, glued: 6 } as const;

/** "The key of the vault is `…`". */
function isKey(window: TextWindow, { end }: SecretName): boolean {
  return window.left(end, 3).toLowerCase() === 'key';
}

/** `Meja.Makan.Panjang`: without quotes, two words may be a name. */
const IN_THREES = /^[A-Za-z][a-z]+[-._/+&*][A-Za-z][a-z]+[-._/+&*][A-Za-z]/;

const PROSE_PASSWORD = { name: 'password', quoted: false, environment: false, prose: true } as const;

function isSecretWord(
  window: TextWindow,
  read: Word,
  name: SecretName,
  verb: boolean,
  quoted: boolean,
  next: boolean,
): boolean {
  const { word } = read;
  if (word.length < 6) return false;
  if (name.kind === 'vendor') return word.length >= 16 && read.isDrawn(window) && !/^[0-9a-f-]+$/i.test(word);
  if (read.isDrawn(window)) {
    const plain = /^(?:0x)?[0-9a-f-]+$/i.test(word);
    return plain ? name.kind !== 'weak' && word.length >= 24 : word.length >= (name.kind === 'password' ? 8 : 14);
  }
  if (next && name.kind === 'password' && looksChosen(word) && !word.startsWith('-'))
    return isSecretIn(window, word, PROSE_PASSWORD);
  if (!verb && !quoted) return false;
  if (name.kind === 'weak') return quoted && verb && isKey(window, name) && isTellingValue(window, word, true);
  if (name.kind === 'password' && IN_THREES.test(word) && verdict(window, 'made-up', word, isMadeUp)) return true;
  // `the shared secret is Otter-Lamp-42`
  if (name.kind === 'secret' && isTellingValue(window, word, quoted)) return true;
  return (
    /\d/.test(word) &&
    isSecretIn(window, word, {
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
const verifyNamedAfterwards: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  let from = end;
  while (from < end + 3 && (isIn(window.at(from), QUOTE) || window.at(from) === CODE.star)) from++;
  const index = window.run(from, BARE_WORD, LONGEST_WORD);
  if (index - from < 15 || (window.at(index) === CODE.star && isMarker(window, index))) return undefined;
  const stop = window.trim(from, index, '.,:;!?');
  if (stop - from < 15 || stop < index) return undefined;
  const value = window.slice(from, Math.min(stop, from + LONGEST_JUDGED));
  // Names of packages hold none of these: that is seen many times as fast.
  if (!/\d|[a-z][A-Z]|[A-Z]{2}/.test(value) || !isDrawnIn(window, value)) return undefined;
  return nounBehind(window, index) === undefined ? undefined : proseFinding(from, stop);
};

const PROSE: Rule = {
  name: 'prose',
  type: 'key',
  anchors: GIVING_VERBS.map((verb) => `${verb} `),
  beginsWord: true,
  verify: verifyNamedAfterwards,
  source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
  masks: [
    `the password is ${chosen}, keep it`,
    `kata sandinya adalah ${chosen}`,
    `Password reset to ${chosen}.`,
    `cambié la contraseña a ${chosen} ayer`,
    'the password of root is `Mesa/Redonda/8`',
    `store ${drawn} as the billing API key`,
  ],
  keeps: [
    'the password is expired',
    'the password is `System.String`',
    'the password policy is `Foo-Bar-Qux`',
    'the token is valid',
    'token refresh is due',
  ],
};

/** Secrets that a sentence names; the verifier of names calls `findInProse` itself. */
export const PROSE_RULES: readonly Rule[] = [PROSE, QUOTED_FIRST];
