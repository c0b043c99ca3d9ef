import { z } from 'zod';
import type { Actor } from '../keys/actor.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';

const noteScript = loadScript(new URL('./note-audit.lua', import.meta.url));

/** Everything that stands in the audit log, by name. */
export const AUDIT_ACTIONS = [
  'key.create',
  'key.update',
  'key.rotate',
  'key.revoke',
  'key.delete',
  'address.block',
  'address.unblock',
  'queue.pause',
  'queue.resume',
  'queue.drain',
  'session.end',
  'counter.reset',
  'admin-token.create',
  'admin-token.revoke',
  'backup.restore',
  // Refusals alone: these change nothing.
  'key.read',
  'usage.read',
  'address.read',
  'session.read',
  'audit.read',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** How long entries are kept, ms; as in script-includes/note-audit.lua. */
const KEPT_MS = 90 * 86_400_000;
/** Of one token's refusals for one action, one in this time is noted, ms: no token can push the rest out of the log. */
const REFUSALS_APART_MS = 3_600_000;
/** Entries that one look reads at most, those that a filter leaves out among them. */
const MOST_READ = 1_000;

const actorSchema = z.object({
  /** With an admin token, signed in to the dashboard, with the operator's command, or a service by itself. */
  by: z.enum(['token', 'session', 'cli', 'service']),
  /** The token's or the session's id; the user of the operator's command. */
  id: z.string(),
  /** What the token is called. */
  name: z.string().optional(),
  /** Address, or the machine's name. */
  from: z.string().optional(),
});

const headSchema = z.object({
  actor: actorSchema,
  action: z.string(),
  target: z.string(),
  outcome: z.enum(['done', 'begun', 'refused']),
});

const factsSchema = z.record(z.string(), z.unknown());

export const auditEntrySchema = z.object({
  /** Place in the log; later ones are greater. */
  id: z.string(),
  at: z.iso.datetime(),
  actor: actorSchema,
  action: z.string(),
  /** What it was done to: the id of a key, token or session, an address; empty where there is one of it. */
  target: z.string(),
  /** `begun`: it was about to be done, and what came of it is not known here. `refused`: the token may not do it. */
  outcome: headSchema.shape.outcome,
  before: factsSchema.nullable(),
  after: factsSchema.nullable(),
});

export type AuditEntry = Readonly<z.infer<typeof auditEntrySchema>>;

/** The head of an entry, for the script that makes the change. */
export function auditHead(
  actor: Actor,
  action: AuditAction,
  target: string,
  outcome: AuditEntry['outcome'] = 'done',
): string {
  return JSON.stringify({ actor, action, target, outcome });
}

/**
 * Notes what no script of ours does in one step: before it begins, so that nothing is done without its entry, and after
 * it where that entry may be gone.
 *
 * @throws when Redis fails; whether it was noted is then unknown, and it is not to be done
 */
export async function noteAction(
  redis: Redis,
  outcome: 'begun' | 'done',
  actor: Actor,
  action: AuditAction,
  target: string,
): Promise<void> {
  await noteScript(redis, [redisKeys.audit, redisKeys.audit], [auditHead(actor, action, target, outcome), '', 0]);
}

/**
 * Notes that a token was refused what its role may not; once an hour for each action.
 *
 * @throws when Redis fails; whether it was noted is then unknown
 */
export async function noteRefused(
  redis: Redis,
  actor: Actor,
  action: AuditAction,
  target: string,
  why: Readonly<Record<string, string>>,
): Promise<void> {
  const keys = [redisKeys.audit, redisKeys.adminRefused(actor.id, action)];
  await noteScript(redis, keys, [auditHead(actor, action, target, 'refused'), JSON.stringify(why), REFUSALS_APART_MS]);
}

/** Which entries are looked for. */
export interface AuditFilter {
  /** Only older ones than this entry. */
  readonly before?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** Id of who did it. */
  readonly by?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** `before` of the next page; absent at the end of the log. */
  readonly next?: string;
}

/** Form of an entry's id. */
export const AUDIT_ID_PATTERN = /^\d{1,16}-\d{1,16}$/;

/**
 * Reads the log from its newest end. A page may have fewer entries than asked for, and none at all, where a filter
 * leaves out very many; `next` then goes on.
 *
 * @param limit entries at most, up to 200
 * @throws when Redis fails
 */
export async function readAudit(redis: Redis, filter: AuditFilter, limit: number): Promise<AuditPage> {
  const [seconds] = await redis.time();
  const oldest = String(Number(seconds) * 1_000 - KEPT_MS);
  const { before, action, target, by } = filter;
  const isFiltered = (action ?? target ?? by) !== undefined;
  const count = isFiltered ? MOST_READ : limit + 1;
  const newest = before === undefined ? '+' : `(${before}`;
  const rows = await redis.xrevrange(redisKeys.audit, newest, oldest, 'COUNT', count);
  const entries: AuditEntry[] = [];
  for (const [index, [id, fields]] of rows.entries()) {
    if (entries.length === limit) return { entries, next: rows[index - 1]?.[0] ?? id };
    const entry = readAuditEntry(id, fields);
    if (entry !== undefined && fits(entry, filter)) entries.push(entry);
  }
  const last = rows.at(-1)?.[0];
  return rows.length === count && last !== undefined ? { entries, next: last } : { entries };
}

function fits({ action, target, actor }: AuditEntry, filter: AuditFilter): boolean {
  return (
    (filter.action === undefined || action === filter.action) &&
    (filter.target === undefined || target === filter.target) &&
    (filter.by === undefined || actor.id === filter.by)
  );
}

/**
 * An entry of its stream's fields; `undefined` for what is none, which only another program can have written. Never
 * throws.
 */
export function readAuditEntry(id: string, fields: readonly string[]): AuditEntry | undefined {
  const field = (name: string) => {
    const at = fields.indexOf(name);
    return at < 0 || at % 2 === 1 ? '' : (fields[at + 1] ?? '');
  };
  try {
    const facts = (text: string) => (text === '' ? null : factsSchema.parse(JSON.parse(text)));
    const head = headSchema.parse(JSON.parse(field('head')));
    const at = new Date(Number(id.split('-', 1)[0])).toISOString();
    return { id, at, ...head, before: facts(field('before')), after: facts(field('after')) };
  } catch {
    return undefined;
  }
}
