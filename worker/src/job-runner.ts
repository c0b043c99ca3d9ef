import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import { byThisMachine, tellQueueRedisTime } from '@lontar/shared/patches/queue-time.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import { connectTwin, type Redis } from '@lontar/shared/redis-connection.ts';
import { QUEUE_PREFIX } from '@lontar/shared/redis-keys.ts';
import type { SettleResult } from '@lontar/shared/settlement/settle.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import { JOB_LOCK_MS, LONGEST_BLOCK_MS, STALLED_CHECK_MS } from '@lontar/shared/time-budget.ts';
import {
  createIORedisClient,
  type JobJson,
  type MinimalJob,
  type MoveToDelayedOpts,
  type QueueBaseOptions,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
  type RetryJobOpts,
  raw2NextJobData,
  WaitingError,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { countsOf, createHeldJobs } from './held-jobs.ts';
import {
  type AbortReason,
  Again,
  createStarter,
  type JobRunner,
  type JobRunnerOptions,
  rememberCancellations,
  type ToSettle,
} from './job-start.ts';
import { inNextTurn } from './next-turn.ts';
import { afterEachWait } from './patches/behind-waits.ts';
import { renewTogether } from './patches/renew-together.ts';
import { createJobLocks, type JobLocks } from './recovery/job-locks.ts';
import { renewLocks } from './recovery/renew-locks.ts';
import type { LockedJob } from './taken-jobs.ts';
import { createTurns, type Turns } from './turns.ts';

/** After an error of the queue, ms; BullMQ's own default of 15 s would leave callers waiting. */
const ERROR_RETRY_MS = 200;

/** Runs generation jobs from the queue. This file and shared's `generation-queue.ts` alone know BullMQ. */
export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { logger, clock } = options;
  const cancelled = rememberCancellations();
  const starter = createStarter(options, cancelled.take);
  const places: Places = { ...options, concurrency: () => worker.concurrency };
  const warn = throttledWarning(logger, 'the queue failed');
  const locks = renewLocks({
    extend: (requestIds, tokens) => worker.extendJobLocks(requestIds, tokens, JOB_LOCK_MS),
    onLost(requestId) {
      warn(new Error('the lock of a job was lost'));
      worker.cancelJob(requestId, 'lock lost' satisfies AbortReason);
    },
    onError: warn,
  });
  let backend: TurnBackend | undefined;

  const worker = new Worker<GenerationJob, void>(
    GENERATION_JOB.queue,
    // BullMQ hands the abort signal to processors that declare three parameters, none with a default, and to no others.
    async (job, token, signal) => {
      const { id: requestId = '', data } = job;
      locks.hold(requestId, token ?? '');
      const run = starter.run({
        requestId,
        data,
        signal,
        number: job.attemptsStarted,
        attempt: job.attemptsMade + 1,
        losses: job.stalledCounter,
        settle: (settlement) => (backend as TurnBackend).settle(requestId, token ?? '', settlement),
      });
      const end = await run.finally(() => locks.release(requestId));
      if (end.kind === 'again') throw new Again(end.delayMs);
      if (end.kind === 'handed back') {
        await job.moveToWait(token);
        // BullMQ asks for this error: it must not finish a job that is in the queue again.
        throw new WaitingError();
      }
    },
    optionsOf(options),
    (queue, opts) => (backend = tellQueueRedisTime(createTurnBackend(queue, opts, places), clock)),
  );
  // Jobs that were taken and have not begun are another worker's to start, at once.
  worker.on('closing', () => void backend?.stopTaking());
  worker.on('error', warn);
  worker.on('stalled', options.onStalled);
  worker.on('failed', starter.giveUp);

  return {
    cancel(requestId) {
      if (!worker.cancelJob(requestId, 'cancelled' satisfies AbortReason)) cancelled.add(requestId);
    },
    get active() {
      return starter.active;
    },
    allowMore(count) {
      worker.concurrency = options.concurrency + count;
    },
    async stop(timeoutMs) {
      const handBack = setTimeout(() => worker.cancelAllJobs('stopping' satisfies AbortReason), timeoutMs);
      await worker.close();
      locks.stop();
      clearTimeout(handBack);
    },
  };
}

