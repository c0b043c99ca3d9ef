import { unblockAddress } from '@lontar/shared/admin/address-blocks.ts';
import { readKeyId } from '@lontar/shared/api-key.ts';
import type { SessionState } from '@lontar/shared/dashboard-contract.ts';
import { failure, type HttpAnswer } from '@lontar/shared/http/envelope.ts';
import { readFilter } from '@lontar/shared/log-filter.ts';
import { sessionId } from '@lontar/shared/operator-sessions.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { z } from 'zod';
import type { Asked } from '../asked.ts';
import { readBlockedAddresses } from '../counters/blocked-addresses.ts';
import { resetCounter } from '../counters/reset-counter.ts';
import { CURSOR_PATTERN, readLogDetail, readLogPage } from '../log/read-log.ts';
import {
  checkToken,
  findSession,
  type HasToWait,
  revokeSession,
  type Session,
  sessionCookie,
  signInByCode,
  signInByToken,
} from './operator-session.ts';
import { type createSignInPlaces, MOST_SIGN_INS_PER_ADDRESS } from './sign-in-places.ts';

export interface DashboardDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly token: string;
  /** `DASHBOARD_PUBLIC`. */
  readonly open: boolean;
  /** Called when a session is revoked. */
  readonly signedOut: (digest: string) => void;
  /** Called when a counter was changed by hand. */
  readonly changed: () => void;
}

const FOR_OPERATOR =
  'This is for the operator alone: sign in to the dashboard, or send Authorization: Bearer with the dashboard token.';

const signInSchema = z.object({ token: z.string().max(1_000) });

/** A page of the log, by the filters of the query. @throws when Redis fails, as all below */
export async function readLog(redis: Redis, { query }: Asked): Promise<HttpAnswer> {
  const before = query.get('before') ?? undefined;
  if (before !== undefined && !CURSOR_PATTERN.test(before)) return failure('invalid_parameter');
  return { status: 200, body: await readLogPage(redis, readFilter(query), before) };
}

/**
 * One row of the log with its texts.
 *
 * @throws when Redis fails
 */
export async function readDetail(redis: Redis, { params }: Asked): Promise<HttpAnswer> {
  const cursor = params['cursor'] ?? '';
  const detail = CURSOR_PATTERN.test(cursor) ? await readLogDetail(redis, cursor) : undefined;
  return detail ? { status: 200, body: detail } : failure('not_found', 'The log no longer holds this request.');
}

/**
 * The addresses that are blocked now.
 *
 * @throws when Redis fails
 */
export async function listBlocked({ redis, clock }: DashboardDeps): Promise<HttpAnswer> {
  return { status: 200, body: await readBlockedAddresses(redis, clock.now()) };
}

const unblockSchema = z.object({ address: z.string().max(100) });

/**
 * Lifts the block of an address, as `lontar ips unblock` does.
 *
 * @throws when Redis fails; whether the block is lifted is then unknown
 */
export async function liftBlock(deps: DashboardDeps, { body, address }: Asked, session: Session): Promise<HttpAnswer> {
  const given = unblockSchema.safeParse(body);
  if (!given.success) return failure('invalid_parameter', 'Send { "address": "…" }.');
  const actor = { by: 'session', id: sessionId(session.digest), from: address } as const;
  const lifted = await unblockAddress(deps.redis, given.data.address, actor);
  deps.changed();
  return lifted ? { status: 204 } : failure('not_found', 'This address has no block that can be lifted.');
}

/**
 * Starts the counter of requests anew.
 *
 * @throws when Redis fails; whether the counter was reset is then unknown
 */
export async function resetRequests(deps: DashboardDeps, { address }: Asked, session: Session): Promise<HttpAnswer> {
  await resetCounter(deps.redis, { by: 'session', id: sessionId(session.digest), from: address });
  deps.changed();
  return { status: 204 };
}

