import { z } from 'zod';
import { UPLOAD_KINDS } from './gateway-metrics.ts';
import { MASK_TYPES } from './settlement/settlement.ts';

/**
 * Answers of the utility endpoints. stats-service gives them, the gateway passes them on and documents them, and the
 * end-to-end client holds every answer against that document.
 */

const tally = z.int().nonnegative();
const state = z.enum(['ok', 'degraded', 'down']);
export type HealthState = z.infer<typeof state>;
const part = z.object({ status: state, reason: z.string().optional() });

/** A count for each name of a closed set. */
function talliesOf<Name extends string>(names: readonly Name[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, tally])) as Record<Name, typeof tally>);
}

/** `GET /api/check-limit` while uploads are left. */
export const uploadLimitSchema = z.object({
  used: tally,
  remaining: z.int().positive(),
  limit: tally,
  reset: z.int().meta({ description: 'The next UTC midnight, Unix seconds.', examples: [1769904000] }),
});

/** Its 429, when none is left. */
export const uploadLimitReachedSchema = z.object({
  message: z.string(),
  used: tally,
  remaining: z.literal(0),
  limit: tally,
});

const usageCountsSchema = z.object({
  requests: tally,
  successes: tally,
  client_errors: tally,
  server_errors: tally,
  masked: tally.meta({ description: 'Answers in which something was masked.' }),
  unique_ips: tally,
  unique_users: tally,
});
export type UsageCounts = z.infer<typeof usageCountsSchema>;

/** `result` of `GET /api/usage`; everything in it counts generation requests. */
export const usageSchema = z.object({
  timezone: z.literal('UTC'),
  today: usageCountsSchema,
  total: usageCountsSchema,
  days: z.array(usageCountsSchema.extend({ date: z.iso.date() })).meta({
    description: 'The last 30 UTC days, oldest first; the last is today.',
  }),
  endpoints: z.record(z.string(), tally).meta({ description: 'Counts by path.' }),
  statuses: z.record(z.string(), tally).meta({ description: 'Counts by HTTP status.' }),
});
export type Usage = z.infer<typeof usageSchema>;

/** `result` of `GET /api/stats`; `total_requests` is the `total.requests` of `/api/usage`. */
export const serviceStatsSchema = z.object({
  total_files: tally,
  total_storage_bytes: tally,
  uploads_by_kind: talliesOf(UPLOAD_KINDS),
  total_requests: tally,
  total_users: tally,
  keys_by_state: z.object({ active: tally, expired: tally, revoked: tally }),
  masked_by_type: talliesOf(MASK_TYPES),
});
export type ServiceStats = z.infer<typeof serviceStatsSchema>;

/** `GET /api/health`. */
export const healthSchema = z.object({
  status: state,
  version: z.string(),
  uptime_seconds: tally,
  timestamp: z.iso.datetime(),
  redis: part.extend({ write_ms: z.number().optional().meta({ description: 'Of a bounded write, ms.' }) }),
  queue: part.extend({
    waiting: tally.optional(),
    active: tally.optional(),
    delayed: tally.optional(),
    paused: z.boolean().optional(),
    oldest_waiting_age_ms: tally.optional(),
  }),
  gateways: part.extend({ instances: tally }),
  workers: part.extend({
    instances: tally,
    failing: tally,
    slots: tally,
    free_slots: tally,
    last_progress: z.iso.datetime().optional(),
  }),
  model: part.extend({
    provider: z.string().optional(),
    last_outcome: z.enum(['none', 'ok', 'failed']),
    at: z.iso.datetime().optional(),
  }),
  models: z
    .record(z.string(), z.object({ status: state, routes: tally, up: tally }))
    .meta({ description: 'Of each model its routes, and how many of them are not known to be down.' }),
  stats: part.extend({ lag_ms: tally.optional() }),
  endpoints: z.record(z.string(), state),
});
export type Health = z.infer<typeof healthSchema>;

/** The same without numbers, for services that keep theirs to themselves. */
export const briefHealthSchema = healthSchema.pick({ status: true, version: true, timestamp: true, endpoints: true });
