import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import { QUEUE_KEYS, queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { onTicks } from '@lontar/shared/ticks.ts';
import { WARY_LOOK_MS, WORKER_LOOK_MS } from '@lontar/shared/time-budget.ts';
import { heldJobsKey } from './job-locks.ts';
import { judgeUnheard, type UnheardWorker } from './judge-unheard.ts';
import { hasEnded, thisPlace } from './place.ts';

const lookScript = loadScript(new URL('./look-for-workers.lua', import.meta.url));
const takeBackScript = loadScript(new URL('./take-back.lua', import.meta.url));

/** Jobs that one script takes back at most: Redis does nothing else meanwhile. */
const MOST_TAKEN_BACK = 250;

/**
 * Says that a worker is there, and finds the others that may be gone. See look-for-workers.lua for the contract.
 *
 * @param name the worker that looks; it has to listen on its channel
 * @param place see `thisPlace`
 * @throws when Redis fails; the worker may have been listed then, which a repeated look does not change
 */
export async function lookForWorkers(redis: Redis, name: string, place: string): Promise<UnheardWorker[]> {
  const reply = (await lookScript(redis, [redisKeys.workers], [name, place, redisKeys.workerChannel('')])) as string[];
  return Array.from({ length: reply.length / 2 }, (_, index) => ({
    name: reply[2 * index] ?? '',
    said: reply[2 * index + 1] ?? '',
  }));
}

/**
 * Takes jobs back from a worker that is gone, so many at most. See take-back.lua for the contract. Safe to repeat.
 *
 * @returns their request ids, and whether there may be others; none where the worker is there after all
 * @throws when Redis fails; the jobs may have been taken back then
 */
export async function takeBack(
  redis: Redis,
  { name, said }: UnheardWorker,
  most: number,
): Promise<{ readonly requestIds: string[]; readonly isMore: boolean }> {
  const { waiting, active, stalled, marker, meta } = queueKeys;
  const left = [redisKeys.streamNumbers(name), redisKeys.streamJournal(name), heldJobsKey(name)];
  const keys = [redisKeys.workers, waiting, active, stalled, marker, meta, ...left];
  const args = [name, redisKeys.workerChannel(name), said, QUEUE_KEYS, GENERATION_JOB.maxStalledCount, most];
  const [answer, ...requestIds] = (await takeBackScript(redis, keys, args)) as string[];
  return { requestIds, isMore: answer === 'more' };
}

/** A Redis, or a machine, that is slow all the time never looks steady: after so many answers that is waited for no longer. */
const MOST_LOOKS_WAITED = 10;

export interface WatchWorkersOptions {
  /** A patient connection, the one that jobs are taken and settled by. */
  readonly redis: Redis;
  /** The connection that listens for cancellations: it listens as long as the process is there. */
  readonly subscriber: Redis;
  /** Name of this worker, which the locks of its jobs begin with. */
  readonly name: string;
  /** Where this worker runs; `thisPlace` by default. */
  readonly place?: string;
  /** Jobs were taken back from a worker that is gone. */
  onTakenBack(worker: string, requestIds: readonly string[]): void;
  /** Called for each look that fails, and where Redis does not let this worker listen; must not flood the log. */
  onError(error: unknown): void;
}

export interface WorkerWatch {
  /** Says that this worker has no jobs any more. Never rejects: where Redis fails, others find that out. */
  leave(): Promise<void>;
  /**
   * Resolves right after Redis has answered, once it has served for long enough that a worker that is well has renewed its locks:
   * what is sent then does not wait in a Redis that stands still, to be read before their renewals. Not after `stop`; never rejects.
   */
  untilSteady(): Promise<void>;
  stop(): void;
}

/**
 * Makes this worker known as one that may have jobs, and takes jobs back from those that are gone, for as long as it runs. Where
 * Redis does not allow it, the worker is not made known, and its jobs come back when their locks end, as those do whose worker
 * is there and does not renew them.
 *
 * Never rejects. It waits for Redis; jobs may be taken once it resolves.
 */
export async function watchWorkers(options: WatchWorkersOptions): Promise<WorkerWatch> {
  const { redis, subscriber, name, place = thisPlace(), onError } = options;
  const judge = judgeUnheard();
  let isLooking = false;
  let turnsLeftOut = 0;
  const waiting: (() => void)[] = [];
  let looksWaited = 0;

  const release = () => {
    looksWaited = 0;
    for (const resolve of waiting.splice(0)) resolve();
  };
  const look = async () => {
    const sentAt = performance.now();
    const unheard = await lookForWorkers(redis, name, place);
    const silent = judge.note(unheard, { sentAt, answeredAt: performance.now() });
    const gone = unheard.filter((worker) => silent.includes(worker) || hasEnded(placeOf(worker), place));
    looksWaited++;
    if (judge.isSteady || looksWaited > MOST_LOOKS_WAITED) release();
    for (const worker of gone) await takeAllBack(options, worker);
  };
  const lookOn = () =>
    look().catch((error: unknown) => {
      onError(error);
      // Nothing is known then, as before there were looks.
      release();
    });
  // Each look waits for the one before: while Redis is away, one command waits for it and no more.
  const onTurn = () => {
    // Also counted while one is under way: a slow one is followed by the next as soon as if it had been fast.
    turnsLeftOut++;
    if (isLooking || (!judge.isWary && turnsLeftOut < WORKER_LOOK_MS / WARY_LOOK_MS)) return;
    turnsLeftOut = 0;
    isLooking = true;
    void lookOn().finally(() => {
      isLooking = false;
    });
  };
  let stop: () => void = () => undefined;

  try {
    await subscriber.subscribe(redisKeys.workerChannel(name));
  } catch (error) {
    onError(error);
    return { leave: () => Promise.resolve(), untilSteady: () => Promise.resolve(), stop };
  }
  await lookOn();
  stop = onTicks(WARY_LOOK_MS, onTurn);
  return {
    stop: () => stop(),
    untilSteady: () => new Promise((resolve) => waiting.push(resolve)),
    async leave() {
      stop();
      // A look that is under way comes before it on the same connection.
      await redis.hdel(redisKeys.workers, name).catch(() => 0);
    },
  };
}

async function takeAllBack({ redis, onTakenBack }: WatchWorkersOptions, worker: UnheardWorker): Promise<void> {
  for (;;) {
    const { requestIds, isMore } = await takeBack(redis, worker, MOST_TAKEN_BACK);
    if (requestIds.length > 0) onTakenBack(worker.name, requestIds);
    if (!isMore) return;
  }
}

function placeOf({ said }: UnheardWorker): string {
  return said.slice(said.indexOf(' ') + 1);
}
