import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';

/** A name is known for so long, ms. */
const KNOWN_FOR_MS = 60_000;
const MOST_KNOWN = 10_000;

/**
 * The operator's names for API keys, for lines of the log alone: no answer has them. Each is asked for once a minute.
 *
 * @returns `undefined` for a key without one
 */
export type KeyNameOf = (keyId: string) => string | undefined | Promise<string | undefined>;

/** Never throws, and what it gives never rejects: where Redis fails, lines have ids alone. */
export function createKeyNames(redis: Pick<Redis, 'hget'>): KeyNameOf {
  const known = new Map<string, { readonly name: string | undefined; readonly until: number }>();
  const asked = new Map<string, Promise<string | undefined>>();

  async function ask(keyId: string): Promise<string | undefined> {
    try {
      const name = (await redis.hget(redisKeys.apiKey(keyId), 'name')) ?? undefined;
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(keyId, { name, until: performance.now() + KNOWN_FOR_MS });
      return name;
    } catch {
      return known.get(keyId)?.name;
    } finally {
      asked.delete(keyId);
    }
  }

  return (keyId) => {
    const held = known.get(keyId);
    if (held !== undefined && held.until > performance.now()) return held.name;
    const asking = asked.get(keyId) ?? ask(keyId);
    asked.set(keyId, asking);
    return asking;
  };
}
