import type { Redis } from 'ioredis';

/**
 * Gives the twins of a connection a silence limit of their own. BullMQ makes its connection for waiting by `duplicate`
 * and hands on no limit, so that the twin would have its parent's, which is shorter than a wait.
 *
 * Patches `duplicate` of this connection: checked with ioredis 6.0.0 and BullMQ 6.7.0. The canary is in the worker's
 * job-runner.int.test.ts, because only that file and the queue's know BullMQ.
 *
 * @param silenceMs how long a twin may wait for a byte of an answer
 */
export function letTwinsBeSilent(redis: Redis, silenceMs: number): void {
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (options) => duplicate({ ...options, socketTimeout: silenceMs });
}
