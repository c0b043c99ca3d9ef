import { CODE, isDigit, isIn, LOWER, lowerCase, UPPER } from './characters.ts';

/** Buckets of three letters that follow each other in a word, its ends included. */
export const LETTER_BUCKETS = 2_048;
/** Lower case, capital, digit, anything else, and nothing: four in a row. */
const CLASSES = 5;
export const CLASS_BUCKETS = CLASSES ** 4;
/** One more weight stands for every value. */
export const WEIGHTS = LETTER_BUCKETS + CLASS_BUCKETS + 1;
/** Characters that are looked at: a longer value is judged by its beginning. */
const MOST_JUDGED = 64;
const LETTERS = 27;

/** Calls `feature` with the number of each feature of `value`: a bucket of letters or of classes. */
export function eachFeature(value: string, feature: (index: number) => void): void {
  let [first, second] = [0, 0];
  let classes = CLASS_BUCKETS - 1;
  const length = Math.min(value.length, MOST_JUDGED);
  for (let index = 0; index <= length; index++) {
    const code = index < length ? value.charCodeAt(index) : -1;
    const letter = letterOf(code);
    // A capital after a lower-case letter begins a word of its own.
    const begins = letter > 0 && isIn(code, UPPER) && index > 0 && isIn(value.charCodeAt(index - 1), LOWER);
    if (begins) {
      if (second > 0) feature(bucketOf(first, second, 0));
      [first, second] = [0, 0];
    }
    if (letter > 0 || second > 0) feature(bucketOf(first, second, letter));
    [first, second] = [letter === 0 ? 0 : second, letter];
    classes = (classes * CLASSES + classOf(code)) % CLASS_BUCKETS;
    feature(LETTER_BUCKETS + classes);
  }
}

function letterOf(code: number): number {
  const lower = lowerCase(code);
  return isIn(lower, LOWER) ? lower - CODE.a + 1 : 0;
}

function bucketOf(first: number, second: number, third: number): number {
  const gram = (first * LETTERS + second) * LETTERS + third;
  return (Math.imul(gram, 0x9e3779b1) >>> 16) % LETTER_BUCKETS;
}

function classOf(code: number): number {
  if (code < 0) return 4;
  if (isIn(code, LOWER)) return 0;
  if (isIn(code, UPPER)) return 1;
  return isDigit(code) ? 2 : 3;
}
