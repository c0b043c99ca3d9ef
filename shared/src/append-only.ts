import type { Redis } from './redis-connection.ts';

const WAIT_MS = 2_000;

/**
 * Waits until what this connection has written stands in the append-only file, and until the replicas that follow have it:
 * all of them, because any may become the primary. A Redis without `WAITAOF` (before 7.2),
 * or without an append-only file, has nothing to wait for: its own settings then say how much a crash may lose. Never
 * rejects: where Redis fails meanwhile, what was written is not known to be on disk.
 */
export async function waitForAppendOnlyFile(redis: Redis): Promise<void> {
  const info = await redis.info('replication').catch(() => '');
  const replicas = Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? '0');
  await Promise.all([
    redis.call('WAITAOF', 1, 0, WAIT_MS).catch(() => undefined),
    replicas > 0 && redis.call('WAIT', replicas, WAIT_MS).catch(() => undefined),
  ]);
}
