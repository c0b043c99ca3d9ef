import type { Logger } from '@lontar/shared/logger.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import type { ReadJson } from '@lontar/shared/settlement/text-literal.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import type { Waiters } from './waiters.ts';

const confirmScript = loadScript(new URL('./confirm-settled.lua', import.meta.url));

/** Requests that are asked about at once. */
const MOST_AT_ONCE = 500;
const TRY_AGAIN_MS = 100;

/**
 * Hands settlements over once enough replicas have them: what a caller was told outlives the primary. One that a failover
 * has lost is dropped, because its request is open again on the new primary, and is settled there once more. So is each that
 * waits when the connection is lost: another server may have another settlement of its request, and waiters look for that.
 *
 * Settlements of one turn of the event loop are asked about together. While too few replicas have them they are asked about
 * again; a request's deadline ends its wait as ever. Never throws.
 */
export function confirmFirst(deps: {
  readonly redis: Redis;
  readonly replication: Replication;
  readonly waiters: Waiters;
  readonly logger: Logger;
}): Pick<Waiters, 'deliver'> {
  const { redis, replication, waiters } = deps;
  const onTrouble = throttledWarning(deps.logger, 'answers wait: too few replicas have them');
  let pending = new Map<string, ReadJson>();
  let isScheduled = false;
  let losses = 0;
  redis.on('close', () => {
    losses++;
    pending.clear();
  });

  function schedule(ms: number): void {
    if (isScheduled) return;
    isScheduled = true;
    const begin = () => void confirm();
    if (ms === 0) setImmediate(begin);
    else setTimeout(begin, ms).unref();
  }

  async function confirm(): Promise<void> {
    isScheduled = false;
    const all = [...pending].filter(([requestId]) => waiters.has(requestId));
    pending = new Map(all.slice(MOST_AT_ONCE));
    const asked = all.slice(0, MOST_AT_ONCE);
    if (pending.size > 0) schedule(0);
    if (asked.length === 0) return;
    const before = losses;
    try {
      const keys = asked.map(([requestId]) => redisKeys.request(requestId));
      // At once: Redis answers in their order, so that what was found was there before the replicas were waited for.
      const [positions] = await Promise.all([confirmScript(redis, keys, []) as Promise<number[]>, replication.held()]);
      if (losses !== before) return;
      for (const position of positions) waiters.deliver(...(asked[position - 1] as [string, ReadJson]));
    } catch (error) {
      onTrouble(error);
      if (losses !== before) return;
      for (const [requestId, json] of asked) if (!pending.has(requestId)) pending.set(requestId, json);
      schedule(TRY_AGAIN_MS);
    }
  }

  return {
    deliver(requestId, json) {
      if (!waiters.has(requestId)) return;
      pending.set(requestId, json);
      schedule(0);
    },
  };
}
