import { RedisAwayError } from './redis-away.ts';
import type { Redis } from './redis-connection.ts';
import { REPLICAS_WAIT_MS } from './time-budget.ts';

/** Whether enough replicas have what the primary has. */
export interface Replication {
  /**
   * Resolves when enough replicas have everything that this server had executed when this turn of the event loop ended,
   * whoever wrote it. Called right after a reply, in the same turn, it speaks of the server that gave the reply: another one
   * takes more than a turn to connect to. All who ask in one turn share two commands.
   *
   * @throws RedisAwayError where too few of them have it in time, or Redis fails: whether it outlives the primary is then
   *   unknown
   */
  held(): Promise<void>;
}

/**
 * @param redis a connection that fails fast
 * @param fence a key of this process alone: writing it gives the server's place in what replicas get, which a connection
 *   that has only read does not have
 * @param replicas how many have to have it
 * @param onWaited called after each wait, with whether enough of them had it
 * @returns `undefined` where none have to: nothing is asked then
 * @throws nothing itself
 */
export function watchReplication(
  redis: Redis,
  fence: string,
  replicas: number,
  onWaited: (isHeld: boolean) => void = () => undefined,
): Replication | undefined {
  if (replicas === 0) return undefined;
  let waiting: Promise<void> | undefined;

  async function wait(): Promise<void> {
    const [, count] = await Promise.all([
      redis.set(fence, '1', 'EX', 60),
      redis.call('WAIT', replicas, REPLICAS_WAIT_MS) as Promise<number>,
    ]);
    onWaited(count >= replicas);
    if (count >= replicas) return;
    throw new RedisAwayError(`${count} of the replicas that have to have a write have it, and ${replicas} should`, {
      replied: true,
    });
  }

  return {
    held() {
      waiting ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          waiting = undefined;
          wait().then(resolve, reject);
        });
      });
      return waiting;
    },
  };
}
