import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { JOB_LOCK_MS, LOCK_RENEWAL_MS } from '@lontar/shared/time-budget.ts';
import { type LockRenewal, renewLocks } from './renew-locks.ts';

let locks: LockRenewal;
let lost: string[];
let failed: unknown[];
const extend = jest.fn<(jobIds: string[], tokens: string[]) => Promise<string[]>>();

beforeEach(() => {
  jest.useFakeTimers();
  extend.mockReset().mockResolvedValue([]);
  [lost, failed] = [[], []];
  locks = renewLocks({ extend, onLost: (jobId) => lost.push(jobId), onError: (error) => failed.push(error) });
});
afterEach(() => {
  locks.stop();
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('a lock is renewed long before it ends, again and again, and not after its job', async () => {
  await pass(LOCK_RENEWAL_MS / 2);
  locks.hold('a', 'token');
  await pass(JOB_LOCK_MS / 2);
  expect(extend.mock.calls).toEqual([[['a'], ['token']]]);
  await pass(JOB_LOCK_MS / 2);
  expect(extend.mock.calls.length).toBeGreaterThanOrEqual(3);
  locks.release('a');
  extend.mockClear();
  await pass(JOB_LOCK_MS);
  expect(extend).not.toHaveBeenCalled();
});

test('it is renewed on a machine whose clock was set back', async () => {
  locks.hold('a', 'token');
  jest.setSystemTime(Date.now() - 3_600_000);
  await pass(JOB_LOCK_MS / 2);
  expect(extend).toHaveBeenCalled();
});

test('all that are due go in one command', async () => {
  locks.hold('a', 'one');
  locks.hold('b', 'two');
  await pass(2 * LOCK_RENEWAL_MS);
  expect(extend.mock.calls[0]).toEqual([
    ['a', 'b'],
    ['one', 'two'],
  ]);
});

test('locks that were too young for a renewal that took long are renewed right after it', async () => {
  const answer = Promise.withResolvers<string[]>();
  extend.mockReturnValueOnce(answer.promise);
  locks.hold('old', 'one');
  await pass(LOCK_RENEWAL_MS / 2);
  locks.hold('young', 'two');
  await pass(LOCK_RENEWAL_MS / 2 + JOB_LOCK_MS);
  answer.resolve([]);
  await pass(1);
  expect(extend.mock.calls).toEqual([
    [['old'], ['one']],
    [
      ['old', 'young'],
      ['one', 'two'],
    ],
  ]);
});

test('what was renewed once is in each turn, however early its timer: Redis is told what changed, and nothing has', async () => {
  const calls: string[][] = [];
  extend.mockImplementation((jobIds) => {
    calls.push(jobIds);
    return Promise.resolve([]);
  });
  const clock = jest.spyOn(performance, 'now');
  locks.hold('a', 'token');
  await pass(2 * LOCK_RENEWAL_MS);
  const [renewed] = [calls.length];
  // A moment less than the whole time has gone by at the next turn.
  const real = performance.now();
  clock.mockReturnValue(real + LOCK_RENEWAL_MS - 1);
  await pass(LOCK_RENEWAL_MS);
  clock.mockRestore();
  expect(calls.length).toBeGreaterThan(renewed);
  expect(calls.at(-1)).toEqual(['a']);
});

test('a job whose lock another worker has is told so, unless it has ended by itself meanwhile', async () => {
  const answer = Promise.withResolvers<string[]>();
  extend.mockReturnValueOnce(answer.promise);
  locks.hold('a', 'token');
  locks.hold('ended', 'token');
  await pass(2 * LOCK_RENEWAL_MS);
  locks.release('ended');
  answer.resolve(['a', 'ended']);
  await pass(0);
  expect(lost).toEqual(['a']);
});

test('while Redis does not answer one command waits for it; a failure is told, and it goes on', async () => {
  const answer = Promise.withResolvers<string[]>();
  extend.mockReturnValueOnce(answer.promise);
  locks.hold('a', 'token');
  await pass(3 * JOB_LOCK_MS);
  expect(extend).toHaveBeenCalledTimes(1);
  const away = new Error('away');
  answer.reject(away);
  await pass(2 * LOCK_RENEWAL_MS);
  expect(failed).toEqual([away]);
  expect(extend.mock.calls.length).toBeGreaterThan(1);
});
