import { BASE64, BASE64URL, CODE, COLON, DOT, isIn, LONGEST_RUN, TILDE } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { isDrawnIn, isSecretIn } from '../verdicts.ts';
import { drawn, login, type Rule } from './rule.ts';

/** Verifies at `Basic `: the base64 of `user:password` (RFC 7617). */
const verifyBasic: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), BASE64URL)) return undefined;
  const stop = window.run(end, BASE64);
  if (stop - end < 6 || stop - end > 1024) return undefined;
  const value = window.slice(end, stop);
  const login = Buffer.from(value, 'base64').toString('latin1');
  const isLogin = login.includes(':') && /^[\x20-\x7e\x80-\xff]*$/.test(login);
  if (!isLogin && !(BEHIND_HEADER.test(window.left(start, LONGEST_HEADER)) && isDrawnIn(window, value)))
    return undefined;
  return { start: end, end: stop };
};

/** `Authorization "Basic …"`: whatever the base64 holds. */
const BEHIND_HEADER = /authorization["']?(?: ?[:=,] ?| )(?:["'`]|&quot;)?$/i;
const LONGEST_HEADER = 32;

const BEARER = BASE64URL | BASE64 | DOT | TILDE | COLON;

/** Verifies at `Bearer `: the token that follows (RFC 6750). */
const verifyBearer: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), BASE64URL)) return undefined;
  const run = window.run(end, BEARER);
  if (window.slice(run - 3, run) === '...' || window.at(run) === CODE.ellipsis) return undefined;
  const stop = window.trim(end, run, '.:');
  const token = window.slice(end, Math.min(stop, end + 300));
  const secret =
    isDrawnIn(window, token) ||
    (token.length >= 16 &&
      isSecretIn(window, token, { name: 'secret', quoted: true, environment: false, prose: false }));
  if (!secret) return undefined;
  return run - end >= LONGEST_RUN ? { start: end, end: run, open: BEARER } : { start: end, end: stop };
};

/** Credentials after the scheme of an `Authorization` header, in a header or not. */
export const HEADER_RULES: readonly Rule[] = [
  {
    name: 'basic-credentials',
    type: 'key',
    anchors: ['basic '],
    verify: verifyBasic,
    source: 'https://www.rfc-editor.org/rfc/rfc7617',
    masks: [`Proxy: Basic ${Buffer.from(login('budi').slice(0, -1)).toString('base64')}`],
    keeps: ['Basic authentication is old.'],
  },
  {
    name: 'bearer-token',
    type: 'key',
    anchors: ['bearer '],
    verify: verifyBearer,
    source: 'https://www.rfc-editor.org/rfc/rfc6750',
    masks: [`-H "x: Bearer ${drawn}"`],
    keeps: ['Bearer <token>', 'Bearer YOUR_TOKEN', 'bearer of news'],
  },
];
