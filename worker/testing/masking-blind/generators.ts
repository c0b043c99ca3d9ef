import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';

/**
 * Values made from a seed, so that the repository holds no literal credential and a second seed gives a set that no rule
 * has been written for.
 */
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

const ALPHABETS: Record<string, string> = {
  an: UPPER + LOWER + DIGITS,
  al: UPPER + LOWER,
  lo: LOWER + DIGITS,
  lc: LOWER,
  up: UPPER + DIGITS,
  b32: `${UPPER}234567`,
  b58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  hex: `${DIGITS}abcdef`,
  HEX: `${DIGITS}ABCDEF`,
  num: DIGITS,
  url: `${UPPER}${LOWER}${DIGITS}-_`,
  b64: `${UPPER}${LOWER}${DIGITS}+/`,
};
const PEM_LINE = 64;

/** Makes a value: its kind, a length (characters; for `pem` lines), and for encodings what is encoded. */
type Make = (kind: string, length: number, argument: string) => string;

/** A maker of values; the same seed gives the same values in the same order. It throws on a kind it does not know. */
export function generator(seed: string): Make {
  const random = seededRandom(hashOf(seed));
  const pick = (alphabet: string) => alphabet[Math.floor(random() * alphabet.length)] ?? '';
  const run = (alphabet: string, length: number) => Array.from({ length }, () => pick(alphabet)).join('');
  const hex = (length: number) => run(ALPHABETS['hex'] ?? '', length);
  const b64 = (length: number) => run(ALPHABETS['b64'] ?? '', length);
  return (kind, length, argument) => {
    const alphabet = ALPHABETS[kind];
    if (alphabet !== undefined) return unlikeWords(alphabet, length, run, pick);
    switch (kind) {
      case 'pw':
        return run(UPPER, 1) + run(LOWER, 2) + run(DIGITS, 1) + run(ALPHABETS['an'] ?? '', Math.max(0, length - 4));
      case 'uuid':
        return `${hex(8)}-${hex(4)}-4${hex(3)}-${pick('89ab')}${hex(3)}-${hex(12)}`;
      case 'jwt':
        return [jsonPart({ alg: 'HS256', typ: 'JWT' }), jsonPart({ sub: hex(8), role: 'admin', iat: 1_750_000_000 })]
          .concat(run(ALPHABETS['url'] ?? '', 43))
          .join('.');
      case 'pem':
        return [...Array.from({ length }, () => b64(PEM_LINE)), `${b64(38)}==`].join('\n');
      case 'esc':
        return argument.replaceAll('\n', String.raw`\n`);
      case 'enc':
        return Buffer.from(argument).toString('base64');
      case 'encurl':
        return Buffer.from(argument).toString('base64url');
      case 'pct':
        return encodeURIComponent(argument);
      case 'chr':
        return String.fromCodePoint(Number.parseInt(argument, 16));
      default:
        throw new Error(`No generator is named ${kind}.`);
    }
  };
}

/** Letters and digits of which the first three are a letter, a digit and a letter, so that chance makes no word of them. */
function unlikeWords(
  alphabet: string,
  length: number,
  run: (alphabet: string, length: number) => string,
  pick: (alphabet: string) => string,
): string {
  const letters = alphabet.replaceAll(/[^A-Za-z]/g, '');
  const digits = alphabet.replaceAll(/\D/g, '');
  if (length < 8 || letters === '' || digits === '') return run(alphabet, length);
  return pick(letters) + pick(digits) + pick(letters) + run(alphabet, length - 3);
}

function jsonPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A number for a seed that is a text (FNV-1a). */
function hashOf(seed: string): number {
  let hash = 2_166_136_261;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return hash;
}
