import { z } from 'zod';
import { hashApiKey } from '../api-key.ts';
import type { Actor } from '../keys/actor.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { ADMIN_ROLES, type AdminRole, mintAdminToken } from './admin-token.ts';
import { auditHead } from './audit.ts';

const createScript = loadScript(new URL('./create-admin-token.lua', import.meta.url));
const revokeScript = loadScript(new URL('./revoke-admin-token.lua', import.meta.url));

/** Tokens at most; beyond, those that were revoked or expired first are forgotten. */
export const MOST_ADMIN_TOKENS = 200;

/** What is stored of an admin token, as JSON. The token itself is never stored. Times are Unix ms. */
export const adminTokenRecordSchema = z.object({
  /** HMAC of the whole token under `KEY_PEPPER`, as of API keys: who can write to Redis cannot make one. */
  hash: z.string(),
  name: z.string(),
  role: z.enum(ADMIN_ROLES),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  revokedAt: z.number().optional(),
});
export type AdminTokenRecord = Readonly<z.infer<typeof adminTokenRecordSchema>>;

/** An admin token as lists show it. */
export interface AdminToken extends Omit<AdminTokenRecord, 'hash'> {
  readonly id: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** Within a minute; absent where it never was. */
  readonly lastUsedAt?: number;
}

/** What the operator decides about one. */
export interface AdminTokenTerms {
  readonly name: string;
  readonly role: AdminRole;
  /** Unix ms; never where absent. */
  readonly expiresAt?: number;
}

/**
 * Makes an admin token.
 *
 * @param pepper `KEY_PEPPER`; stats-service must have the same
 * @returns with the token itself, which cannot be shown again; `full` where `MOST_ADMIN_TOKENS` are good
 * @throws when Redis fails; whether there is such a token is then unknown, and no person has it
 */
export async function createAdminToken(
  redis: Redis,
  pepper: string,
  terms: AdminTokenTerms,
  actor: Actor,
): Promise<{ readonly token: string; readonly record: AdminToken } | 'full'> {
  for (;;) {
    const { id, token } = mintAdminToken();
    const keys = [redisKeys.adminTokens, redisKeys.adminTokenUses, redisKeys.audit];
    const record = JSON.stringify({ hash: hashApiKey(token, pepper), ...terms });
    const head = auditHead(actor, 'admin-token.create', id);
    const made = String(await createScript(redis, keys, [id, record, MOST_ADMIN_TOKENS, head]));
    if (made === 'full') return made;
    // Another id: a taken one is all but impossible.
    if (made === 'taken') continue;
    const parsed = adminTokenRecordSchema.parse(JSON.parse(made));
    return { token, record: describe(id, parsed, parsed.createdAt) };
  }
}

/**
 * All admin tokens, those that have ended among them, the newest first; what is no record is left out.
 *
 * @throws when Redis fails
 */
export async function listAdminTokens(redis: Redis): Promise<AdminToken[]> {
  const [[seconds], all, uses] = await Promise.all([
    redis.time(),
    redis.hgetall(redisKeys.adminTokens),
    redis.hgetall(redisKeys.adminTokenUses),
  ]);
  return Object.entries(all)
    .flatMap(([id, text]) => {
      const record = readRecord(text);
      return record === undefined ? [] : [describe(id, record, Number(seconds) * 1_000, uses[id])];
    })
    .toSorted((one, two) => two.createdAt - one.createdAt);
}

/**
 * Ends an admin token: its next request is refused. Twice changes nothing.
 *
 * @returns false where there is no such token
 * @throws when Redis fails; whether the token has ended is then unknown
 */
export async function revokeAdminToken(redis: Redis, id: string, actor: Actor): Promise<boolean> {
  const keys = [redisKeys.adminTokens, redisKeys.audit];
  return (await revokeScript(redis, keys, [id, auditHead(actor, 'admin-token.revoke', id)])) !== null;
}

/** A record as it is stored; `undefined` for what is none. Never throws. */
function readRecord(text: string): AdminTokenRecord | undefined {
  try {
    return adminTokenRecordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function describe(id: string, record: AdminTokenRecord, now: number, lastUsed?: string): AdminToken {
  const { hash: _, ...shown } = record;
  const isOver = record.expiresAt !== undefined && record.expiresAt <= now;
  const state = record.revokedAt === undefined ? (isOver ? 'expired' : 'active') : 'revoked';
  return { id, ...shown, state, ...(lastUsed === undefined ? {} : { lastUsedAt: Number(lastUsed) }) };
}
