import { z } from 'zod';
import { type AdminOperation, PAGE } from './admin-operation.ts';
import { banSchema, countersSchema, newBanSchema, queueSchema, sessionSchema } from './admin-schemas.ts';
import { AUDIT_ACTIONS, AUDIT_ID_PATTERN, auditEntrySchema } from './audit.ts';
import { KEY_OPERATIONS, USAGE_OPERATIONS } from './key-operations.ts';
import { modelsSchema } from './models-schemas.ts';

/** How often one token, and one address, may ask in a minute. */
export const MOST_ADMIN_REQUESTS = { token: 600, address: 1_200 } as const;
/** The longest body of a request, bytes. */
export const MOST_ADMIN_BODY_BYTES = 16_384;
/** Form of an Idempotency-Key. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;

const BANS = '/admin/v1/bans';
const ONE = ['not_found'] as const;

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
    summary:
      'Models with their routes and what came of each lately, upstreams with their state, and the workers that ask them',
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

export const ADMIN_OPERATIONS = { ...KEY_OPERATIONS, ...USAGE_OPERATIONS, ...SERVICE_OPERATIONS } as const;
export type AdminOperationId = keyof typeof ADMIN_OPERATIONS;
