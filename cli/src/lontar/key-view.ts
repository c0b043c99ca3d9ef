import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { MASK_TYPES, type MaskType } from '@lontar/shared/settlement/settlement.ts';
import { showByteSize } from '../keys/byte-size.ts';
import type { KeyInUse } from '../keys/key-store.ts';
import { alignColumns } from './columns.ts';

/** A key as `--json` shows it: everything but hashes. Absent limits are `null`, times are ISO 8601. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
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
    state: expired ? 'expired' : record.state,
    createdAt: isoTime(record.createdAt),
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

/**
 * All about one key, a line each.
 *
 * @param key with how many failures that may have cost money were given back in the last hour, where that was asked
 */
export function describeKey(key: KeyView & { readonly freeFailuresLastHour?: number }): string {
  const lines: [string, string][] = [
    ['id', key.id],
    ['name', key.name],
    ['state', key.state],
    ['created', key.createdAt],
    ...(key.revokedAt === null ? [] : [['revoked', key.revokedAt] as [string, string]]),
    ['expires', key.expiresAt ?? 'never'],
    ['per hour', limit(key.perHour)],
    ['per day', limit(key.perDay)],
    ['credits', key.credits === null ? `no limit (${key.charged} used)` : `${key.charged} of ${key.credits} used`],
    ...(key.freeFailuresLastHour === undefined
      ? []
      : [['given back', `${key.freeFailuresLastHour} costly failures in the last hour`] as [string, string]]),
    ['in flight', `${key.concurrency} at once`],
    ['models', key.models?.join(', ') ?? 'all'],
    ['addresses', key.addresses?.join(', ') ?? 'all'],
    ['output tokens', limit(key.maxOutputTokens)],
    ['storage', `${showByteSize(key.stored)} of ${showByteSize(key.storage)} used`],
    ['masked', `${isMaskedFully(key) ? 'all' : key.mask.join(', ')}${key.keepOwn ? ', but what the caller sent' : ''}`],
    ['address limit', key.addressLimit ? 'binds' : 'exempt'],
    ['on disconnect', key.onDisconnect],
    ...(key.oldKeyUntil === null ? [] : [['old key until', key.oldKeyUntil] as [string, string]]),
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, value]) => `${label.padEnd(width)}  ${showHidden(value)}`).join('\n');
}

/** Many keys, a row each. */
export function tableOfKeys(keys: readonly KeyView[]): string {
  if (keys.length === 0) return 'There are no keys yet. Make one: npm run lontar -- keys create --name NAME';
  const rows = keys.map((key) => [
    key.id,
    key.state,
    key.createdAt.slice(0, 10),
    key.expiresAt?.slice(0, 10) ?? 'never',
    key.credits === null ? String(key.charged) : `${key.charged}/${key.credits}`,
    key.perHour === null ? '-' : String(key.perHour),
    key.perDay === null ? '-' : String(key.perDay),
    `${showByteSize(key.stored)}/${showByteSize(key.storage)}`,
    policyOf(key),
    showHidden(key.name),
  ]);
  return alignColumns([
    ['ID', 'STATE', 'CREATED', 'EXPIRES', 'USED', 'PER HOUR', 'PER DAY', 'STORED', 'OPTIONS', 'NAME'],
    ...rows,
  ]);
}

/** What is not as usual, as it is said to `keys create`. */
function policyOf(key: KeyView): string {
  const options = [
    ...(isMaskedFully(key) ? [] : [`mask=${key.mask.join()}`]),
    ...(key.keepOwn ? ['keep-own'] : []),
    ...(key.addressLimit ? [] : ['no-address-limit']),
    ...(key.onDisconnect === 'abort' ? [] : [`on-disconnect=${key.onDisconnect}`]),
  ];
  return options.length > 0 ? options.join(' ') : '-';
}

function isMaskedFully({ mask }: KeyView): boolean {
  return mask.length === MASK_TYPES.length;
}

function limit(value: number | null): string {
  return value === null ? 'no limit' : String(value);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
