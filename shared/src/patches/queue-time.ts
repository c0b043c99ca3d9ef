import { type MachineTime, machineNow } from '../machine-time.ts';
import type { RedisClock, RedisTime } from '../redis-clock.ts';
import { LONGEST_BLOCK_MS } from '../time-budget.ts';

/** What of a BullMQ backend is patched. */
interface QueueBackend {
  execCommand(client: never, name: string, args: unknown[]): unknown;
  waitForJob(seconds: number): Promise<{ member: string; score: number } | null>;
}

/** BullMQ's scripts that reckon by the time that their caller gives, and where among their arguments it stands. */
const TIME_AT: Readonly<Record<string, number>> = { moveToActive: 12, moveToDelayed: 12, moveToFinished: 15 };

/** Where the answers of those scripts have the time at which the next delayed job is due, or 0. */
const DUE_AT = 3;

/**
 * Makes a worker's queue reckon by Redis's clock, whatever this machine's says: BullMQ gives its scripts `Date.now()`,
 * so that a worker whose clock is an hour ahead would start every delayed job at once, and one behind would leave its
 * own waiting for an hour.
 *
 * BullMQ's worker itself then compares what it is answered with `Date.now()`, and so gets those times by this machine's
 * clock. That may be set while the worker waits, and so no wait is longer than `LONGEST_BLOCK_MS`.
 *
 * Patches `execCommand` and `waitForJob` of one backend: checked with BullMQ 6.7.0. The canary is in the worker's
 * job-runner.int.test.ts, because only job-runner.ts runs BullMQ's workers.
 */
export function tellQueueRedisTime<Backend extends QueueBackend>(backend: Backend, clock: Pick<RedisClock, 'now'>) {
  const patched: QueueBackend = backend;
  const execCommand = backend.execCommand.bind(backend);
  const askWithTime = async (client: never, name: string, args: unknown[], at: number) => {
    args[at] = clock.now();
    const answer = await execCommand(client, name, args);
    if (Array.isArray(answer) && answer[DUE_AT] > 0) answer[DUE_AT] = byThisMachine(clock, answer[DUE_AT]);
    return answer;
  };
  // What reckons by no time may be part of a transaction, whose commands are not waited for one by one.
  patched.execCommand = (client, name, args) => {
    const at = TIME_AT[name];
    return at === undefined ? execCommand(client, name, args) : askWithTime(client, name, args, at);
  };
  const waitForJob = backend.waitForJob.bind(backend);
  patched.waitForJob = async (seconds) => {
    const marker = await waitForJob(Math.min(seconds, LONGEST_BLOCK_MS / 1_000));
    // A score of 0 says that a job waits; any other one when a delayed job is due.
    return marker && marker.score > 0 ? { ...marker, score: byThisMachine(clock, marker.score as RedisTime) } : marker;
  };
  return backend;
}

/** A moment of Redis's clock as this machine's clock will show it, for code that compares with `Date.now()`. */
export function byThisMachine(clock: Pick<RedisClock, 'now'>, at: RedisTime): MachineTime {
  return (machineNow() + (at - clock.now())) as MachineTime;
}
