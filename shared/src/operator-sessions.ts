import { redisKeys } from './redis-keys.ts';

/** What stats-service and the operator's command both know of who is signed in to the dashboard. */

/** Sessions at most; beyond, the one that was not seen for the longest ends. */
export const MOST_SESSIONS = 100;
/** One-time codes at most; beyond, the oldest is good no more. */
export const MOST_SIGN_IN_CODES = 50;

/** How a session began: with `DASHBOARD_TOKEN`, or with the one-time code of a link. */
const SIGN_IN_WAYS = ['token', 'link'] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

export const operatorKeys = {
  /** Hash: sessions by the digest of their cookie, as blank-separated text; see `readSession`. */
  sessions: redisKeys.stats('sessions'),
  /** Sorted set: SHA-256 of one-time codes, by when they end, Unix ms. */
  signInCodes: redisKeys.stats('sign-in-codes'),
} as const;

export interface OperatorSession {
  /** Public: the beginning of the digest, by which the operator names it. */
  readonly id: string;
  /** Address that it is good from, in the form that limits are counted by. */
  readonly address: string;
  /** Unix ms, as all times here. */
  readonly signedInAt: number;
  /** Within a minute. */
  readonly seenAt: number;
  readonly expiresAt: number;
  readonly by: SignInWay;
}

const RECORD = /^(\S+) (\d{1,16}) (\d{1,16}) (\d{1,16}) (\w+)$/;

/** @returns `undefined` for a text that is no session's */
export function readSession(digest: string, text: string): OperatorSession | undefined {
  const [, address, signedInAt, seenAt, expiresAt, way] = RECORD.exec(text) ?? [];
  const by = SIGN_IN_WAYS.find((known) => known === way);
  if (address === undefined || by === undefined) return undefined;
  return {
    id: sessionId(digest),
    address,
    signedInAt: Number(signedInAt),
    seenAt: Number(seenAt),
    expiresAt: Number(expiresAt),
    by,
  };
}

/** What lists call a session. */
export function sessionId(digest: string): string {
  return digest.slice(0, 12);
}
