import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { statsKeys } from '../stats-keys.ts';

/** Name of the session cookie. */
export const SESSION_COOKIE = 'lontar_session';
const SESSION_MS = 7 * 86_400_000;
/** Wrong tokens from one address before it has to wait. */
const FAILURES_ALLOWED = 10;
/** They are forgotten this long after the first of them. */
const FAILURES_WINDOW_MS = 10 * 60_000;
const COOKIE_PATTERN = /^[\w-]{43}$/;
const CODE_PATTERN = /^[\w-]{16,128}$/;

const judgeTokenScript = loadScript(new URL('./judge-token.lua', import.meta.url));

export interface Session {
  /** SHA-256 of the cookie; what Redis knows it by. */
  readonly digest: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

export type SignIn =
  | { readonly outcome: 'signed_in'; readonly cookie: string }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'wait'; readonly seconds: number };

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
export async function signInByToken({ redis, token }: SessionDeps, given: string, address: string): Promise<SignIn> {
  const right = sameSecret(given, token);
  const waitMs = await judgeToken(redis, address, right);
  if (waitMs > 0) return { outcome: 'wait', seconds: Math.ceil(waitMs / 1000) };
  return right ? openSession(redis, address) : { outcome: 'refused' };
}

/**
 * Signs the operator in with a one-time code; the code is gone afterwards, whoever came first. Wrong codes are not
 * counted: nobody guesses 192 random bits, and any web page can have the operator's browser open `/?code=x`.
 */
export async function signInByCode(redis: Redis, code: string, address: string): Promise<SignIn> {
  const known = CODE_PATTERN.test(code) && (await redis.getdel(statsKeys.signIn(sha256(code)))) !== null;
  return known ? openSession(redis, address) : { outcome: 'refused' };
}

/**
 * Finds the session of a request. A session is good only from the address that signed in: a stolen cookie opens
 * nothing elsewhere.
 *
 * @param cookies the request's Cookie header
 */
export async function findSession(redis: Redis, cookies: string, address: string): Promise<Session | undefined> {
  const cookie = readCookie(cookies, SESSION_COOKIE);
  if (cookie === undefined || !COOKIE_PATTERN.test(cookie)) return undefined;
  const digest = sha256(cookie);
  const expiresAt = await sessionEnd(redis, digest, address);
  return expiresAt === undefined ? undefined : { digest, expiresAt };
}

/** When a session ends, Unix ms; `undefined` when it has ended, was revoked, or belongs to another address. */
export async function sessionEnd(redis: Redis, digest: string, address: string): Promise<number | undefined> {
  const [owner, expiresAt] = (await redis.get(statsKeys.session(digest)))?.split(' ') ?? [];
  return owner === address && Number(expiresAt) > Date.now() ? Number(expiresAt) : undefined;
}

/** Ends a session at once, everywhere. */
export async function revokeSession(redis: Redis, session: Session): Promise<void> {
  await redis.del(statsKeys.session(session.digest));
}

/** The Set-Cookie header of a new session, or of its end (an empty value). */
export function sessionCookie(value: string, secure: boolean): string {
  const age = value === '' ? 0 : SESSION_MS / 1000;
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? '; Secure' : ''}`;
}

/** Counts a wrong token; how long the address has to wait, ms, whatever token it sent, or 0. */
async function judgeToken(redis: Redis, address: string, right: boolean): Promise<number> {
  const args = [right ? 'right' : 'wrong', FAILURES_ALLOWED, FAILURES_WINDOW_MS];
  return Number(await judgeTokenScript(redis, [statsKeys.signInFailures(address)], args));
}

async function openSession(redis: Redis, address: string): Promise<SignIn> {
  const cookie = randomBytes(32).toString('base64url');
  await redis.set(statsKeys.session(sha256(cookie)), `${address} ${Date.now() + SESSION_MS}`, 'PX', SESSION_MS);
  return { outcome: 'signed_in', cookie };
}

/** Compares digests, so that the time tells nothing of the token, not even its length. */
function sameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(wanted)));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key, value] = pair.trim().split('=');
    if (key === name) return value;
  }
  return undefined;
}
