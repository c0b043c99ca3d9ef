import { QUEUE_KEYS, queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { JOB_LOCK_MS, STALLED_CHECK_MS } from '@lontar/shared/time-budget.ts';

const boundScript = loadScript(new URL('./bound-locks.lua', import.meta.url));
const renewScript = loadScript(new URL('./renew-locks.lua', import.meta.url));

/** A job in work, as it was when its worker took it. */
export interface LockedStart {
  readonly requestId: string;
  readonly lock: string;
  /** How often it had been started, this time included, and how often it had been lost, as Redis writes them. */
  readonly starts: string;
  readonly losses: string;
}

/** Set with expiry: the jobs of a worker, as it told of them last. */
export function heldJobsKey(worker: string): string {
  return queueKeys.job(`held:${worker}`);
}

/** The locks of one worker's jobs. */
export interface JobLocks {
  /**
   * Renews the locks of jobs in work, also of those whose lock has ended while nobody else wanted it. See renew-locks.lua
   * for the contract. Safe to repeat; not to be called again before it has answered.
   *
   * @returns the request ids of the jobs that this worker has lost
   * @throws when Redis fails; some or all locks may have been renewed then
   */
  renew(jobs: readonly LockedStart[]): Promise<string[]>;
  /**
   * Where the connection was made anew since the last time, lets no lock of any worker's job, nor the time until the next look
   * for lost jobs, last longer than one that begins now. See bound-locks.lua for the contract.
   *
   * @throws when Redis fails; it is repeated the next time then
   */
  bound(): Promise<void>;
}

/**
 * Redis is told once which jobs a worker has, and then what has changed: to name a thousand jobs each second took as many
 * bytes as what their answers grow by. Never throws.
 *
 * @param worker no other worker has the name
 */
export function createJobLocks(redis: Redis, worker: string): JobLocks {
  const heldKeys = [queueKeys.stalled, heldJobsKey(worker)];
  /** What Redis was told last; `undefined` where it is not known whether that was heard. */
  let told: ReadonlySet<string> | undefined;
  /** Whether another server may serve, by whose clock locks last longer. */
  let mayHaveSwitched = false;
  redis.on('ready', () => {
    mayHaveSwitched = true;
    // What fails now is repeated by the next look for jobs that were lost.
    void bound().catch(() => undefined);
  });

  async function bound(): Promise<void> {
    if (!mayHaveSwitched) return;
    const keys = [queueKeys.active, queueKeys.stalledCheck];
    await boundScript(redis, keys, [QUEUE_KEYS, JOB_LOCK_MS, STALLED_CHECK_MS]);
    mayHaveSwitched = false;
  }

  async function renew(jobs: readonly LockedStart[]): Promise<string[]> {
    const all = new Set(jobs.map(({ requestId, lock, starts, losses }) => `${requestId} ${lock} ${starts} ${losses}`));
    const before = told;
    told = undefined;
    const gone = [...(before ?? [])].filter((job) => !all.has(job));
    const added = [...all].filter((job) => before?.has(job) !== true);
    const args = [QUEUE_KEYS, JOB_LOCK_MS, before ? 0 : 1, all.size, gone.length, ...gone, ...added];
    const [kind, ...lost] = (await renewScript(redis, heldKeys, args)) as ['renewed' | 'forgotten', ...string[]];
    // With all of them this time.
    if (kind === 'forgotten') return before === undefined ? [] : renew(jobs);
    told = all;
    return lost;
  }

  return {
    renew,
    bound,
  };
}
