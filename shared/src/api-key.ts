import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, encodeBase62 } from './base62.ts';

const PREFIX = 'lt_live_';
/** What every key begins with. */
export const API_KEY_PREFIX = PREFIX;
const ID_CHARACTERS = 10;
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/** How long every key is. */
export const API_KEY_CHARACTERS = PREFIX.length + ID_CHARACTERS + '_'.length + SECRET_CHARACTERS + CHECKSUM_CHARACTERS;
/** Of these the characters of a derived key are taken: three times as many as it needs. */
const DERIVED_BYTES = 128;
const FORM = /^lt_live_([0-9A-Za-z]{10})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** Form of the public part of a key: 10 base62 characters. */
export const KEY_ID_PATTERN = /^[0-9A-Za-z]{10}$/;

/** A key as it is given to its owner, once. */
export interface MintedKey {
  readonly id: string;
  readonly key: string;
}

/**
 * Makes a new API key, `lt_live_<id>_<secret><checksum>`, from a cryptographically secure random source.
 *
 * @param id the public part; given when a key is rotated and keeps its id
 */
export function mintApiKey(id: string = randomBase62(ID_CHARACTERS)): MintedKey {
  const body = `${PREFIX}${id}_${randomBase62(SECRET_CHARACTERS)}`;
  return { id, key: body + checksum(body) };
}

/**
 * The key that a seed stands for under a pepper: always the same, and without the pepper not to be guessed.
 *
 * @param seed any text, such as what names the request that makes the key
 */
export function deriveApiKey(seed: string, pepper: string): MintedKey {
  const bytes = Buffer.from(hkdfSync('sha256', pepper, '', Buffer.from(`lontar api key\n${seed}`), DERIVED_BYTES));
  // Bytes beyond a multiple of 62 are left out, so that each character is as likely as any other.
  const digits = [...bytes]
    .filter((byte) => byte < 4 * BASE62.length)
    .map((byte) => BASE62.charAt(byte % BASE62.length));
  const id = digits.slice(0, ID_CHARACTERS).join('');
  const body = `${PREFIX}${id}_${digits.slice(ID_CHARACTERS, ID_CHARACTERS + SECRET_CHARACTERS).join('')}`;
  return { id, key: body + checksum(body) };
}

/**
 * Reads the public part out of a key.
 *
 * @returns the id, or `undefined` when the text is not a key: wrong form, or a checksum that does not fit (a typing
 *   error), so that such a key is refused without a look-up
 */
export function readKeyId(key: string): string | undefined {
  const match = FORM.exec(key);
  if (!match) return undefined;
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  return key.endsWith(checksum(body)) ? match[1] : undefined;
}

/**
 * What is stored of a key: HMAC-SHA-256 of the whole key under the pepper, in base64url. Without the pepper a stolen
 * database cannot be searched for keys, and with it nothing can be turned back.
 */
export function hashApiKey(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('base64url');
}

/** Six base62 characters that tell a typing error in what stands before them. */
export function checksum(body: string): string {
  return encodeBase62(crc32(body), CHECKSUM_CHARACTERS);
}

/** From a cryptographically secure random source. */
export function randomBase62(characters: number): string {
  return Array.from({ length: characters }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}
