import { UPLOAD_KINDS } from '@lontar/shared/metrics.ts';
import { MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import { z } from 'zod';

/**
 * Answers of the utility endpoints as callers see them. stats-service gives them; that they have this form is held by
 * the end-to-end client, which checks every answer.
 */

const tally = z.int().nonnegative();
const state = z.enum(['ok', 'degraded', 'down']);
const part = z.object({ status: state, reason: z.string().optional() });

export const uploadLimitSchema = z.object({
  used: tally,
  remaining: z.int().positive(),
  limit: tally,
  reset: z.int().meta({ description: 'The next UTC midnight, Unix seconds.', examples: [1769904000] }),
});

export const uploadLimitReachedSchema = z.object({
  message: z.string(),
  used: tally,
  remaining: z.literal(0),
  limit: tally,
});

const usageCounts = {
  requests: tally,
  successes: tally,
  client_errors: tally,
  server_errors: tally,
  masked: tally.meta({ description: 'Answers in which something was masked.' }),
  unique_ips: tally,
  unique_users: tally,
};

export const usageSchema = z.object({
  timezone: z.literal('UTC'),
  today: z.object(usageCounts),
  total: z.object(usageCounts),
  days: z.array(z.object({ ...usageCounts, date: z.iso.date() })).meta({
    description: 'The last 30 UTC days, oldest first; the last is today.',
  }),
  endpoints: z.record(z.string(), tally).meta({ description: 'Counts by path.' }),
  statuses: z.record(z.string(), tally).meta({ description: 'Counts by HTTP status.' }),
});

export const serviceStatsSchema = z.object({
  total_files: tally,
  total_storage_bytes: tally,
  uploads_by_kind: z.object(Object.fromEntries(UPLOAD_KINDS.map((kind) => [kind, tally]))),
  total_requests: tally,
  total_users: tally,
  keys_by_state: z.object({ active: tally, expired: tally, revoked: tally }),
  masked_by_type: z.object(Object.fromEntries(MASK_TYPES.map((type) => [type, tally]))),
});

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
  stats: part.extend({ lag_ms: tally.optional() }),
  endpoints: z.record(z.string(), state),
});
