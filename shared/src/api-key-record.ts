import { z } from 'zod';
import { MASK_TYPES } from './settlement/settlement.ts';

/** In flight at once where a key does not say otherwise; the gateway's key-terms.lua has the same. */
export const DEFAULT_CONCURRENCY = 10;

/** Bytes of uploads that a key may keep where it does not say otherwise: 1 GB. */
export const DEFAULT_STORAGE_BYTES = 1_073_741_824;

/**
 * The field of a record in which admission keeps the key's limits packed; the scripts have it from the include
 * `packed-terms`. Who writes one of the limits takes this field away. Gateways of two versions may run side by side, so
 * another layout (key-terms.lua) needs another name here, and writers then take the earlier one away as well.
 */
export const PACKED_TERMS = 'terms2';
/** The field of the version before this one, whose layout knows less. */
export const EARLIER_TERMS = 'terms';

const count = z.coerce.number().int().nonnegative();
/** A yes is stored, a no is not. */
const yes = z.literal('1').optional();

/**
 * What is stored of an API key: a Redis hash whose fields these are. Admission reads it in Lua, the operator's command
 * writes it. Limits that are absent do not apply; lists are comma-separated. The key itself is never stored. Beside these
 * fields admission keeps the limits in a packed form for as long as the record is not changed, see `PACKED_TERMS`.
 */
export const apiKeyRecordSchema = z.object({
  id: z.string(),
  /** HMAC of the whole key, see `hashApiKey`. */
  hash: z.string(),
  /** While a rotated key overlaps: hash of the old one, and until when it is good, Unix ms. */
  oldHash: z.string().optional(),
  oldHashUntil: count.optional(),
  name: z.string(),
  /** Whose it is, in free words. */
  owner: z.string().optional(),
  note: z.string().optional(),
  /** Raised by each change of the operator's; not by what admission writes. */
  version: count.default(1),
  /** What its latest changes changed, see keys/key-changes.ts. */
  changes: z.string().optional(),
  /** Of a key that is derived from the request that made it: digest of what that asked for. */
  madeFrom: z.string().optional(),
  state: z.enum(['active', 'revoked']),
  createdAt: count,
  revokedAt: count.optional(),
  /** Unix ms. */
  expiresAt: count.optional(),
  perHour: count.optional(),
  perDay: count.optional(),
  credits: count.optional(),
  /**
   * Requests charged so far, reservations in flight included; `credits - charged` are left. Whatever made it negative, the
   * key works on, so its record has to stay readable.
   */
  charged: z.coerce.number().int().default(0),
  /** The last UTC day (days since 1970) on which `perDay` was counted, times 10^10, and how many requests it had. */
  dayCount: z.string().optional(),
  concurrency: count.default(DEFAULT_CONCURRENCY),
  /** Public model names; all where absent. */
  models: z.string().optional(),
  /** Addresses and networks as the operator wrote them; all where absent. */
  addresses: z.string().optional(),
  /** The same as prefixes of bits, see `addressBits`. */
  addressBits: z.string().optional(),
  maxOutputTokens: count.optional(),
  /** Bytes of uploads that the key may keep; read when it uploads, so no part of `PACKED_TERMS`. */
  storage: count.default(DEFAULT_STORAGE_BYTES),
  /** The types that are masked in its answers under `/v1`; all where absent. */
  mask: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(MASK_TYPES)).min(1))
    .optional(),
  /** Whether what the caller sent is left as it is in the answer to that request, under `/v1`. */
  keepOwn: yes,
  /** Whether its requests are exempt from the hour of their address; read with the key itself, so no part of `PACKED_TERMS`. */
  noAddressLimit: yes,
  /** Whether a request goes on whose caller has left; it is given up where absent. */
  onDisconnect: z.literal('finish').optional(),
});

export type ApiKeyRecord = z.infer<typeof apiKeyRecordSchema>;
