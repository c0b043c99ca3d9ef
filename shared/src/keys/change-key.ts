import { hashApiKey, mintApiKey } from '../api-key.ts';
import { waitForAppendOnlyFile } from '../append-only.ts';
import type { Redis } from '../redis-connection.ts';
import { loadScript } from '../redis-script.ts';
import type { Actor } from './actor.ts';
import { entriesOf } from './index-entries.ts';
import { changedSince, FIELD_LETTERS } from './key-changes.ts';
import { KeyChanged, KeyContended, KeyNotFound, KeyRevoked, OverlapRuns } from './key-refusals.ts';
import { type Fields, type KeyReply, keysOf, readReply } from './key-scripts.ts';
import { type FieldChange, fieldsOf, type KeyTerms } from './key-terms.ts';
import { type KeyInUse, showKey } from './read-key.ts';

const changeScript = loadScript(new URL('./change-key.lua', import.meta.url));
const deleteScript = loadScript(new URL('./delete-key.lua', import.meta.url));
/** Others that change the same key's name at once. */
const MOST_TRIES = 20;

/** What a change did. */
export interface KeyChange {
  /** The key as it is now; as it was where it was deleted. */
  readonly record: KeyInUse;
  /**
   * The fields that the change changed, as they are stored, without anything secret; both are empty where nothing was
   * changed, because it was so already.
   */
  readonly before: Fields;
  readonly after: Fields;
}

/** What every change is told. */
export interface ChangeTerms {
  readonly actor: Actor;
  /** The version that the key must have; any where absent. */
  readonly expectedVersion?: number | undefined;
}

/**
 * Changes what the operator decides about a key; what is not given stays. A revoked key stays as it was when it ended.
 *
 * @throws KeyNotFound
 * @throws KeyRevoked
 * @throws KeyChanged where the key has another version than expected
 * @throws KeyContended where many others change its name at once; nothing was changed
 * @throws when Redis fails; whether the key was changed is then unknown. It can be asked again
 */
export async function updateKey(redis: Redis, id: string, terms: KeyTerms, change: ChangeTerms): Promise<KeyChange> {
  const fields = { ...fieldsOf(terms), action: 'update', onlyActive: true } as const;
  if (terms.name === undefined && terms.owner === undefined) {
    return conclude(redis, id, change, await apply(redis, id, fields, change));
  }
  return unlessMoved(async () => {
    const held = await showKey(redis, id);
    const next = {
      ...held,
      name: terms.name ?? held.name,
      owner: terms.owner === undefined ? held.owner : (terms.owner ?? undefined),
    };
    const texts = { ...textsOf(held), add: entriesOf(next) };
    const reply = await apply(redis, id, { ...fields, texts }, change);
    return reply.status === 'moved' ? undefined : conclude(redis, id, change, reply);
  });
}

/**
 * Ends a key for good: from the next request on it is refused. Revoking twice changes nothing.
 *
 * @throws KeyNotFound
 * @throws KeyChanged where the key has another version than expected
 * @throws when Redis fails; whether the key was revoked is then unknown. It can be asked again
 */
export async function revokeKey(redis: Redis, id: string, change: ChangeTerms): Promise<KeyChange> {
  const fields = { set: { state: 'revoked' }, remove: ['oldHash', 'oldHashUntil'], stamp: 'revokedAt' } as const;
  const reply = await apply(redis, id, { ...fields, action: 'revoke', onlyActive: true }, change);
  return conclude(redis, id, change, reply.status === 'revoked' ? { status: 'same' } : reply);
}

export interface RotateTerms extends ChangeTerms {
  /** How long the secret of now stays good beside the new one; 0 ends it at once. */
  readonly overlapMs: number;
  /** Ends the secret before that of now, if it is still good: a record has room for one. */
  readonly endOverlap?: boolean;
}

/**
 * Gives a key a new secret under the same id.
 *
 * @returns with the new key, which can be shown this once
 * @throws KeyNotFound
 * @throws KeyRevoked
 * @throws OverlapRuns where the secret before that of now is still good, and is not to be ended
 * @throws KeyChanged where the key has another version than expected
 * @throws when Redis fails; which secret is good is then unknown. Without an overlap it can be asked again
 */
