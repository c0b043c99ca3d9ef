import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';

const WRITE_RETRY_MS = 200;

export interface UntilTakenDeps {
  readonly clock: RedisClock;
  /** Called for each write that Redis refused; must not flood the log. */
  readonly onRedisFailure: (error: unknown) => void;
}

/**
 * Writes, and goes on trying while Redis refuses (full, read-only, failing over): giving up would waste work that is
 * paid for.
 *
 * @returns undefined after the job's deadline: no caller waits any more, and the gateway or the sweeper gives the
 *   credit back
 */
export async function untilTaken<T>(
  deps: UntilTakenDeps,
  job: GenerationJob,
  write: () => Promise<T>,
): Promise<T | undefined> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      deps.onRedisFailure(error);
      if (deps.clock.now() > job.deadlineAt) return undefined;
      await new Promise((resolve) => setTimeout(resolve, WRITE_RETRY_MS));
    }
  }
}
