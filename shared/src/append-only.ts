import type { Redis } from './redis-connection.ts';

const WAIT_MS = 2_000;

/**
 * Waits until what this connection has written stands in the append-only file, and until a replica has it where there is
 * one. A Redis without `WAITAOF` (before 7.2),
 * or without an append-only file, has nothing to wait for: its own settings then say how much a crash may lose. Never
 * rejects: where Redis fails meanwhile, what was written is not known to be on disk.
 */
export async function waitForAppendOnlyFile(redis: Redis): Promise<void> {
  const hasReplicas = /^connected_slaves:[1-9]/m.test(await redis.info('replication').catch(() => ''));
  await Promise.all([
    redis.call('WAITAOF', 1, 0, WAIT_MS).catch(() => undefined),
    hasReplicas && redis.call('WAIT', 1, WAIT_MS).catch(() => undefined),
  ]);
}
