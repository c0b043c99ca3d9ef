import { z } from 'zod';
import { KEY_ORDERS, KEY_STATES } from '../keys/key-query.ts';
import { keyTermsSchema, newKeySchema } from '../keys/key-rules.ts';
import type { AdminError } from './admin-errors.ts';
import {
  banSchema,
  countersSchema,
  issuedKeySchema,
  keyPageSchema,
  keyViewSchema,
  modelsSchema,
  newBanSchema,
  queueSchema,
  rotationSchema,
  sessionSchema,
} from './admin-schemas.ts';
import type { AdminRole } from './admin-token.ts';
import { AUDIT_ACTIONS, AUDIT_ID_PATTERN, type AuditAction, auditEntrySchema } from './audit.ts';

/** One operation of the admin API. stats-service serves this table, and the gateway documents it. */
export interface AdminOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A part `:name` takes one segment. */
  readonly path: string;
  /** The least role that may. */
  readonly role: AdminRole;
  /** What a refusal for the role is noted as. */
  readonly action: AuditAction;
  readonly summary: string;
  readonly description?: string;
  /** Each as text, as it stands in the query; all are optional. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Where it says which state is to be changed: `required` or not. */
  readonly ifMatch?: 'required' | 'optional';
  /** Whether it takes an Idempotency-Key. */
  readonly idempotent?: true;
  readonly status: 200 | 201;
  readonly result: z.ZodType;
  /** Whether the answer has the ETag of the state that it shows. */
  readonly hasETag?: true;
  /** Whether a 400 may name every problem of a key's fields. */
  readonly tellsProblems?: true;
  /** Besides what every operation may be refused for. */
  readonly refusals: readonly AdminError[];
}

/** How often one token, and one address, may ask in a minute. */
export const MOST_ADMIN_REQUESTS = { token: 600, address: 1_200 } as const;
/** The longest body of a request, bytes. */
export const MOST_ADMIN_BODY_BYTES = 16_384;
/** Form of an Idempotency-Key. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;

const KEYS = '/admin/v1/keys';
const KEY = `${KEYS}/:id`;
const BANS = '/admin/v1/bans';
/** Entries of a page. */
const PAGE = z.string().regex(/^(?:[1-9]\d?|1\d\d|200)$/, 'must be a whole number from 1 to 200');
const ONE = ['not_found'] as const;
const CHANGE = ['not_found', 'conflict', 'changed'] as const;

const KEY_OPERATIONS = {
  listKeys: {
    method: 'GET',
    path: KEYS,
    role: 'support',
    action: 'key.read',
    summary: 'Keys, by time of creation unless sorted otherwise; found by name, owner, id or state',
    description:
      'A search finds the beginning of a name, of one of its words or of the owner, or an id. A page may be short, or empty, although `cursor` leads on: each looks at 1,000 keys at most.',
    query: z.object({
      search: z.string().max(200, 'must have 200 characters at most'),
      owner: z.string().max(100, 'must have 100 characters at most'),
      state: z.enum(KEY_STATES, `must be one of ${KEY_STATES.join(', ')}`),
      sort: z.enum(KEY_ORDERS, `must be one of ${KEY_ORDERS.join(', ')}`),
      descending: z.enum(['true', 'false'], 'must be true or false'),
      limit: PAGE,
      cursor: z.string().max(2_000, 'must be `cursor` of the page before'),
    }),
    tellsProblems: true,
    status: 200,
    result: keyPageSchema,
    refusals: [],
  },
  createKey: {
    method: 'POST',
    path: KEYS,
    role: 'support',
    action: 'key.create',
    summary: 'Make a key',
    description:
      'With an Idempotency-Key a repeat within 24 hours gives the same key again, and makes no other. The answer has the key itself, which is shown nowhere else.',
    body: newKeySchema,
    tellsProblems: true,
    idempotent: true,
    status: 201,
    result: issuedKeySchema,
    hasETag: true,
    refusals: ['conflict', 'reused'],
  },
  showKey: {
    method: 'GET',
    path: KEY,
    role: 'support',
    action: 'key.read',
    summary: 'One key: state, limits and use',
    status: 200,
    result: keyViewSchema,
    hasETag: true,
    refusals: ONE,
  },
  updateKey: {
    method: 'PATCH',
    path: KEY,
    role: 'support',
    action: 'key.update',
    summary: 'Change the name or limits of a key; what is not given stays, null takes a limit away',
    body: keyTermsSchema,
    tellsProblems: true,
    ifMatch: 'required',
    status: 200,
    result: keyViewSchema,
    hasETag: true,
    refusals: [...CHANGE, 'no_precondition'],
  },
  rotateKey: {
    method: 'POST',
    path: `${KEY}/rotate`,
    role: 'support',
    action: 'key.rotate',
    summary: 'Give a key a new secret under the same id',
    body: rotationSchema,
    ifMatch: 'optional',
    status: 200,
    result: issuedKeySchema,
    hasETag: true,
    refusals: CHANGE,
  },
  revokeKey: {
    method: 'POST',
    path: `${KEY}/revoke`,
    role: 'support',
    action: 'key.revoke',
    summary: 'End a key for good; its next request is refused',
    ifMatch: 'optional',
    status: 200,
    result: keyViewSchema,
    hasETag: true,
    refusals: ['not_found', 'changed'],
  },
  deleteKey: {
    method: 'DELETE',
    path: KEY,
    role: 'operator',
    action: 'key.delete',
    summary: 'Remove a key with all that is kept of it, its uploads too; what was counted of its use stays',
    ifMatch: 'optional',
    status: 200,
    result: z.object({ id: z.string(), deleted: z.literal(true) }),
    refusals: CHANGE,
  },
} as const satisfies Record<string, AdminOperation>;

