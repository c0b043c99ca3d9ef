import { MASK_TYPES, type MaskType } from '../settlement/settlement.ts';
import type { KeyInUse } from './read-key.ts';

/** A key as `--json`, the admin API and the page show it: everything but hashes. Absent limits are `null`, times are ISO 8601. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly note: string | null;
  /** Raised by each change. */
  readonly version: number;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  /** The minute of its last request; `null` where there was none, or none is known. */
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  readonly perHour: number | null;
  readonly perDay: number | null;
  readonly credits: number | null;
  /** Credits used, requests in flight included. */
  readonly charged: number;
  readonly concurrency: number;
  readonly models: readonly string[] | null;
  readonly addresses: readonly string[] | null;
  readonly maxOutputTokens: number | null;
  /** Bytes that its uploads may take. */
  readonly storage: number;
  /** Bytes that its uploads take, those on their way included. */
  readonly stored: number;
  /** The types that are masked in its answers under `/v1`. */
  readonly mask: readonly MaskType[];
  /** Whether values that a caller sent stay as they are in the answer to that request, under `/v1`. */
  readonly keepOwn: boolean;
  /** Whether the hour of an address binds its requests. */
  readonly addressLimit: boolean;
  /** What becomes of a request whose caller leaves. */
  readonly onDisconnect: 'abort' | 'finish';
  /** Until when the secret before the last rotation is still good. */
  readonly oldKeyUntil: string | null;
}

export function viewKey(record: KeyInUse, nowMs: number): KeyView {
  const expired = record.state === 'active' && record.expiresAt !== undefined && record.expiresAt <= nowMs;
  const overlaps = record.oldHashUntil !== undefined && record.oldHashUntil > nowMs;
  return {
    id: record.id,
    name: record.name,
    owner: record.owner ?? null,
    note: record.note ?? null,
    version: record.version,
    state: expired ? 'expired' : record.state,
    createdAt: isoTime(record.createdAt),
    lastUsedAt: record.lastUsedAt === undefined ? null : isoTime(record.lastUsedAt),
    revokedAt: record.revokedAt === undefined ? null : isoTime(record.revokedAt),
    expiresAt: record.expiresAt === undefined ? null : isoTime(record.expiresAt),
    perHour: record.perHour ?? null,
    perDay: record.perDay ?? null,
    credits: record.credits ?? null,
    charged: record.charged,
    concurrency: record.concurrency,
    models: record.models?.split(',') ?? null,
    addresses: record.addresses?.split(',') ?? null,
    maxOutputTokens: record.maxOutputTokens ?? null,
    storage: record.storage,
    stored: record.stored,
    mask: record.mask ?? MASK_TYPES,
    keepOwn: record.keepOwn === '1',
    addressLimit: record.noAddressLimit !== '1',
    onDisconnect: record.onDisconnect ?? 'abort',
    oldKeyUntil: overlaps && record.oldHashUntil !== undefined ? isoTime(record.oldHashUntil) : null,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
