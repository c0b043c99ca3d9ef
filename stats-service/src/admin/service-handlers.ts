import { limitAddress } from '@lontar/shared/address.ts';
import {
  type BlockedAddress,
  blockAddress,
  listBlockedAddresses,
  unblockAddress,
} from '@lontar/shared/admin/address-blocks.ts';
import { adminFailure } from '@lontar/shared/admin/admin-errors.ts';
import type { newBanSchema } from '@lontar/shared/admin/admin-schemas.ts';
import { readAudit } from '@lontar/shared/admin/audit.ts';
import { holdQueue } from '@lontar/shared/admin/hold-queue.ts';
import { endSessions, listSessions } from '@lontar/shared/admin/session-list.ts';
import { waitForAppendOnlyFile } from '@lontar/shared/append-only.ts';
import { type HttpAnswer, success, successBody } from '@lontar/shared/http/envelope.ts';
import type { z } from 'zod';
import { readServiceStats } from '../endpoints/service-stats.ts';
import { readUsage as readCounters } from '../endpoints/usage.ts';
import type { AdminCall, AdminDeps } from './admin-call.ts';

/** Addresses that a list shows at most. */
const MOST_BANS = 500;
const USUAL_ENTRIES = 50;

/** Form of a session's id. */
const SESSION_ID_PATTERN = /^[0-9a-f]{12}$/;

/*
 * Handlers of everything but keys, usage and models. Each rejects when Redis fails; whether a change was made is then unknown, and it can be
 * asked for again.
 */

/** @throws when Redis fails */
export async function tellCounters({ redis, clock }: AdminDeps): Promise<HttpAnswer> {
  const now = clock.now();
  const [usage, stats] = await Promise.all([readCounters(redis, now), readServiceStats(redis)]);
  return success({ usage, stats });
}

/** @throws when Redis fails */
export async function tellQueue({ queue }: Pick<AdminDeps, 'queue'>): Promise<HttpAnswer> {
  const state = await queue.state();
  return success({ ...state, oldestWaitingAgeMs: Math.round(state.oldestWaitingAgeMs) });
}

/** @throws when Redis fails */
export function holdOrRelease(what: 'pause' | 'resume') {
  return async (deps: AdminDeps, { actor }: AdminCall): Promise<HttpAnswer> => {
    await deps.changes.run((redis) => holdQueue(redis, what, actor));
    return tellQueue(deps);
  };
}

/** @throws when Redis fails */
export async function tellBans({ redis }: AdminDeps): Promise<HttpAnswer> {
  return success({ bans: (await listBlockedAddresses(redis, MOST_BANS)).map(viewBan) });
}

/** @throws when Redis fails */
export async function addBan(
  { changes, clock }: AdminDeps,
  { actor, body }: AdminCall<z.output<typeof newBanSchema>>,
): Promise<HttpAnswer> {
  const address = limitAddress(body.address.replace(/\/56$/, ''));
  if (address === 'unknown') {
    return adminFailure('invalid', 'address must be an address, such as 203.0.113.9 or 2001:db8::1');
  }
  const forMs = (body.seconds ?? 0) * 1_000;
  await changes.run(async (redis) => {
    await blockAddress(redis, address, forMs, actor);
    await waitForAppendOnlyFile(redis);
  });
  const until = forMs === 0 ? null : clock.now() + forMs;
  return { status: 201, body: successBody(201, viewBan({ address, reason: 'operator', until })) };
}

/** @throws when Redis fails */
export async function liftBan({ changes }: AdminDeps, { actor, params }: AdminCall): Promise<HttpAnswer> {
  const address = limitAddress(params['address'] ?? '');
  const isLifted = await changes.run(async (redis) => {
    const lifted = address !== 'unknown' && (await unblockAddress(redis, address, actor));
    if (lifted) await waitForAppendOnlyFile(redis);
    return lifted;
  });
  if (isLifted) return success({ address, lifted: true });
  return adminFailure('not_found', 'This address has no block. Its hourly limit cannot be lifted.');
}

function viewBan({ address, reason, until }: BlockedAddress) {
  return { address, reason, until: until === null ? null : new Date(until).toISOString() };
}

/** @throws when Redis fails */
export async function tellSessions({ redis }: AdminDeps): Promise<HttpAnswer> {
  const iso = (at: number) => new Date(at).toISOString();
  const sessions = (await listSessions(redis)).map(({ id, address, by, signedInAt, seenAt, expiresAt }) => ({
    id,
    address,
    by,
    signedInAt: iso(signedInAt),
    lastSeenAt: iso(seenAt),
    expiresAt: iso(expiresAt),
  }));
  return success({ sessions });
}

/** @throws when Redis fails */
export async function endSession({ changes }: AdminDeps, { actor, params }: AdminCall): Promise<HttpAnswer> {
  const id = params['id'] ?? '';
  const ended = SESSION_ID_PATTERN.test(id)
    ? await changes.run(async (redis) => {
        const count = await endSessions(redis, actor, id);
        if (count > 0) await waitForAppendOnlyFile(redis);
        return count;
      })
    : 0;
  return ended > 0 ? success({ id, ended: true }) : adminFailure('not_found', 'There is no such session.');
}

/** @throws when Redis fails */
export async function tellAudit({ redis }: AdminDeps, { query }: AdminCall): Promise<HttpAnswer> {
  const { limit, ...filter } = query;
  const { entries, next = null } = await readAudit(redis, filter, limit === undefined ? USUAL_ENTRIES : Number(limit));
  return success({ entries, next });
}
