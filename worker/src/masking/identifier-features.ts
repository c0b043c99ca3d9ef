import { ASCII, CODE, isDigit, isIn, LOWER, lowerCase, UPPER } from './characters.ts';

/** Buckets of three letters that follow each other in a word, its ends included. */
export const LETTER_BUCKETS = 2_048;
/** Lower case, capital, digit, anything else, and nothing: four in a row. */
export const CLASSES = 5;
export const CLASS_BUCKETS = CLASSES ** 4;
/** One more weight stands for every value. */
export const WEIGHTS = LETTER_BUCKETS + CLASS_BUCKETS + 1;
/** Characters that are looked at: a longer value is judged by its beginning. */
export const MOST_JUDGED = 64;
const LETTERS = 27;

/** The numbers of the features of the value that was asked for last. */
export const features = new Uint16Array(3 * (MOST_JUDGED + 1));

/** By code unit of ASCII: the letter, 1 to 26, or 0; and the class. */
const LETTER_OF = Uint8Array.from({ length: ASCII }, (_, code) =>
  isIn(lowerCase(code), LOWER) ? lowerCase(code) - CODE.a + 1 : 0,
);
const [LOWER_CASE, CAPITAL, NUMBER, OTHER, NOTHING] = [0, 1, 2, 3, 4] as const;
const CLASS_OF = Uint8Array.from({ length: ASCII }, (_, code) =>
  isIn(code, LOWER) ? LOWER_CASE : isIn(code, UPPER) ? CAPITAL : isDigit(code) ? NUMBER : OTHER,
);

/** Writes the number of each feature of `value`, a bucket of letters or of classes, to `features`; gives how many there are. */
export function readFeatures(value: string): number {
  let count = 0;
  let first = 0;
  let second = 0;
  let classes = CLASS_BUCKETS - 1;
  let before: number = NOTHING;
  const length = Math.min(value.length, MOST_JUDGED);
  for (let index = 0; index <= length; index++) {
    const code = index < length ? value.charCodeAt(index) : -1;
    const isAscii = code >= 0 && code < ASCII;
    const letter = isAscii ? (LETTER_OF[code] ?? 0) : 0;
    const kind = isAscii ? (CLASS_OF[code] ?? OTHER) : code < 0 ? NOTHING : OTHER;
    // A capital after a lower-case letter begins a word of its own.
    if (kind === CAPITAL && before === LOWER_CASE) {
      if (second > 0) features[count++] = bucketOf(first, second, 0);
      first = 0;
      second = 0;
    }
    if (letter > 0 || second > 0) features[count++] = bucketOf(first, second, letter);
    first = letter === 0 ? 0 : second;
    second = letter;
    before = kind;
    classes = (classes * CLASSES + kind) % CLASS_BUCKETS;
    features[count++] = LETTER_BUCKETS + classes;
  }
  return count;
}

export function bucketOf(first: number, second: number, third: number): number {
  const gram = (first * LETTERS + second) * LETTERS + third;
  return (Math.imul(gram, 0x9e3779b1) >>> 16) % LETTER_BUCKETS;
}
