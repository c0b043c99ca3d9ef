/** Node's codes for a certificate that no known authority vouches for. */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there.',
  ENOENT: 'there is no such socket.',
  EACCES: 'this user may not open the socket.',
  ENOTFOUND: 'the host name is not known.',
  EAI_AGAIN: 'the host name is not known.',
  ECONNRESET: 'it closed the connection; over TLS it may ask for REDIS_CERT_FILE and REDIS_KEY_FILE.',
  EPIPE: 'it closed the connection; over TLS it may ask for REDIS_CERT_FILE and REDIS_KEY_FILE.',
  ETIMEDOUT: 'it does not answer in time.',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names than the address; add this one to it.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there; begin REDIS_URL with redis instead of rediss.',
};

const BY_MESSAGE: readonly [pattern: RegExp, words: string][] = [
  [/timed? ?out/i, 'it does not answer in time.'],
  [/WRONGPASS|invalid password|invalid username-password/i, 'the password or user name is wrong.'],
  [/NOAUTH|HELLO must be called/, 'it asks for a password, and the address has none.'],
  [/NOPERM/, 'its user may not do what Lontar needs: docs/operating.md lists the rights.'],
  [/LOADING/, 'it is still loading its data; try again in a moment.'],
  [
    /CROSSSLOT/,
    'it does not keep keys of one hash tag, {lontar}, in one slot; use a cluster that does, without a proxy that renames keys.',
  ],
  [/MOVED|CLUSTERDOWN/, 'it is a node of a cluster that has not all keys; begin REDIS_URL with redis+cluster.'],
  [
    /alert (certificate required|handshake failure|unknown ca|bad certificate)/i,
    'it refuses the client certificate, or misses one; set REDIS_CERT_FILE and REDIS_KEY_FILE.',
  ],
];

const NOTHING_THERE: ReadonlySet<string> = new Set('ECONNREFUSED ENOENT ENOTFOUND EAI_AGAIN ETIMEDOUT'.split(' '));

/** Whether nothing answered that could be Redis: it may have to be started, or be elsewhere. */
export function isNothingThere(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return NOTHING_THERE.has(code) || /timed? ?out|gives no answer/i.test(message);
}

/**
 * Why Redis cannot be used, in a sentence that says what to do where that is known; it begins with a small letter and
 * ends with a full stop.
 */
export function explainRedisFailure(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (UNKNOWN_AUTHORITY.has(code)) {
    return 'its certificate is not from an authority that is known here; set REDIS_CA_FILE to the one that made it.';
  }
  const known = BY_CODE[code] ?? BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  return known ?? (message.endsWith('.') ? message : `${message}.`);
}
