import { z } from 'zod';
import { addressBits } from '../address.ts';
import { findHidden } from '../hidden-characters.ts';
import { MODEL_NAME } from '../models/model-name.ts';
import { MASK_TYPES } from '../settlement/settlement.ts';
import { InvalidTerms } from './key-refusals.ts';
import type { AddressRule, KeyTerms } from './key-terms.ts';

const MOST_REQUESTS = 1_000_000_000;
const MOST_NAME_CHARACTERS = 100;
const MOST_NOTE_CHARACTERS = 500;
const MOST_LISTED = 100;
const MOST_ADDRESS_CHARACTERS = 60;
const MOST_BYTES = 999_999_999_999_999;

/**
 * What each field of a key must be, in the form that programs give: the rules of the operator's command, the admin API and
 * the page. Each rule is said so that it can stand behind the field's name.
 */
const FIELDS = {
  name: seenText(1, MOST_NAME_CHARACTERS),
  owner: nullable(seenText(1, MOST_NAME_CHARACTERS)),
  note: nullable(seenText(1, MOST_NOTE_CHARACTERS)),
  perHour: nullable(whole(1, 1_000_000)),
  perDay: nullable(whole(1, MOST_REQUESTS)),
  credits: nullable(whole(1, MOST_REQUESTS)),
  concurrency: nullable(whole(1, 10_000)),
  models: nullable(modelNames()),
  addresses: nullable(addressList()),
  maxOutputTokens: nullable(whole(1, 1_000_000)),
  storage: nullable(whole(0, MOST_BYTES)),
  expiresAt: nullable(
    z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T18:00:00Z' }).transform(Date.parse),
  ),
  mask: masks(),
  keepOwn: z.boolean('must be true or false'),
  addressLimit: z.boolean('must be true or false'),
  onDisconnect: z.enum(['abort', 'finish'], 'must be abort or finish'),
} as const;

export type TermName = keyof typeof FIELDS;

/** A change of a key: what is left out stays, `null` takes away. */
export const keyTermsSchema = z.strictObject(FIELDS).partial();

/** A new key. */
export const newKeySchema = keyTermsSchema.extend({ name: FIELDS.name });

/**
 * Reads what a program asks of a key.
 *
 * @param body JSON as it came
 * @param nowMs Redis's clock, by which keys expire
 * @throws InvalidTerms naming every field that breaks its rule, or is none
 */
export function readTerms<Schema extends typeof keyTermsSchema | typeof newKeySchema>(
  schema: Schema,
  body: unknown,
  nowMs: number,
): z.output<Schema> & KeyTerms {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new InvalidTerms(parsed.error.issues.flatMap(problemsOf));
  const { expiresAt } = parsed.data;
  if (typeof expiresAt === 'number') requireFuture(expiresAt, nowMs);
  return parsed.data as z.output<Schema> & KeyTerms;
}

/**
 * Reads one field.
 *
 * @throws InvalidTerms
 */
export function readTerm<Name extends TermName>(name: Name, value: unknown): z.output<(typeof FIELDS)[Name]> {
  const parsed = FIELDS[name].safeParse(value);
  if (parsed.success) return parsed.data as z.output<(typeof FIELDS)[Name]>;
  throw new InvalidTerms([{ field: name, rule: parsed.error.issues[0]?.message ?? 'is not valid' }]);
}

/** @throws InvalidTerms where the moment, Unix ms, has passed */
export function requireFuture(expiresAt: number, nowMs: number): void {
  if (expiresAt > nowMs) return;
  const rule = `must lie in the future; ${new Date(expiresAt).toISOString()} has passed`;
  throw new InvalidTerms([{ field: 'expiresAt', rule }]);
}

function problemsOf(issue: z.core.$ZodIssue): { field: string; rule: string }[] {
  if (issue.code !== 'unrecognized_keys') {
    const [field] = issue.path;
    return [
      field === undefined
        ? { field: 'body', rule: 'must be an object' }
        : { field: String(field), rule: issue.message },
    ];
  }
  return issue.keys
    .slice(0, 10)
    .map((key) => ({ field: JSON.stringify(key.slice(0, 50)), rule: 'is no field of a key' }));
}

function nullable<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable();
}

function whole(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z.number(rule).int(rule).min(least, rule).max(most, rule);
}

function seenText(least: number, most: number) {
  const rule = `must have ${least} to ${most} characters that are seen: no tabs, line breaks, other control characters or marks that turn the direction of writing`;
  return z
    .string(rule)
    .trim()
    .superRefine((text, context) => {
      const isFitting = text.length >= least && text.length <= most && text.isWellFormed();
      const hidden = isFitting ? findHidden(text) : undefined;
      if (isFitting && hidden === undefined) return;
      context.addIssue({ code: 'custom', message: hidden === undefined ? rule : `${rule}; it has ${hidden}` });
    });
}

/** Which models there are, only what reads the operator's file knows. */
function modelNames() {
  const rule = 'must be a list of names of models';
  return z
    .array(z.string(rule).regex(MODEL_NAME, rule), rule)
    .min(1, rule)
    .max(MOST_LISTED, rule)
    .transform((names) => [...new Set(names)]);
}

function masks() {
  const rule = `must be all, or a list of ${MASK_TYPES.join(', ')}`;
  return z
    .union([z.literal('all'), z.array(z.string()).min(1, rule).max(MOST_LISTED, rule)], rule)
    .transform((given, context) => {
      if (given === 'all') return MASK_TYPES;
      if (given.some((item) => !(MASK_TYPES as readonly string[]).includes(item))) {
        context.addIssue({ code: 'custom', message: rule });
      }
      return MASK_TYPES.filter((type) => given.includes(type));
    });
}

function addressList() {
  const most = `must have 1 to ${MOST_LISTED} addresses or networks`;
  return z
    .array(z.string(most), most)
    .min(1, most)
    .max(MOST_LISTED, most)
    .transform((items, context): AddressRule[] => {
      const rules = [...new Set(items)].map((text) => ({ text, bits: addressBits(text) }));
      const isRule = (rule: (typeof rules)[number]): rule is AddressRule =>
        rule.bits !== undefined && rule.text.length <= MOST_ADDRESS_CHARACTERS;
      const wrong = rules.find((rule) => !isRule(rule));
      if (wrong) context.addIssue({ code: 'custom', message: noAddress(wrong.text) });
      return rules.filter(isRule);
    });
}

function noAddress(text: string): string {
  const shown = JSON.stringify(text.slice(0, MOST_ADDRESS_CHARACTERS));
  return `must be addresses or networks, which ${shown} is not. Examples: 203.0.113.9, 198.51.100.0/24, 2001:db8::/48`;
}
