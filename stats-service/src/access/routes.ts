import type { SessionState } from '@lontar/shared/dashboard-contract.ts';
import { readFilter } from '@lontar/shared/log-filter.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { z } from 'zod';
import { readBlockedAddresses } from '../counters/blocked-addresses.ts';
import { resetCounter } from '../counters/reset-counter.ts';
import { CURSOR_PATTERN, readLogDetail, readLogPage } from '../log/read-log.ts';
import { type Answer, type Asked, failure, type Route } from '../routes.ts';
import {
  findSession,
  revokeSession,
  type Session,
  type SignIn,
  sessionCookie,
  signInByCode,
  signInByToken,
} from './operator-session.ts';

export interface DashboardDeps {
  readonly redis: Redis;
  readonly token: string;
  /** `DASHBOARD_PUBLIC`. */
  readonly open: boolean;
  /** Told when a session is revoked. */
  readonly signedOut: (digest: string) => void;
  /** Told when a counter was changed by hand. */
  readonly changed: () => void;
}

const signInSchema = z.object({ token: z.string().max(1_000) });

/** The page's own API. Only the operator sees the log, the blocked addresses and the fleet. */
export function dashboardRoutes(deps: DashboardDeps): Route[] {
  return [
    { method: 'GET', path: '/dashboard/session', handle: (asked) => describeSession(deps, asked) },
    { method: 'POST', path: '/dashboard/session', handle: (asked) => signIn(deps, asked) },
    { method: 'POST', path: '/dashboard/sign-out', handle: (asked) => signOut(deps, asked) },
    {
      method: 'GET',
      path: '/dashboard/log',
      handle: forOperator(deps, async ({ query }) => {
        const before = query.get('before') ?? undefined;
        if (before !== undefined && !CURSOR_PATTERN.test(before)) return failure('invalid_parameter');
        return { status: 200, body: await readLogPage(deps.redis, readFilter(query), before) };
      }),
    },
    {
      method: 'GET',
      path: '/dashboard/log/:cursor',
      handle: forOperator(deps, async ({ params }) => {
        const cursor = params['cursor'] ?? '';
        const detail = CURSOR_PATTERN.test(cursor) ? await readLogDetail(deps.redis, cursor) : undefined;
        return detail ? { status: 200, body: detail } : failure('not_found', 'The log no longer holds this request.');
      }),
    },
    {
      method: 'GET',
      path: '/dashboard/blocked',
      handle: forOperator(deps, async () => ({
        status: 200,
        body: await readBlockedAddresses(deps.redis, Date.now()),
      })),
    },
    {
      method: 'POST',
      path: '/dashboard/reset',
      handle: forOperator(deps, async () => {
        await resetCounter(deps.redis, Date.now());
        deps.changed();
        return { status: 204 };
      }),
    },
  ];
}

/**
 * Redeems the one-time code of a sign-in link.
 *
 * @returns a redirect to the page without the code: signed in, or with a note that the link is used up
 */
export async function redeemLink(deps: DashboardDeps, asked: Asked, code: string): Promise<Answer> {
  const outcome = await signInByCode(deps.redis, code, asked.address);
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const body = 'See /\n';
  if (outcome.outcome !== 'signed_in') return { status: 303, headers: { ...headers, location: '/?link=used' }, body };
  const cookie = sessionCookie(outcome.cookie, asked.secure);
  return { status: 303, headers: { ...headers, location: '/', 'set-cookie': cookie }, body };
}

function forOperator(
  deps: DashboardDeps,
  handle: (asked: Asked, session: Session) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  return async (asked) => {
    const session = await findSession(deps.redis, asked.cookie, asked.address);
    return session ? handle(asked, session) : failure('invalid_api_key', 'Sign in to see this part of the dashboard.');
  };
}

async function describeSession(deps: DashboardDeps, asked: Asked): Promise<Answer> {
  const session = await findSession(deps.redis, asked.cookie, asked.address);
  const expiry = session ? { expiresAt: session.expiresAt } : {};
  return {
    status: 200,
    body: { signedIn: session !== undefined, public: deps.open, ...expiry } satisfies SessionState,
  };
}

async function signIn(deps: DashboardDeps, asked: Asked): Promise<Answer> {
  const given = signInSchema.safeParse(asked.body);
  if (!given.success) return failure('invalid_parameter', 'Send { "token": "…" }.');
  return answerSignIn(await signInByToken(deps, given.data.token, asked.address), asked);
}

function answerSignIn(outcome: SignIn, asked: Asked): Answer {
  if (outcome.outcome === 'signed_in') {
    return { status: 204, headers: { 'set-cookie': sessionCookie(outcome.cookie, asked.secure) } };
  }
  if (outcome.outcome === 'refused') return failure('invalid_api_key', 'This is not the dashboard token.');
  const retry = { 'retry-after': String(outcome.seconds) };
  return failure('too_many_requests', `Too many wrong tokens. Wait ${outcome.seconds} s.`, retry);
}

async function signOut(deps: DashboardDeps, asked: Asked): Promise<Answer> {
  const session = await findSession(deps.redis, asked.cookie, asked.address);
  if (session) {
    await revokeSession(deps.redis, session);
    deps.signedOut(session.digest);
  }
  return { status: 204, headers: { 'set-cookie': sessionCookie('', asked.secure) } };
}
