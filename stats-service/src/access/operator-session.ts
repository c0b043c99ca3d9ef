import { createHash, createHmac, randomBytes } from 'node:crypto';
import { MOST_SESSIONS, operatorKeys, type SignInWay } from '@lontar/shared/operator-sessions.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { sameSecret } from '@lontar/shared/same-secret.ts';
import { statsKeys } from '../stats-keys.ts';

/** Name of the session cookie. */
const SESSION_COOKIE = 'lontar_session';
const SESSION_MS = 7 * 86_400_000;
/** When a session was last seen is kept to the minute, ms. */
const SEEN_EVERY_MS = 60_000;
/** Wrong tokens from one address before it has to wait. */
const FAILURES_ALLOWED = 10;
/** Sign-ins from one address before it has to wait, right ones too. */
const TRIES_ALLOWED = 60;
/** Both are forgotten this long after the first of them. */
const ADDRESS_WINDOW_MS = 10 * 60_000;
/** Sign-ins of all addresses before all have to wait; a link signs in all the same. */
const ALL_TRIES_ALLOWED = 120;
const ALL_WINDOW_MS = 60_000;
const COOKIE_PATTERN = /^[\w-]{43}$/;
const CODE_PATTERN = /^[\w-]{16,128}$/;

const judgeTokenScript = loadScript(new URL('./judge-token.lua', import.meta.url));
const openSessionScript = loadScript(new URL('./open-session.lua', import.meta.url));
const findSessionScript = loadScript(new URL('./find-session.lua', import.meta.url));
const redeemCodeScript = loadScript(new URL('./redeem-code.lua', import.meta.url));

export interface Session {
  /** Of the cookie, under the token; what Redis knows it by. */
  readonly digest: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** The address has made too many tries, or too many are being made. */
export interface HasToWait {
  readonly outcome: 'wait';
  readonly seconds: number;
  /** So many were allowed. */
  readonly limit: number;
}

export type SignIn =
  | { readonly outcome: 'signed_in'; readonly cookie: string }
  | { readonly outcome: 'refused' }
  | HasToWait;

export interface SessionDeps {
  readonly redis: Redis;
  /** `DASHBOARD_TOKEN`. */
  readonly token: string;
}

/**
 * Signs the operator in with the token.
 *
 * @returns the value of the session's cookie. Redis knows only its digest, so a stolen database opens no dashboard
 */
export async function signInByToken(deps: SessionDeps, given: string, address: string): Promise<SignIn> {
  const judged = await judgeToken(deps, given, address, 'sign-in');
  return judged === 'right' ? openSession(deps, address, 'token') : judged;
}

/**
 * Signs the operator in with a one-time code; the code is gone afterwards, whichever client came first. Wrong codes are
 * not counted: 192 random bits cannot be guessed, and any web page can have the operator's browser open `/?code=x`.
 *
 * @throws when Redis fails; the code may be used up then
 */
export async function signInByCode(deps: SessionDeps, code: string, address: string): Promise<SignIn> {
  if (!CODE_PATTERN.test(code)) return { outcome: 'refused' };
  const digest = createHash('sha256').update(code).digest('hex');
  const isGood = (await redeemCodeScript(deps.redis, [operatorKeys.signInCodes], [digest])) === 1;
  return isGood ? openSession(deps, address, 'link') : { outcome: 'refused' };
}

/**
 * Judges a token that comes with a request instead of a session. Wrong ones count as those of sign-ins do.
 *
 * @returns whether it is the operator's
 */
export async function checkToken(
  deps: SessionDeps,
  given: string,
  address: string,
): Promise<'right' | { readonly outcome: 'refused' } | HasToWait> {
  return judgeToken(deps, given, address, 'check');
}

/**
 * Finds the session of a request. A session is good only from the address that signed in: a stolen cookie opens
 * nothing elsewhere.
 *
 * @param cookies the request's Cookie header
 * @throws when Redis fails
 */
export async function findSession(deps: SessionDeps, cookies: string, address: string): Promise<Session | undefined> {
  const cookie = readCookie(cookies, SESSION_COOKIE);
  if (cookie === undefined || !COOKIE_PATTERN.test(cookie)) return undefined;
  const digest = digestOf(cookie, deps.token);
  const expiresAt = await sessionEnd(deps.redis, digest, address);
  return expiresAt === undefined ? undefined : { digest, expiresAt };
}

/**
 * When a session ends, Unix ms; `undefined` when it has ended, was revoked, or belongs to another address.
 *
 * @throws when Redis fails
 */
export async function sessionEnd(redis: Redis, digest: string, address: string): Promise<number | undefined> {
  const ends = await findSessionScript(redis, [operatorKeys.sessions], [digest, address, SEEN_EVERY_MS]);
  return ends === null ? undefined : Number(ends);
}

/**
 * Ends a session at once, everywhere.
 *
 * @throws when Redis fails; whether the session has ended is then unknown
 */
export async function revokeSession(redis: Redis, session: Session): Promise<void> {
  await redis.hdel(operatorKeys.sessions, session.digest);
}

/** The Set-Cookie header of a new session, or of its end (an empty value). */
export function sessionCookie(value: string, secure: boolean): string {
  const age = value === '' ? 0 : SESSION_MS / 1000;
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? '; Secure' : ''}`;
}

async function judgeToken(
  { redis, token }: SessionDeps,
  given: string,
  address: string,
  kind: 'sign-in' | 'check',
): Promise<'right' | { readonly outcome: 'refused' } | HasToWait> {
  const right = sameSecret(given, token);
  const limits = [FAILURES_ALLOWED, TRIES_ALLOWED, ADDRESS_WINDOW_MS, ALL_TRIES_ALLOWED, ALL_WINDOW_MS];
  const keys = [statsKeys.signInFailures(address), statsKeys.signInTries(address), statsKeys.signInTriesOfAll];
  const judged = await judgeTokenScript(redis, keys, [right ? 'right' : 'wrong', kind, ...limits]);
  const [waitMs, limit = 0] = judged as [number, number?];
  if (waitMs > 0) return { outcome: 'wait', seconds: Math.ceil(waitMs / 1000), limit };
  return right ? 'right' : { outcome: 'refused' };
}

async function openSession({ redis, token }: SessionDeps, address: string, way: SignInWay): Promise<SignIn> {
  const cookie = randomBytes(32).toString('base64url');
  const digest = digestOf(cookie, token);
  await openSessionScript(redis, [operatorKeys.sessions], [digest, address, way, SESSION_MS, MOST_SESSIONS]);
  return { outcome: 'signed_in', cookie };
}

/**
 * What Redis knows a cookie by. The token is the key of it, so that no cookie is good any more once the token is
 * another one; and as the cookie is no less secret, an attacker cannot try tokens against what Redis holds.
 */
function digestOf(cookie: string, token: string): string {
  return createHmac('sha256', token).update(cookie).digest('hex');
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key, value] = pair.trim().split('=');
    if (key === name) return value;
  }
  return undefined;
}
