import type { ApiKeyRecord } from '../api-key-record.ts';
import { MASK_TYPES, type MaskType } from '../settlement/settlement.ts';

/** What the operator decides about a key. `null` takes a limit away, `undefined` leaves it as it is. */
export interface KeyTerms {
  readonly name?: string | undefined;
  /** Whose the key is, in free words. */
  readonly owner?: string | null | undefined;
  readonly note?: string | null | undefined;
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
export function fieldsOf(terms: KeyTerms): FieldChange {
  const set: Partial<Record<keyof ApiKeyRecord, string>> = {};
  const remove: (keyof ApiKeyRecord)[] = [];
  const put = (field: keyof ApiKeyRecord, value: string | number | null | undefined) => {
    if (value === null) remove.push(field);
    else if (value !== undefined) set[field] = String(value);
  };
  put('name', terms.name);
  put('owner', terms.owner);
  put('note', terms.note);
  put('perHour', terms.perHour);
  put('perDay', terms.perDay);
  put('credits', terms.credits);
  put('concurrency', terms.concurrency);
  put('models', terms.models && terms.models.join(','));
  put('addresses', terms.addresses && terms.addresses.map(({ text }) => text).join(','));
  put('addressBits', terms.addresses && terms.addresses.map(({ bits }) => bits).join(','));
  put('maxOutputTokens', terms.maxOutputTokens);
  put('storage', terms.storage);
  put('expiresAt', terms.expiresAt);
  // Only what is not as usual is stored.
  put('mask', terms.mask && (terms.mask.length === MASK_TYPES.length ? null : terms.mask.join(',')));
  put('keepOwn', terms.keepOwn === undefined ? undefined : terms.keepOwn ? 1 : null);
  put('noAddressLimit', terms.addressLimit === undefined ? undefined : terms.addressLimit ? null : 1);
  put('onDisconnect', terms.onDisconnect === 'abort' ? null : terms.onDisconnect);
  return { set, remove };
}
