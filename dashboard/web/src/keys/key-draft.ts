import type { KeyView } from '@lontar/shared/keys/key-view.ts';
import type { MaskType } from '@lontar/shared/settlement/settlement.ts';

/** As `MASK_TYPES` of shared, whose module is too large for a page. */
export const MASKS = ['url', 'key', 'ip', 'connection'] as const satisfies readonly MaskType[];

/** A key as it stands in the fields of a form: what is typed is text, until the server judges it. */
export interface KeyDraft {
  readonly name: string;
  readonly owner: string;
  readonly note: string;
  readonly perHour: string;
  readonly perDay: string;
  readonly credits: string;
  readonly concurrency: string;
  readonly maxOutputTokens: string;
  /** Megabytes of uploads. */
  readonly storage: string;
  /** Separated by commas or blanks. */
  readonly models: string;
  readonly addresses: string;
  /** In the reader's time zone, as `datetime-local` has it. */
  readonly expiresAt: string;
  readonly mask: readonly MaskType[];
  readonly keepOwn: boolean;
  readonly addressLimit: boolean;
  readonly onDisconnect: 'abort' | 'finish';
}

export type DraftField = keyof KeyDraft;

const NUMBERS = ['perHour', 'perDay', 'credits', 'concurrency', 'maxOutputTokens'] as const;
const TEXTS = ['owner', 'note'] as const;
const LISTS = ['models', 'addresses'] as const;
const MEGABYTE = 1_048_576;
/** What a key has that says nothing of it. */
const USUAL_CONCURRENCY = 10;

/** A new key before anything is typed. */
export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  owner: '',
  note: '',
  perHour: '',
  perDay: '',
  credits: '',
  concurrency: '',
  maxOutputTokens: '',
  storage: '',
  models: '',
  addresses: '',
  expiresAt: '',
  mask: MASKS,
  keepOwn: false,
  addressLimit: true,
  onDisconnect: 'abort',
};

/** A key as a form shows it. */
export function draftOf(key: KeyView): KeyDraft {
  const text = (value: number | string | null) => (value === null ? '' : String(value));
  return {
    name: key.name,
    owner: text(key.owner),
    note: text(key.note),
    perHour: text(key.perHour),
    perDay: text(key.perDay),
    credits: text(key.credits),
    concurrency: key.concurrency === USUAL_CONCURRENCY ? '' : text(key.concurrency),
    maxOutputTokens: text(key.maxOutputTokens),
    storage: text(Math.round((key.storage / MEGABYTE) * 1_000) / 1_000),
    models: key.models?.join(', ') ?? '',
    addresses: key.addresses?.join(', ') ?? '',
    expiresAt: key.expiresAt === null ? '' : localTime(Date.parse(key.expiresAt)),
    mask: key.mask,
    keepOwn: key.keepOwn,
    addressLimit: key.addressLimit,
    onDisconnect: key.onDisconnect,
  };
}

/** The fields in which two drafts differ. */
export function changedFields(draft: KeyDraft, base: KeyDraft): DraftField[] {
  return (Object.keys(EMPTY_DRAFT) as DraftField[]).filter((field) => String(draft[field]) !== String(base[field]));
}

/** What is to be changed, as the admin API takes it: an emptied field takes its limit away. */
export function termsOf(draft: KeyDraft, base: KeyDraft): Record<string, unknown> {
  return Object.fromEntries(changedFields(draft, base).map((field) => [field, termOf(draft, field)]));
}

/**
 * What was typed, on top of what others have changed meanwhile: fields that were left alone take the new values.
 *
 * @param base what the reader began with
 * @param fresh what the key is now
 */
export function rebaseDraft(draft: KeyDraft, base: KeyDraft, fresh: KeyDraft): KeyDraft {
  const own = changedFields(draft, base);
  return { ...fresh, ...Object.fromEntries(own.map((field) => [field, draft[field]])) };
}

function termOf(draft: KeyDraft, field: DraftField): unknown {
  const value = draft[field];
  if (typeof value !== 'string') return field === 'mask' && draft.mask.length === MASKS.length ? 'all' : value;
  const text = value.trim();
  if (field === 'name') return text;
  if (field === 'onDisconnect') return value;
  if (text === '') return null;
  if (isOf(TEXTS, field)) return text;
  if (isOf(LISTS, field)) return listOf(text);
  if (isOf(NUMBERS, field)) return numberOf(text);
  if (field === 'storage') return megabytes(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}

/** What is separated by commas or blanks. */
export function listOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((item) => item !== '');
}

/** What is no number goes as it is: the server says what it must be. */
function numberOf(text: string): number | string {
  const digits = text.replaceAll(/[\s_]/g, '');
  return /^-?\d+(?:\.\d+)?$/.test(digits) ? Number(digits) : text;
}

function megabytes(text: string): number | string {
  const number = numberOf(text.replace(',', '.'));
  return typeof number === 'number' ? Math.round(number * MEGABYTE) : number;
}

function localTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function isOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
