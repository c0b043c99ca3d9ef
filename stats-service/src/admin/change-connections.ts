import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';

/** Changes that wait for a connection at most; further ones are refused. */
const MOST_WAITING = 100;

/** Runs changes one after the other on each of some connections. */
export interface ChangeConnections {
  /**
   * Runs a change with a connection of its own: it waits there until the change stands in the append-only file, and nothing
   * else shall wait behind it.
   *
   * @throws RedisAwayError where too many wait; and what the change throws
   */
  run<Result>(change: (redis: Redis) => Promise<Result>): Promise<Result>;
}

/** @throws nothing itself */
export function shareConnections(connections: readonly Redis[]): ChangeConnections {
  const free = [...connections];
  const waiting: ((redis: Redis) => void)[] = [];
  const take = (): Promise<Redis> => {
    const redis = free.pop();
    if (redis !== undefined) return Promise.resolve(redis);
    if (waiting.length >= MOST_WAITING) {
      return Promise.reject(new RedisAwayError('too many changes wait', { replied: false }));
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  };
  return {
    async run(change) {
      const redis = await take();
      try {
        return await change(redis);
      } finally {
        const next = waiting.shift();
        if (next) next(redis);
        else free.push(redis);
      }
    },
  };
}
