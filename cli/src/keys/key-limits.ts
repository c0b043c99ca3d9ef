import type { ApiKeyRecord } from '@lontar/shared/api-key-record.ts';

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
  return { set, remove };
}