export async function rotateKey(
  { redis, pepper }: { readonly redis: Redis; readonly pepper: string },
  id: string,
  { overlapMs, endOverlap = false, ...change }: RotateTerms,
): Promise<KeyChange & { readonly key: string }> {
  const { key } = mintApiKey(id);
  const set = { hash: hashApiKey(key, pepper) };
  const fields: FieldChange = overlapMs > 0 ? { set, remove: [] } : { set, remove: ['oldHash', 'oldHashUntil'] };
  const terms = { action: 'rotate', onlyActive: true, keepOverlap: !endOverlap } as const;
  const reply = await apply(redis, id, { ...fields, ...terms, ...(overlapMs > 0 && { overlapMs }) }, change);
  return { key, ...(await conclude(redis, id, change, reply)) };
}

/**
 * Takes a key away with all its limits and windows. Gateways remove its uploads, as those of a revoked key; what was
 * counted of its use stays.
 *
 * @returns the key as it was
 * @throws KeyNotFound
 * @throws UnreadableKey
 * @throws KeyChanged where the key has another version than expected
 * @throws KeyContended where many others change its name at once; nothing was changed
 * @throws when Redis fails; whether it was deleted is then unknown. It can be asked again
 */
export async function deleteKey(redis: Redis, id: string, change: ChangeTerms): Promise<KeyChange> {
  return unlessMoved(async () => {
    const record = await showKey(redis, id);
    const asked = { id, actor: change.actor, expected: change.expectedVersion, texts: textsOf(record) };
    const reply = readReply(await deleteScript(redis, keysOf(id), [JSON.stringify(asked)]));
    if (reply.status === 'moved') return undefined;
    if (reply.status !== 'changed') return conclude(redis, id, change, reply);
    await waitForAppendOnlyFile(redis);
    return { record, before: reply.before, after: {} };
  });
}

/** What a script has to find of a key's name and owner, and the entries that they have in the index. */
function textsOf(record: KeyInUse): Texts {
  return { name: record.name, owner: record.owner ?? '', remove: entriesOf(record) };
}

/** Tries again where another change of the key's name or owner came between reading and writing. */
async function unlessMoved(change: () => Promise<KeyChange | undefined>): Promise<KeyChange> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const done = await change();
    if (done !== undefined) return done;
  }
  throw new KeyContended();
}

interface Texts {
  readonly name: string;
  readonly owner: string;
  readonly remove: readonly string[];
  readonly add?: readonly string[];
}

interface Applied extends FieldChange {
  readonly texts?: Texts;
  readonly action: 'update' | 'rotate' | 'revoke';
  readonly stamp?: string;
  readonly onlyActive?: boolean;
  readonly keepOverlap?: boolean;
  readonly overlapMs?: number;
}

async function apply(redis: Redis, id: string, fields: Applied, change: ChangeTerms): Promise<KeyReply> {
  const { actor, expectedVersion: expected } = change;
  const asked = { ...fields, id, actor, expected, letters: FIELD_LETTERS };
  const reply = readReply(await changeScript(redis, keysOf(id), [JSON.stringify(asked)]));
  if (reply.status === 'changed') await waitForAppendOnlyFile(redis);
  return reply;
}

async function conclude(redis: Redis, id: string, change: ChangeTerms, reply: KeyReply): Promise<KeyChange> {
  switch (reply.status) {
    case 'changed': {
      return { record: await showKey(redis, id), before: reply.before, after: reply.after };
    }
    case 'same': {
      return { record: await showKey(redis, id), before: {}, after: {} };
    }
    case 'revoked': {
      throw new KeyRevoked(id);
    }
    case 'overlap': {
      throw new OverlapRuns(id, reply.earlierUntil);
    }
    case 'expected': {
      const { expectedVersion = 0 } = change;
      const fields = changedSince(reply.changes, expectedVersion, reply.version);
      throw new KeyChanged(await showKey(redis, id), expectedVersion, fields);
    }
    default: {
      throw new KeyNotFound(id);
    }
  }
}
