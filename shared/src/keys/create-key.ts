import { createHash } from 'node:crypto';
import { deriveApiKey, hashApiKey, type MintedKey, mintApiKey } from '../api-key.ts';
import { waitForAppendOnlyFile } from '../append-only.ts';
import type { Redis } from '../redis-connection.ts';
import { loadScript } from '../redis-script.ts';
import type { Actor } from './actor.ts';
import type { KeyChange } from './change-key.ts';
import { entriesOf } from './index-entries.ts';
import { KeyMadeBefore } from './key-refusals.ts';
import { keysOf, readReply } from './key-scripts.ts';
import { fieldsOf, type KeyTerms } from './key-terms.ts';
import { keysNow, showKey } from './read-key.ts';

const createScript = loadScript(new URL('./create-key.lua', import.meta.url));

/** Where keys live, and the secret that they are hashed under; the gateway must have the same. */
export interface KeyPlace {
  readonly redis: Redis;
  readonly pepper: string;
}

/** A key that was just made: the only time that it can be shown. */
export interface IssuedKey extends KeyChange {
  readonly key: string;
  /** Whether the same request had made it before; nothing was changed then. */
  readonly repeated: boolean;
  /** Whether that request asked for the same. */
  readonly sameTerms: boolean;
}

export interface CreateTerms {
  readonly actor: Actor;
  /**
   * Names the request that makes the key, whoever repeats it: the key is derived from it under the pepper, so that a
   * repeat gives the same key again and nothing secret is kept for it. A random key where absent.
   */
  readonly seed?: string;
  /** Makes keys; given by tests. */
  readonly mint?: () => MintedKey;
}

/**
 * Makes a key.
 *
 * @throws KeyMadeBefore where the seed has made a key that was rotated since, or deleted within seven days
 * @throws when Redis fails; whether the key was made is then unknown. With a seed it can be asked again; without one it
 *   may be listed, and its secret is lost
 */
export async function createKey(
  { redis, pepper }: KeyPlace,
  terms: KeyTerms & { readonly name: string },
  { actor, seed, mint = mintApiKey }: CreateTerms,
): Promise<IssuedKey> {
  const createdAt = String(await keysNow(redis));
  const { set } = fieldsOf(terms);
  const madeFrom = seed === undefined ? undefined : digestOf(set);
  for (;;) {
    const { id, key } = seed === undefined ? mint() : deriveApiKey(seed, pepper);
    const own = { id, hash: hashApiKey(key, pepper), state: 'active', createdAt, charged: '0' };
    const fields = { ...own, ...set, ...(madeFrom !== undefined && { madeFrom }) };
    const texts = entriesOf({ id, name: terms.name, owner: set.owner, createdAt: Number(createdAt) });
    const asked = { id, createdAt, fields, texts, actor };
    const reply = readReply(await createScript(redis, keysOf(id), [JSON.stringify(asked)]));
    if (reply.status === 'changed') {
      await waitForAppendOnlyFile(redis);
      const { before, after } = reply;
      return { key, record: await showKey(redis, id), before, after, repeated: false, sameTerms: true };
    }
    if (reply.status === 'repeated') {
      const sameTerms = reply.madeFrom === madeFrom;
      return { key, record: await showKey(redis, id), before: {}, after: {}, repeated: true, sameTerms };
    }
    if (seed !== undefined) throw new KeyMadeBefore(id);
    // Taken ids are all but impossible; handing out a taken id would be worse than trying again.
  }
}

function digestOf(fields: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 22);
}
