import { randomBytes } from 'node:crypto';
import { encodeBase62 } from './base62.ts';

const TOKEN_BYTES = 16;
const TOKEN_CHARACTERS = 22;

/** Form of a request id: `req_` and 22 base62 characters. */
export const REQUEST_ID_PATTERN = /^req_[0-9A-Za-z]{22}$/;

/**
 * A new request id from 128 random bits. It is the job's id, the correlation id of every log line, the
 * `X-Request-Id` header and `metadata.request_id`; a caller cannot guess another's.
 */
export function newRequestId(): string {
  return `req_${randomToken()}`;
}

/** 128 random bits as 22 base62 characters: they cannot be guessed. */
export function randomToken(): string {
  const value = BigInt(`0x${randomBytes(TOKEN_BYTES).toString('hex')}`);
  return encodeBase62(value, TOKEN_CHARACTERS);
}
