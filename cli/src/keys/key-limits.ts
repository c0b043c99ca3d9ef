import type { ApiKeyRecord } from '@lontar/shared/api-key-record.ts';
import { MASK_TYPES, type MaskType } from '@lontar/shared/settlement/settlement.ts';

/** What the operator decides about a key. `null` takes a limit away, `undefined` leaves it as it is. */
export interface KeyLimits {
  readonly name?: string | undefined;
  readonly perHour?: number | null | undefined;
  readonly perDay?: number | null | undefined;
  readonly credits?: number | null | undefined;
  readonly concurrency?: number | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly addresses?: readonly AddressRule[] | null | undefined;
  readonly maxOutputTokens?: number | null | undefined;
  /** Bytes of uploads that it may keep. */
  readonly storage?: number | null | undefined;
  /** Unix ms. */
  readonly expiresAt?: number | null | undefined;
  /** The types that are masked in its answers under `/v1`. */
  readonly mask?: readonly MaskType[] | undefined;
  /** Whether what a caller sent is left as it is in the answer to that request, under `/v1`. */
  readonly keepOwn?: boolean | undefined;
  /** Whether the hour of an address binds its requests too. */
  readonly addressLimit?: boolean | undefined;
  /** What becomes of a request whose caller leaves. */
  readonly onDisconnect?: 'abort' | 'finish' | undefined;
}

/** An address or network, as it was written and as a prefix of bits. */
export interface AddressRule {
  readonly text: string;
  readonly bits: string;
}

export interface FieldChange {
  readonly set: Partial<Record<keyof ApiKeyRecord, string>>;
  readonly remove: readonly (keyof ApiKeyRecord)[];
}

/** The fields of a record that the operator's decisions set or take away. */
export function fieldsOf(limits: KeyLimits): FieldChange {
  const set: Partial<Record<keyof ApiKeyRecord, string>> = {};
  const remove: (keyof ApiKeyRecord)[] = [];
  const put = (field: keyof ApiKeyRecord, value: string | number | null | undefined) => {
    if (value === null) remove.push(field);
    else if (value !== undefined) set[field] = String(value);
  };
  put('name', limits.name);
  put('perHour', limits.perHour);
  put('perDay', limits.perDay);
  put('credits', limits.credits);
  put('concurrency', limits.concurrency);
  put('models', limits.models && limits.models.join(','));
  put('addresses', limits.addresses && limits.addresses.map(({ text }) => text).join(','));
  put('addressBits', limits.addresses && limits.addresses.map(({ bits }) => bits).join(','));
  put('maxOutputTokens', limits.maxOutputTokens);
  put('storage', limits.storage);
  put('expiresAt', limits.expiresAt);
  // Only what is not as usual is stored.
  put('mask', limits.mask && (limits.mask.length === MASK_TYPES.length ? null : limits.mask.join(',')));
  put('keepOwn', limits.keepOwn === undefined ? undefined : limits.keepOwn ? 1 : null);
  put('noAddressLimit', limits.addressLimit === undefined ? undefined : limits.addressLimit ? null : 1);
  put('onDisconnect', limits.onDisconnect === 'abort' ? null : limits.onDisconnect);
  return { set, remove };
}
