import { type AdminReason, adminFailure } from '@lontar/shared/admin/admin-errors.ts';
import { MOST_ADMIN_REQUESTS } from '@lontar/shared/admin/admin-operations.ts';
import { ADMIN_ROLES, type AdminRole, readAdminTokenId } from '@lontar/shared/admin/admin-token.ts';
import { hashApiKey, readKeyId } from '@lontar/shared/api-key.ts';
import type { HttpAnswer } from '@lontar/shared/http/envelope.ts';
import type { Actor } from '@lontar/shared/keys/actor.ts';
import { sessionId } from '@lontar/shared/operator-sessions.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { z } from 'zod';
import { findSession } from '../access/operator-session.ts';
import type { Asked } from '../asked.ts';

/** Bad tokens from one address within ten minutes that ban it for an hour. */
export const BAD_TOKENS_ALLOWED = 20;
const BAD_WINDOW_MS = 10 * 60_000;
const BAN_MS = 3_600_000;
/** When a token was last used is kept to the minute, ms. */
const USED_EVERY_MS = 60_000;

const judgeScript = loadScript(new URL('./judge-admin-token.lua', import.meta.url));
const grantSchema = z.object({ name: z.string(), role: z.enum(ADMIN_ROLES) });

/** Who asks, and what they may do. */
export interface Operator {
  readonly actor: Actor;
  readonly role: AdminRole;
}

export interface IdentifyDeps {
  readonly redis: Redis;
  /** `KEY_PEPPER` */
  readonly pepper: string;
  /** `DASHBOARD_TOKEN` */
  readonly token: string;
  /** Called when an address is banned for its guesses. */
  readonly onBan: (address: string) => void;
}

const HOW =
  'Send Authorization: Bearer with an admin token ("lontar admin-tokens create" makes one), or sign in to the dashboard.';
const AN_API_KEY =
  'This is an API key, which is for callers under /api and /v1. The admin API takes an admin token: lontar admin-tokens create --name NAME --role viewer';

/**
 * Finds out who asks: by an admin token, else by the session of an operator who is signed in.
 *
 * @returns who, or the refusal
 * @throws when Redis fails
 */
export async function identifyOperator(deps: IdentifyDeps, asked: Asked): Promise<Operator | HttpAnswer> {
  if (asked.bearer !== '') return byToken(deps, asked);
  const session = await findSession(deps, asked.cookie, asked.address);
  const judged = await judge(deps, asked.address, ['nothing', '', '']);
  if (judged.outcome === 'limited') return tooMany(judged);
  if (session === undefined) return unauthorized(HOW);
  const actor = { by: 'session', id: sessionId(session.digest), from: asked.address } as const;
  return { actor, role: 'operator' };
}

async function byToken(deps: IdentifyDeps, { bearer, address }: Asked): Promise<Operator | HttpAnswer> {
  // An API key is no guess at a token.
  const isApiKey = readKeyId(bearer) !== undefined;
  const id = readAdminTokenId(bearer);
  const judged = await judge(
    deps,
    address,
    isApiKey
      ? ['nothing', '', '']
      : id === undefined
        ? ['none', '', '']
        : ['token', id, hashApiKey(bearer, deps.pepper)],
  );
  switch (judged.outcome) {
    case 'good': {
      const { name, role } = grantSchema.parse(JSON.parse(judged.record));
      return { actor: { by: 'token', id: id ?? '', name, from: address }, role };
    }
    case 'limited': {
      return tooMany(judged);
    }
    case 'banned': {
      if (judged.isNew) deps.onBan(address);
      return adminFailure(
        'banned',
        `Too many bad admin tokens came from this address. It may try again in ${judged.seconds} s; a good token passes.`,
      );
    }
    case 'revoked': {
      return unauthorized('This admin token is revoked.', 'token_revoked');
    }
    case 'expired': {
      return unauthorized('This admin token has expired.', 'token_expired');
    }
    default: {
      if (isApiKey) return unauthorized(AN_API_KEY, 'api_key');
      return unauthorized(`This admin token does not exist. ${HOW}`);
    }
  }
}

type Judged =
  | { readonly outcome: 'good'; readonly record: string }
  | { readonly outcome: 'limited'; readonly seconds: number; readonly most: number; readonly whose: string }
  | { readonly outcome: 'banned'; readonly seconds: number; readonly isNew: boolean }
  | { readonly outcome: 'revoked' | 'expired' | 'unknown' | 'nothing' };

async function judge(
  { redis }: IdentifyDeps,
  address: string,
  given: readonly [string, string, string],
): Promise<Judged> {
  const { adminTokens, adminTokenUses, adminBadTokens, adminBan, adminRequests } = redisKeys;
  const ofToken = adminRequests(given[1] || 'nobody');
  const keys = [
    adminTokens,
    adminTokenUses,
    adminBadTokens(address),
    adminBan(address),
    adminRequests(address),
    ofToken,
  ];
  const bounds = [BAD_TOKENS_ALLOWED, BAD_WINDOW_MS, BAN_MS, MOST_ADMIN_REQUESTS.address, MOST_ADMIN_REQUESTS.token];
  const reply = (await judgeScript(redis, keys, [...given, ...bounds, USED_EVERY_MS])) as [string, ...unknown[]];
  const [outcome, first, second, third] = reply;
  const seconds = Math.ceil(Number(first) / 1_000);
  if (outcome === 'good') return { outcome, record: String(first) };
  if (outcome === 'limited') return { outcome, seconds, most: Number(second), whose: String(third) };
  if (outcome === 'banned') return { outcome, seconds, isNew: second === 1 };
  return { outcome: outcome as 'revoked' | 'expired' | 'unknown' | 'nothing' };
}

function unauthorized(message: string, reason: AdminReason = 'unauthorized'): HttpAnswer {
  return adminFailure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer realm="admin"' }, reason });
}

function tooMany({ seconds, most, whose }: Extract<Judged, { outcome: 'limited' }>): HttpAnswer {
  const message = `This ${whose} may make ${most} requests to the admin API in a minute. Wait ${seconds} s.`;
  const facts = { used: most, remaining: 0, limit: most };
  return adminFailure('limited', message, { headers: { 'retry-after': String(seconds) }, facts });
}
