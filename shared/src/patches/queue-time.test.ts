import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { redisTime } from '../../testing/redis-time.ts';
import { LONGEST_BLOCK_MS } from '../time-budget.ts';
import { tellQueueRedisTime } from './queue-time.ts';

const MACHINE_NOW = 5_000_000;
const REDIS_NOW = 1_000_000;
const clock = { now: () => redisTime(REDIS_NOW) };

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(MACHINE_NOW);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A backend that answers what it is given, and notes what it was asked. */
function fakeBackend({ answer, marker }: { answer?: unknown; marker?: { member: string; score: number } }) {
  const asked: unknown[] = [];
  const backend = {
    async execCommand(_client: unknown, name: string, args: unknown[]): Promise<unknown> {
      asked.push([name, args]);
      return answer;
    },
    async waitForJob(seconds: number) {
      asked.push(seconds);
      return marker ?? null;
    },
  };
  return { asked, backend: tellQueueRedisTime(backend, clock) };
}

test.each([
  ['moveToActive', 12],
  ['moveToDelayed', 12],
  ['moveToFinished', 15],
])('%s is given the time of Redis', async (name, at) => {
  const { backend, asked } = fakeBackend({});
  const args = Array.from({ length: 20 }, (_, index) => index);
  await backend.execCommand(undefined, name, [...args]);
  expect(asked).toEqual([[name, args.with(at, REDIS_NOW)]]);
});

test('any other script gets what it was given, and its answer is left alone', async () => {
  const { backend, asked } = fakeBackend({ answer: [1, 2, 3, REDIS_NOW] });
  const args = Array.from({ length: 20 }, (_, index) => index);
  expect(await backend.execCommand(undefined, 'extendLocks', [...args])).toEqual([1, 2, 3, REDIS_NOW]);
  expect(asked).toEqual([['extendLocks', args]]);
});

test.each<[string, unknown, unknown]>([
  ['when the next delayed job is due', [0, 0, 0, REDIS_NOW + 250], [0, 0, 0, MACHINE_NOW + 250]],
  ['that none is', [['id', 'x'], 'x', 0, 0], [['id', 'x'], 'x', 0, 0]],
  ['nothing', undefined, undefined],
  ['an error code', -2, -2],
])('a worker is answered by its own clock %s', async (_, answer, expected) => {
  const { backend } = fakeBackend({ answer });
  expect(await backend.execCommand(undefined, 'moveToActive', [])).toEqual(expected);
});

test.each([
  ['a job that waits', { member: '0', score: 0 }, { member: '0', score: 0 }],
  ['a job that is due later', { member: '1', score: REDIS_NOW + 250 }, { member: '1', score: MACHINE_NOW + 250 }],
  ['nothing', undefined, null],
])('a worker that waits hears of %s by its own clock', async (_, marker, expected) => {
  const { backend } = fakeBackend({ ...(marker && { marker }) });
  expect(await backend.waitForJob(1)).toEqual(expected);
});

test('no wait is longer than our longest, in case the clock is set meanwhile', async () => {
  const { backend, asked } = fakeBackend({});
  await backend.waitForJob(0.25);
  await backend.waitForJob(3_600);
  expect(asked).toEqual([0.25, LONGEST_BLOCK_MS / 1_000]);
});
