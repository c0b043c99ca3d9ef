import { isShuffled } from '../drawn-value.ts';
import type { Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { isMadeUp, isWordGiven } from '../made-up.ts';
import { isPlaceholder } from '../placeholder.ts';
import { mayBeWords } from '../plain-words.ts';
import { isDrawnIn, verdict } from '../verdicts.ts';
import { chosen, type Rule } from './rule.ts';

/** How far before it the literal begins that becomes an array of characters. */
const LONGEST_ARRAY = 128;
/** A store of keys is opened, or a key taken out of it. */
const OPENS_STORE =
  /\.(?:load|store|getkey|setkeyentry|init)\((?:[^"();\n]{0,16}|new \w{4,20}\([^()\n]{0,40}\), ?|[\w.]{1,20}\([^()\n]{0,40}\), ?)$/i;
/** Of one word: what holds blanks has been shown before a stream reaches this. */
const ENDS_LITERAL = /(?:^|[\s(,=:])"([^"\\\s]{6,64})$/;

/** What digits and letters are looked up in. */
const ALPHABET = /^[\da-f]+$|0123|abcd|3456/i;

/** Verifies at Java's `"…".toCharArray()`: passwords are given as arrays of characters, to be wiped. */
const verifyCharacters: Verify = (window, start) => {
  const left = window.left(start, LONGEST_ARRAY);
  const value = ENDS_LITERAL.exec(left)?.[1];
  if (value === undefined || isPlaceholder(value) || ALPHABET.test(value)) return undefined;
  const isSecret =
    isDrawnIn(window, value) ||
    isThoughtUpIn(window, value) ||
    verdict(window, 'made-up', value, isMadeUp) ||
    (OPENS_STORE.test(left.slice(0, -value.length - 1)) &&
      (verdict(window, 'word at place', value, isWordGiven) || verdict(window, 'may be words', value, mayBeWords)));
  if (!isSecret && !isShuffled(value)) return undefined;
  // What stands before a bracket, a comma or a letter that ASCII has not, a stream has shown by now: the rest is masked.
  const from = Math.max(start - value.length, window.unbrokenBefore(start));
  return from < start ? { start: from, end: start } : undefined;
};

export const CHARACTERS: Rule = {
  name: 'character-array',
  type: 'key',
  anchors: ['".tochararray()'],
  verify: verifyCharacters,
  source: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/security/KeyStore.html',
  masks: [`char[] given = "${chosen}".toCharArray();`, 'ks.store(out, "gerobakdorong".toCharArray());'],
  keeps: ['"0123456789ABCDEF".toCharArray()', '"hello".toCharArray()', '"abcdefghij".toCharArray()'],
};