const SERVICE_OPERATIONS = {
  showCounters: {
    method: 'GET',
    path: '/admin/v1/counters',
    role: 'viewer',
    action: 'usage.read',
    summary: 'What the service has answered: the results of /api/usage and /api/stats',
    status: 200,
    result: countersSchema,
    refusals: [],
  },
  listModels: {
    method: 'GET',
    path: '/admin/v1/models',
    role: 'viewer',
    action: 'usage.read',
    summary: 'Models, the workers that ask them, and what came of their calls since they started',
    status: 200,
    result: modelsSchema,
    refusals: [],
  },
  showQueue: {
    method: 'GET',
    path: '/admin/v1/queue',
    role: 'viewer',
    action: 'usage.read',
    summary: 'What waits and what is in work',
    status: 200,
    result: queueSchema,
    refusals: [],
  },
  pauseQueue: {
    method: 'POST',
    path: '/admin/v1/queue/pause',
    role: 'operator',
    action: 'queue.pause',
    summary: 'Let no worker start a job; what is in work goes on, and callers wait until their deadline',
    status: 200,
    result: queueSchema,
    refusals: [],
  },
  resumeQueue: {
    method: 'POST',
    path: '/admin/v1/queue/resume',
    role: 'operator',
    action: 'queue.resume',
    summary: 'Let workers start jobs again',
    status: 200,
    result: queueSchema,
    refusals: [],
  },
  listBans: {
    method: 'GET',
    path: BANS,
    role: 'support',
    action: 'address.read',
    summary: 'Addresses that are refused now, the longest first; 500 at most',
    status: 200,
    result: z.object({ bans: z.array(banSchema) }),
    refusals: [],
  },
  blockAddress: {
    method: 'POST',
    path: BANS,
    role: 'support',
    action: 'address.block',
    summary: 'Refuse an address from its next request on',
    body: newBanSchema,
    status: 201,
    result: banSchema,
    refusals: [],
  },
  liftBan: {
    method: 'DELETE',
    path: `${BANS}/:address`,
    role: 'support',
    action: 'address.unblock',
    summary: 'Lift every block of an address; its hourly limit cannot be lifted',
    description: 'Of an IPv6 network in a list the part before the slash.',
    status: 200,
    result: z.object({ address: z.string(), lifted: z.literal(true) }),
    refusals: ONE,
  },
  listSessions: {
    method: 'GET',
    path: '/admin/v1/sessions',
    role: 'operator',
    action: 'session.read',
    summary: 'Who is signed in to the dashboard, the last seen first',
    status: 200,
    result: z.object({ sessions: z.array(sessionSchema) }),
    refusals: [],
  },
  endSession: {
    method: 'DELETE',
    path: '/admin/v1/sessions/:id',
    role: 'operator',
    action: 'session.end',
    summary: 'Sign a session out',
    status: 200,
    result: z.object({ id: z.string(), ended: z.literal(true) }),
    refusals: ONE,
  },
  readAudit: {
    method: 'GET',
    path: '/admin/v1/audit',
    role: 'operator',
    action: 'audit.read',
    summary: 'Who changed what in the last 90 days, the newest first',
    description: 'A page may be short, or empty, although `next` leads on: each looks at 1,000 entries at most.',
    query: z.object({
      limit: PAGE,
      before: z.string().regex(AUDIT_ID_PATTERN, 'must be `next` of the page before'),
      action: z.enum(AUDIT_ACTIONS, 'must be an action of the log'),
      target: z.string().max(100, 'must have 100 characters at most'),
      by: z.string().max(100, 'must have 100 characters at most'),
    }),
    status: 200,
    result: z.object({ entries: z.array(auditEntrySchema), next: z.string().nullable() }),
    refusals: [],
  },
} as const satisfies Record<string, AdminOperation>;

export const ADMIN_OPERATIONS = { ...KEY_OPERATIONS, ...SERVICE_OPERATIONS } as const;
export type AdminOperationId = keyof typeof ADMIN_OPERATIONS;
