import { z } from 'zod';
import { KEY_ORDERS, KEY_STATES } from '../keys/key-query.ts';
import { keyTermsSchema, newKeySchema } from '../keys/key-rules.ts';
import { type AdminOperation, PAGE } from './admin-operation.ts';
import {
  issuedKeySchema,
  keyPageSchema,
  keyViewSchema,
  rotationSchema,
  usagePageSchema,
  usedKeySchema,
} from './admin-schemas.ts';

const KEYS = '/admin/v1/keys';
const KEY = `${KEYS}/:id`;
const ONE = ['not_found'] as const;
const CHANGE = ['not_found', 'conflict', 'changed'] as const;
const USE = z.enum(['true', 'false'], 'must be true or false');
const USAGE_QUERY = z.object({
  key: z.string().regex(/^(?:[0-9A-Za-z]{10}|all|none|others)$/, 'must be the id of a key, or all, none or others'),
  owner: z.string().max(100, 'must have 100 characters at most'),
  from: z.string().max(10, 'must be a day such as 2026-01-31'),
  to: z.string().max(10, 'must be a day such as 2026-01-31'),
  cursor: z.string().max(2_000, 'must be that of the page before'),
});

/** What is done to keys. */
export const KEY_OPERATIONS = {
  listKeys: {
    method: 'GET',
    path: KEYS,
    role: 'support',
    action: 'key.read',
    summary: 'Keys, by time of creation unless sorted otherwise; found by name, owner, id or state',
    description:
      'A search finds the beginning of a name, of one of its words or of the owner, or an id. A page may be short, or empty, although `cursor` leads on: each looks at 1,000 keys at most. With `use=true` each key has what it used today and in the last 30 days, and how much of its limits.',
    query: z.object({
      search: z.string().max(200, 'must have 200 characters at most'),
      owner: z.string().max(100, 'must have 100 characters at most'),
      state: z.enum(KEY_STATES, `must be one of ${KEY_STATES.join(', ')}`),
      sort: z.enum(KEY_ORDERS, `must be one of ${KEY_ORDERS.join(', ')}`),
      descending: z.enum(['true', 'false'], 'must be true or false'),
      limit: PAGE,
      cursor: z.string().max(2_000, 'must be `cursor` of the page before'),
      use: USE,
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
    query: z.object({ use: USE }),
    status: 200,
    result: usedKeySchema,
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

/** What keys have used. */
export const USAGE_OPERATIONS = {
  listUsage: {
    method: 'GET',
    path: '/admin/v1/usage',
    role: 'support',
    action: 'usage.read',
    summary: 'What keys have used, by key, UTC day and model, in the last 400 days',
    description:
      'Of one `key` (its id, one that was deleted too; `all` of the service, `none` without a key), of the keys of an `owner`, or of all keys by pages of 200; their sum is what the service has counted. The last 30 days unless `from` and `to` say otherwise.',
    query: USAGE_QUERY,
    status: 200,
    result: usagePageSchema,
    refusals: [],
  },
  downloadUsage: {
    method: 'GET',
    path: '/admin/v1/usage.csv',
    role: 'support',
    action: 'usage.read',
    summary: 'The same as CSV; X-Next-Cursor leads on to the next page, and pages put together are one table',
    query: USAGE_QUERY,
    status: 200,
    media: 'text/csv',
    result: z.string(),
    refusals: [],
  },
} as const satisfies Record<string, AdminOperation>;
