/**
 * The record's field `changes`: what its latest changes changed, `;2ac;3h` where the second version changed two fields and
 * the third one. As short as it can be, because it is kept for every key; the oldest are left out first.
 */

/** What callers call each field, and its letter. What is stored in two fields has one name. */
const FIELDS = {
  name: ['name', 'n'],
  owner: ['owner', 'o'],
  note: ['note', 't'],
  perHour: ['perHour', 'h'],
  perDay: ['perDay', 'd'],
  credits: ['credits', 'c'],
  concurrency: ['concurrency', 'p'],
  models: ['models', 'm'],
  addresses: ['addresses', 'a'],
  addressBits: ['addresses', 'a'],
  maxOutputTokens: ['maxOutputTokens', 'x'],
  storage: ['storage', 's'],
  expiresAt: ['expiresAt', 'e'],
  mask: ['mask', 'k'],
  keepOwn: ['keepOwn', 'w'],
  noAddressLimit: ['addressLimit', 'l'],
  onDisconnect: ['onDisconnect', 'f'],
  state: ['state', 'r'],
  revokedAt: ['state', 'r'],
  hash: ['secret', 'i'],
  oldHash: ['secret', 'i'],
  oldHashUntil: ['secret', 'i'],
} as const satisfies Readonly<Record<string, readonly [name: string, letter: string]>>;

/** A field by the name that callers know. */
export type ChangedField = (typeof FIELDS)[keyof typeof FIELDS][0];

/** The letter of each field of a record, for change-key.lua. */
export const FIELD_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(FIELDS).map(([field, [, letter]]) => [field, letter]),
);

const NAMES = new Map<string, ChangedField>(Object.values(FIELDS).map(([name, letter]) => [letter, name]));

/**
 * What has changed since a version.
 *
 * @returns names of fields in alphabetical order; `undefined` where `changes` does not reach back so far, or there has
 *   been no such version
 */
export function changedSince(changes: string, since: number, version: number): ChangedField[] | undefined {
  const found = new Set<ChangedField>();
  const later = [...changes.matchAll(/;(\d+)([a-z]+)/g)].filter(([, of]) => Number(of) > since);
  if (since >= version || later.length !== version - since) return undefined;
  for (const [, , letters = ''] of later) {
    for (const letter of letters) {
      const name = NAMES.get(letter);
      if (name !== undefined) found.add(name);
    }
  }
  return [...found].sort();
}