/**
 * Redeems the one-time code of a sign-in link.
 *
 * @returns a redirect to the page without the code: signed in, or with a note that the link is used up
 */
export async function redeemLink(deps: DashboardDeps, asked: Asked, code: string): Promise<HttpAnswer> {
  const outcome = await signInByCode(deps, code, asked.address);
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const body = 'See /\n';
  if (outcome.outcome !== 'signed_in') return { status: 303, headers: { ...headers, location: '/?link=used' }, body };
  const cookie = sessionCookie(outcome.cookie, asked.secure);
  return { status: 303, headers: { ...headers, location: '/', 'set-cookie': cookie }, body };
}

/**
 * What all clients but the operator get at paths that are the operator's alone; nothing for the operator, who has a
 * session or shows the token.
 */
export async function refuseOthers(deps: DashboardDeps, asked: Asked): Promise<HttpAnswer | undefined> {
  if (await findSession(deps, asked.cookie, asked.address)) return undefined;
  const refused = failure('invalid_api_key', FOR_OPERATOR);
  // An API key is no try to guess the token.
  if (asked.bearer === '' || readKeyId(asked.bearer) !== undefined) return refused;
  const judged = await checkToken(deps, asked.bearer, asked.address);
  if (judged === 'right') return undefined;
  return judged.outcome === 'wait' ? tooManyTries(judged) : refused;
}

/** Only the operator sees the log, the blocked addresses and the fleet. */
export function forOperator(
  deps: DashboardDeps,
  handle: (asked: Asked, session: Session) => Promise<HttpAnswer>,
): (asked: Asked) => Promise<HttpAnswer> {
  return async (asked) => {
    const session = await findSession(deps, asked.cookie, asked.address);
    return session ? handle(asked, session) : failure('invalid_api_key', 'Sign in to see this part of the dashboard.');
  };
}

export async function describeSession(deps: DashboardDeps, asked: Asked): Promise<HttpAnswer> {
  const session = await findSession(deps, asked.cookie, asked.address);
  const expiry = session ? { expiresAt: session.expiresAt } : {};
  return {
    status: 200,
    body: { signedIn: session !== undefined, public: deps.open, ...expiry } satisfies SessionState,
  };
}

export async function signIn(
  deps: DashboardDeps,
  places: ReturnType<typeof createSignInPlaces>,
  asked: Asked,
): Promise<HttpAnswer> {
  const given = signInSchema.safeParse(asked.body);
  if (!given.success) return failure('invalid_parameter', 'Send { "token": "…" }.');
  const { address, secure } = asked;
  const outcome = await places(address, () => signInByToken(deps, given.data.token, address));
  if (outcome === undefined) return tooManyTries({ outcome: 'wait', seconds: 1, limit: MOST_SIGN_INS_PER_ADDRESS });
  if (outcome.outcome === 'wait') return tooManyTries(outcome);
  if (outcome.outcome === 'refused') return failure('invalid_api_key', 'This is not the dashboard token.');
  return { status: 204, headers: { 'set-cookie': sessionCookie(outcome.cookie, secure) } };
}

function tooManyTries({ seconds, limit }: HasToWait): HttpAnswer {
  const message = `Too many tries to sign in. Wait ${seconds} s, or take a link: "lontar dashboard" prints one.`;
  const { status, headers, body } = failure('too_many_requests', message, { 'retry-after': String(seconds) });
  return { status, headers: { ...headers }, body: { ...(body as object), used: limit, remaining: 0, limit } };
}

/**
 * Ends the session that the request names, and takes its cookie back.
 *
 * @throws when Redis fails; whether the session has ended is then unknown
 */
export async function signOut(deps: DashboardDeps, asked: Asked): Promise<HttpAnswer> {
  const session = await findSession(deps, asked.cookie, asked.address);
  if (session) {
    await revokeSession(deps.redis, session);
    deps.signedOut(session.digest);
  }
  return { status: 204, headers: { 'set-cookie': sessionCookie('', asked.secure) } };
}
