import { z } from 'zod';
import { KEY_ID_PATTERN } from '../api-key.ts';
import type { KeyView } from '../keys/key-view.ts';
import { MASK_TYPES } from '../settlement/settlement.ts';
import { USAGE_COUNTS, type UsageCount } from '../usage/usage-counts.ts';
import { serviceStatsSchema, usageSchema } from '../utility-answers.ts';

/** Forms of what the admin API is sent and answers with; the service and the API document have them from here. */

const tally = z.int().nonnegative();
const time = z.iso.datetime();
const TIME = '2026-01-31T08:15:30.123Z';
const KEY_ID = 'A1b2C3d4E5';

export const keyViewSchema = z.object({
  id: z.string().regex(KEY_ID_PATTERN),
  name: z.string(),
  owner: z.string().nullable(),
  note: z.string().nullable(),
  version: z.int().positive().meta({ description: 'Raised by each change; the ETag is this in quotes.' }),
  state: z.enum(['active', 'expired', 'revoked']),
  createdAt: time,
  lastUsedAt: time.nullable().meta({ description: 'To the minute.' }),
  revokedAt: time.nullable(),
  expiresAt: time.nullable(),
  perHour: tally.nullable(),
  perDay: tally.nullable(),
  credits: tally.nullable(),
  charged: z.int().meta({ description: 'Credits used, requests in flight included.' }),
  concurrency: tally,
  models: z.array(z.string()).nullable(),
  addresses: z.array(z.string()).nullable(),
  maxOutputTokens: tally.nullable(),
  storage: tally.meta({ description: 'Bytes that its uploads may take.' }),
  stored: tally.meta({ description: 'Bytes that they take.' }),
  mask: z.array(z.enum(MASK_TYPES)),
  keepOwn: z.boolean(),
  addressLimit: z.boolean(),
  onDisconnect: z.enum(['abort', 'finish']),
  oldKeyUntil: time.nullable().meta({ description: 'Until when the secret before the last rotation is good.' }),
}) satisfies z.ZodType<KeyView>;

const useOfDays = z.object({
  requests: tally,
  tokens: tally.meta({ description: 'Prompt and completion together.' }),
});

const keyUseSchema = z.object({
  today: useOfDays.meta({ description: 'Since 00:00 UTC.' }),
  last30Days: useOfDays.meta({ description: 'Of 30 UTC days, today among them.' }),
  hourUsed: tally.nullable().meta({ description: 'Requests of `perHour` that are used; `null` without that limit.' }),
  dayUsed: tally.nullable().meta({ description: 'Requests of `perDay` that are used; `null` without that limit.' }),
});

/** What a key has used lately. */
export type KeyUse = Readonly<z.infer<typeof keyUseSchema>>;

/** A key, with what it has used where that was asked for. */
export const usedKeySchema = keyViewSchema.extend({
  use: keyUseSchema.optional().meta({ description: 'With `use=true`.' }),
});
export type UsedKey = Readonly<z.infer<typeof usedKeySchema>>;

export const keyPageSchema = z.object({
  keys: z.array(usedKeySchema),
  unreadable: z.array(z.string()).meta({ description: 'What is wrong with records that make no sense.' }),
  cursor: z.string().nullable().meta({ description: 'Where the next page goes on; `null` at the end.' }),
});

/** What one key used on one UTC day with one model. */
const usageRowSchema = z.object({
  key: z.string().meta({
    description:
      'Its id; `none`: requests without a key; `others`: keys whose refusals came too fast to be counted by key.',
  }),
  name: z.string(),
  owner: z.string(),
  date: z.iso.date(),
  model: z.string(),
  ...(Object.fromEntries(USAGE_COUNTS.map((name) => [name, tally])) as Record<UsageCount, typeof tally>),
});

export const usagePageSchema = z.object({
  rows: z.array(usageRowSchema),
  cursor: z.string().nullable().meta({ description: 'Where the next page goes on; `null` at the end.' }),
});

/** The one answer that has the key itself. */
export const issuedKeySchema = keyViewSchema.extend({
  key: z.string().meta({ description: 'The key itself: it is stored nowhere and cannot be shown again.' }),
});

export const rotationSchema = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(2_592_000)
    .default(86_400)
    .meta({ description: 'How long the secret of now stays good; 0 ends it at once.' }),
  endOverlap: z.boolean().default(false).meta({
    description: 'Ends the secret before that of now, if it is still good: a key has one old secret at most.',
  }),
});

export const banSchema = z.object({
  address: z.string().meta({ description: 'As limits are counted: IPv6 as its /56.' }),
  reason: z.enum(['operator', 'brute-force', 'limit']),
  until: time.nullable().meta({ description: '`null` where only an operator ends it.' }),
});

export const newBanSchema = z.strictObject({
  address: z.string().max(60),
  seconds: z
    .int()
    .min(1)
    .max(31_536_000)
    .nullable()
    .default(null)
    .meta({ description: 'How long; until it is lifted where `null`.' }),
});

export const queueSchema = z.object({
  paused: z.boolean(),
  waiting: tally,
  active: tally,
  delayed: tally,
  failed: tally,
  oldestWaitingAgeMs: tally,
});

export const sessionSchema = z.object({
  id: z.string(),
  address: z.string(),
  by: z.enum(['token', 'link']),
  signedInAt: time,
  lastSeenAt: time,
  expiresAt: time,
});

export const countersSchema = z.object({ usage: usageSchema, stats: serviceStatsSchema });

export const EXAMPLE_KEY: z.infer<typeof keyViewSchema> = {
  id: KEY_ID,
  name: 'order 1042',
  owner: 'anna@example.com',
  note: null,
  version: 1,
  state: 'active',
  createdAt: TIME,
  lastUsedAt: null,
  revokedAt: null,
  expiresAt: '2027-01-31T00:00:00.000Z',
  perHour: 100,
  perDay: null,
  credits: 500,
  charged: 0,
  concurrency: 10,
  models: null,
  addresses: null,
  maxOutputTokens: null,
  storage: 1_073_741_824,
  stored: 0,
  mask: ['url', 'key', 'ip', 'connection'],
  keepOwn: false,
  addressLimit: true,
  onDisconnect: 'abort',
  oldKeyUntil: null,
};
