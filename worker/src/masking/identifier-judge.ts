import { ASCII, CODE, isDigit, isIn, LETTER, LOWER, lowerCase, UNDERSCORE } from './characters.ts';
import { bucketOf, CLASS_BUCKETS, CLASSES, LETTER_BUCKETS, MOST_JUDGED, WEIGHTS } from './identifier-features.ts';
import { IDENTIFIER_WEIGHTS, WEIGHT_SCALE } from './identifier-weights.ts';

/**
 * Logarithm of odds below which a value is an identifier. On packages it was not fitted on 95 % of identifiers with digits
 * or capitals score lower, and 0.4 % of drawn values.
 */
const IDENTIFIER = -2 * WEIGHT_SCALE;

const weights = new Int8Array(Buffer.from(IDENTIFIER_WEIGHTS, 'base64'));
const FOR_ALL = weights[WEIGHTS - 1] ?? 0;

/**
 * The same features as `readFeatures` writes down, with their weights looked up by bits instead: a letter has five of
 * them and a class three, so nothing is hashed or divided for a value.
 */
const LETTER_BITS = 5;
const CLASS_BITS = 3;
const TWO_LETTERS = (1 << (2 * LETTER_BITS)) - 1;
const FOUR_CLASSES = (1 << (4 * CLASS_BITS)) - 1;
const [LOWER_CASE, CAPITAL, NUMBER, OTHER, NOTHING] = [0, 1, 2, 3, 4] as const;

/** The weight of three letters, 0 where there are none. */
const WEIGHT_OF_LETTERS = Int8Array.from({ length: 1 << (3 * LETTER_BITS) }, (_, letters) => {
  const [first, second, third] = [letters >> (2 * LETTER_BITS), (letters >> LETTER_BITS) & 31, letters & 31];
  return letters === 0 ? 0 : (weights[bucketOf(first, second, third)] ?? 0);
});

/** The weight of four classes. */
const WEIGHT_OF_CLASSES = Int8Array.from({ length: FOUR_CLASSES + 1 }, (_, classes) => {
  let bucket = 0;
  for (let back = 3; back >= 0; back--)
    bucket = (bucket * CLASSES + ((classes >> (back * CLASS_BITS)) & 7)) % CLASS_BUCKETS;
  return weights[LETTER_BUCKETS + bucket] ?? 0;
});

/** What else a value of secrets is made of speaks for itself: it is no character of an identifier. */
const NEVER = 1 << 15;
const ALSO_INSIDE = './+-';

/** By code unit of ASCII: the class, then the letter, 1 to 26 or 0; or NEVER. */
const READ_AS = Uint16Array.from({ length: ASCII }, (_, code) => {
  const isPart = isIn(code, LETTER | UNDERSCORE) || isDigit(code) || code === CODE.dollar;
  if (!isPart && !ALSO_INSIDE.includes(String.fromCharCode(code))) return NEVER;
  if (isIn(code, LETTER))
    return ((isIn(code, LOWER) ? LOWER_CASE : CAPITAL) << LETTER_BITS) | (lowerCase(code) - CODE.a + 1);
  return (isDigit(code) ? NUMBER : OTHER) << LETTER_BITS;
});

/** True for `resolveAwsSdkSigV4Config`, `glUniformMatrix2x3dv`, `OpAMD64VPADDQMasked512`: words and their abbreviations. */
export function readsAsIdentifier(value: string): boolean {
  const opening = value.charCodeAt(0);
  if (!isIn(opening, LETTER | UNDERSCORE) && opening !== CODE.dollar) return false;
  let score = FOR_ALL;
  let letters = 0;
  let classes = FOUR_CLASSES & 0o4444;
  let before: number = NOTHING;
  const length = Math.min(value.length, MOST_JUDGED);
  for (let index = 0; index < length; index++) {
    const read = READ_AS[value.charCodeAt(index)] ?? NEVER;
    if (read === NEVER) return false;
    const kind = read >> LETTER_BITS;
    // A capital after a lower-case letter begins a word of its own.
    if (kind === CAPITAL && before === LOWER_CASE) {
      score += WEIGHT_OF_LETTERS[letters << LETTER_BITS] ?? 0;
      letters = 0;
    }
    const letter = read & 31;
    letters = (letters << LETTER_BITS) | letter;
    score += WEIGHT_OF_LETTERS[letters] ?? 0;
    letters = letter === 0 ? 0 : letters & TWO_LETTERS;
    classes = ((classes << CLASS_BITS) | kind) & FOUR_CLASSES;
    score += WEIGHT_OF_CLASSES[classes] ?? 0;
    before = kind;
  }
  for (let index = length; index < value.length; index++)
    if ((READ_AS[value.charCodeAt(index)] ?? NEVER) === NEVER) return false;
  score += WEIGHT_OF_LETTERS[letters << LETTER_BITS] ?? 0;
  score += WEIGHT_OF_CLASSES[((classes << CLASS_BITS) | NOTHING) & FOUR_CLASSES] ?? 0;
  return score < IDENTIFIER;
}
