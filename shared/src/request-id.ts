import { randomFillSync } from 'node:crypto';
import { BASE62 } from './base62.ts';

const TOKEN_CHARACTERS = 22;
/** Six bits choose a character; the two values that stand for none are passed over, so that all are equally likely. */
const SIX_BITS = 0x3f;
/** Random bytes are got in pieces, because each call costs as much as a hundred characters. */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Form of a request id: `req_` and 22 base62 characters. */
export const REQUEST_ID_PATTERN = /^req_[0-9A-Za-z]{22}$/;

/**
 * A new request id from 130 random bits. It is the job's id, the correlation id of every log line, the
 * `X-Request-Id` header and `metadata.request_id`; a caller cannot guess another's.
 */
export function newRequestId(): string {
  return `req_${randomToken()}`;
}

/** 22 random base62 characters, 130 bits: they cannot be guessed. */
export function randomToken(): string {
  let token = '';
  while (token.length < TOKEN_CHARACTERS) token += BASE62[randomByte() & SIX_BITS] ?? '';
  return token;
}

function randomByte(): number {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  // What has been given out is not kept.
  pool[used++] = 0;
  return byte;
}
