import { showHidden } from '@lontar/shared/hidden-characters.ts';
import type { KeyView } from '@lontar/shared/keys/key-view.ts';
import { MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import { showByteSize } from './byte-size.ts';
import { alignColumns } from './columns.ts';

/**
 * All about one key, a line each.
 *
 * @param key with how many failures that may have cost money were given back in the last hour, where that was asked
 */
export function describeKey(key: KeyView & { readonly freeFailuresLastHour?: number }): string {
  const lines: [string, string][] = [
    ['id', key.id],
    ['name', key.name],
    ...(key.owner === null ? [] : [['owner', key.owner] as [string, string]]),
    ...(key.note === null ? [] : [['note', key.note] as [string, string]]),
    ['state', key.state],
    ['created', key.createdAt],
    ['last used', key.lastUsedAt ?? (key.charged === 0 ? 'never' : 'not noted')],
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
    ['address limit', key.addressLimit ? 'applies' : 'exempt'],
    ['on disconnect', key.onDisconnect],
    ...(key.oldKeyUntil === null ? [] : [['old key until', key.oldKeyUntil] as [string, string]]),
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, value]) => `${label.padEnd(width)}  ${showHidden(value)}`).join('\n');
}

/**
 * Many keys, a row each.
 *
 * @param areSome whether only some keys were asked for
 */
export function tableOfKeys(keys: readonly KeyView[], areSome = false): string {
  if (keys.length === 0 && areSome) return 'There are no such keys.';
  if (keys.length === 0) return 'There are no keys yet. Make one: lontar keys create --name NAME';
  const rows = keys.map((key) => [
    key.id,
    key.state,
    key.createdAt.slice(0, 10),
    key.expiresAt?.slice(0, 10) ?? 'never',
    key.lastUsedAt?.slice(0, 16).replace('T', ' ') ?? '-',
    key.credits === null ? String(key.charged) : `${key.charged}/${key.credits}`,
    key.perHour === null ? '-' : String(key.perHour),
    key.perDay === null ? '-' : String(key.perDay),
    `${showByteSize(key.stored)}/${showByteSize(key.storage)}`,
    showHidden(key.owner ?? '-'),
    policyOf(key),
    showHidden(key.name),
  ]);
  return alignColumns([
    [
      'ID',
      'STATE',
      'CREATED',
      'EXPIRES',
      'LAST USED',
      'USED',
      'PER HOUR',
      'PER DAY',
      'STORED',
      'OWNER',
      'OPTIONS',
      'NAME',
    ],
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
