import { QUEUE_PREFIX } from '../redis-keys.ts';
import { askNode } from './ask-node.ts';
import { explainRedisFailure } from './explain-failure.ts';
import { NoPrimaryError } from './primary-error.ts';
import { type ClusterAddress, listOf, type RedisNode, showNode } from './redis-address.ts';
import type { RedisTls } from './redis-tls.ts';

/** The first and the last slot of a range, and its primary: address, port, and more of no interest here. */
type SlotRange = readonly [first: number, last: number, primary: readonly [host: string | null, port: number]];

/**
 * Asks a cluster which node has the slot that all keys are in (they carry one hash tag).
 *
 * @throws NoPrimaryError where no node answers, or the slot is nobody's
 */
export async function findInCluster(address: ClusterAddress, tls: RedisTls | undefined): Promise<RedisNode> {
  let failure: unknown;
  for (const node of address.nodes) {
    try {
      const found = await askNode(node, { ...address, tls }, async (redis) => {
        const [slot, ranges] = await Promise.all([
          redis.call('CLUSTER', 'KEYSLOT', QUEUE_PREFIX) as Promise<number>,
          redis.call('CLUSTER', 'SLOTS') as Promise<SlotRange[]>,
        ]);
        const range = ranges.find(([first, last]) => first <= slot && slot <= last);
        // A node that does not know its own address means the one at which it was asked.
        return range && { host: range[2][0] || node.host, port: range[2][1] };
      });
      if (found) return found;
      failure = new Error(`no node of it has the slot of ${QUEUE_PREFIX}`);
    } catch (error) {
      if (/cluster support disabled/i.test(String(error))) {
        throw new NoPrimaryError(
          `${showNode(node)} is no node of a cluster; begin REDIS_URL with redis:// instead of redis+cluster://.`,
        );
      }
      failure = error;
    }
  }
  throw new NoPrimaryError(`The cluster of ${listOf(address.nodes)} cannot be used: ${explainRedisFailure(failure)}`);
}