function optionsOf({ redis, concurrency }: JobRunnerOptions): WorkerOptions {
  return {
    connection: redis,
    prefix: QUEUE_PREFIX,
    concurrency,
    lockDuration: JOB_LOCK_MS,
    // See `renewLocks`.
    skipLockRenewal: true,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: GENERATION_JOB.maxStalledCount,
    runRetryDelay: ERROR_RETRY_MS,
    drainDelay: LONGEST_BLOCK_MS / 1_000,
    skipVersionCheck: true,
    settings: { backoffStrategy: (_made, _type, error) => (error instanceof Again ? error.delayMs : -1) },
  };
}

type Places = Pick<JobRunnerOptions, 'name' | 'redis' | 'clock' | 'untilSteady'> & {
  readonly concurrency: () => number;
};

/**
 * BullMQ's way to Redis, with a way of our own to take and to finish jobs: many in one script, with the settlements of their
 * requests (turn.lua). Locks, losses, delays, pauses and counts are BullMQ's, and so is the form of everything in Redis.
 */
class TurnBackend extends RedisQueueBackend {
  readonly #places: Places;
  readonly #turns: Turns;
  readonly #held = createHeldJobs();
  readonly #locks: JobLocks;
  #isWaiting = false;

  constructor(places: Places, waiting: Redis, ...base: ConstructorParameters<typeof RedisQueueBackend>) {
    super(...base);
    const { redis, name } = places;
    this.#places = places;
    this.#locks = createJobLocks(redis, name);
    const free = () => places.concurrency() - this.#held.count;
    this.#turns = createTurns({ redis, waiting, name, places: free, isWaiting: () => this.#isWaiting });
    afterEachWait(waiting, this.#turns.takeAhead);
  }

  /** Settles a request and finishes its job. @throws as `Turns.end` */
  async settle(requestId: string, token: string, settle: ToSettle): Promise<SettleResult> {
    const held = this.#held.find(requestId, token);
    const lock = held?.isRemoved ? held.lock : undefined;
    const { settled } = await this.#turns.end({ requestId, settle, ...(lock !== undefined && { lock }) });
    if (held && lock !== undefined) held.isFinished = true;
    return settled ?? { kind: 'gone' };
  }

  /** Takes no more jobs, and gives those back that no place has. */
  stopTaking = () => this.#turns.close();

  override async moveToActive(token: string): Promise<unknown[]> {
    await this.#turns.takenAhead();
    const ready = this.#turns.next();
    if (ready) return this.#hand(ready, token);
    // BullMQ asks until the answer is that there is nothing more; where that is known, it is answered without Redis. Once:
    // where a delayed job is due by then, BullMQ does not wait, but asks again.
    if (this.#turns.wasEmptied()) return this.#nothing();
    await this.#turns.take();
    const taken = this.#turns.next();
    return taken ? this.#hand(taken, token) : this.#nothing();
  }

  override async waitForJob(blockTimeout: number): ReturnType<RedisQueueBackend['waitForJob']> {
    // Where the marker of a delayed job has ended the wait before, nobody has asked for what was taken behind it.
    if (await this.#turns.takenAhead()) return { member: '0', score: 0 };
    this.#isWaiting = true;
    try {
      // The job that was handed out just before asks its model first.
      await new Promise<void>(inNextTurn);
      return this.#turns.isClosed ? null : await super.waitForJob(blockTimeout);
    } finally {
      this.#isWaiting = false;
      this.#turns.expectMore();
    }
  }

  override async moveToCompleted(
    ...[job, value, remove, token, fetchNext]: Parameters<RedisQueueBackend['moveToCompleted']>
  ): ReturnType<RedisQueueBackend['moveToCompleted']> {
    return this.#finish(job, token, fetchNext, (lock) => super.moveToCompleted(job, value, remove, lock, false));
  }

  override async moveToFailed(
    ...[job, reason, remove, token, fetchNext, fields]: Parameters<RedisQueueBackend['moveToFailed']>
  ): ReturnType<RedisQueueBackend['moveToFailed']> {
    return this.#finish(job, token, fetchNext, (lock) => super.moveToFailed(job, reason, remove, lock, false, fields));
  }

  override moveToDelayed(jobId: string, at: number, delay: number, token = '0', opts: MoveToDelayedOpts = {}) {
    return this.#release(jobId, token, (lock) =>
      super.moveToDelayed(jobId, at, delay, lock, { ...opts, fetchNext: false }),
    );
  }

  override retryJob(jobId: string, lifo: boolean, token = '0', opts: RetryJobOpts = {}) {
    return this.#release(jobId, token, (lock) => super.retryJob(jobId, lifo, lock, opts));
  }

  override moveJobFromActiveToWait(jobId: string, token = '0') {
    return this.#release(jobId, token, (lock) => super.moveJobFromActiveToWait(jobId, lock));
  }

  override extendLocks(jobIds: string[], tokens: string[]) {
    return this.#locks.renew(this.#held.locksOf(jobIds, tokens));
  }

  override async moveStalledJobsToWait(): Promise<string[]> {
    await this.#locks.bound();
    await this.#places.untilSteady();
    return super.moveStalledJobsToWait();
  }

  override async close(force?: boolean): Promise<void> {
    await this.stopTaking();
    await super.close(force);
  }

  async #finish(
    { id = '' }: MinimalJob,
    token: string,
    fetchNext: boolean,
    keep: (lock: string) => ReturnType<RedisQueueBackend['moveToCompleted']>,
  ): ReturnType<RedisQueueBackend['moveToCompleted']> {
    const held = this.#held.find(id, token);
    // A job that is to be kept, or counts for another one, is not of our making: BullMQ knows what becomes of it.
    if (!held?.isRemoved) return this.#release(id, token, keep);
    if (!held.isFinished) {
      const { job } = await this.#turns.end({ requestId: id, lock: held.lock });
      this.#held.release(id, token);
      const codes = { finished: 0, kept: 0, gone: -1, lost: -2 } as const;
      const code = codes[job];
      if (code < 0) throw this.finishedErrors({ code, jobId: id, command: 'finish', state: 'active' });
    }
    this.#held.release(id, token);
    return { result: fetchNext ? this.#handAfter(token) : undefined, finishedOn: this.#places.clock.now() };
  }

  /** Lets BullMQ move a job elsewhere; where that fails, the job stays held, because BullMQ tries again. */
  async #release<T>(jobId: string, token: string, move: (lock: string) => Promise<T>): Promise<T> {
    const moved = await move(this.#held.lockOf(jobId, token));
    this.#held.release(jobId, token);
    return moved;
  }

  /** The answer to the place of a job that has ended: the next job, that there is none, or nothing where that is unknown. */
  #handAfter(token: string): unknown[] | undefined {
    const ready = this.#turns.next();
    if (ready) return this.#hand(ready, token);
    return !this.#isWaiting && this.#turns.wasEmptied() ? this.#nothing() : undefined;
  }

  #nothing(): unknown[] {
    const dueAt = this.#turns.nextAt() as RedisTime;
    return [null, null, 0, dueAt && byThisMachine(this.#places.clock, dueAt)];
  }

  #hand({ requestId, hash, lock }: LockedJob, token: string): unknown[] {
    const raw = raw2NextJobData([hash, requestId, 0, 0]);
    const { opts, parentKey, deduplicationId, repeatJobKey } = raw[0] as JobJson;
    const isOurs = parentKey === undefined && deduplicationId === undefined && repeatJobKey === undefined;
    const isRemoved = isOurs && opts.removeOnComplete === true && opts.removeOnFail === true;
    this.#held.hold(requestId, token, { lock, ...countsOf(hash), isRemoved, isFinished: false });
    return raw;
  }
}

/** As BullMQ makes its own: a connection that blocks is a twin of the one for everything else. */
function createTurnBackend(queue: string, opts: QueueBaseOptions, places: Places): TurnBackend {
  const [{ redis }, { skipVersionCheck = false }] = [places, opts];
  const twin = connectTwin(redis, `${QUEUE_PREFIX}:${Buffer.from(queue).toString('base64')}`);
  renewTogether(redis, twin);
  const queueKeys = new QueueKeys(QUEUE_PREFIX);
  return new TurnBackend(
    places,
    twin,
    new RedisConnection(redis, { shared: true, blocking: false, skipVersionCheck }),
    queue,
    queueKeys.getKeys(queue),
    (type) => queueKeys.toKey(queue, type),
    opts,
    new RedisConnection(createIORedisClient(twin), { shared: false, blocking: true, skipVersionCheck }),
  );
}
