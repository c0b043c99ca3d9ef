import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { limitReplyTime } from './reply-patience.ts';

const WAIT_MS = 1_600;
/** A sixteenth of the wait: it is counted by these. */
const SLICE_MS = WAIT_MS / 16;

let send: (name: string) => { isSettled: boolean };
let givenUp: Map<string, number>;

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  givenUp = new Map();
  const redis = { on: () => redis, sendCommand: () => undefined } as unknown as Redis;
  limitReplyTime(redis, WAIT_MS);
  send = (name) => {
    const command = {
      isSettled: false,
      reject() {
        command.isSettled = true;
        givenUp.set(name, performance.now());
      },
    };
    redis.sendCommand(command as never);
    return command;
  };
});
afterEach(() => void jest.useRealTimers());

test.each([0, 1, 7.5, 8.5, 15])(
  'a command that is sent %s slices after another one has a wait of its own',
  (slices) => {
    const [from, after] = [performance.now(), slices * SLICE_MS];
    send('first');
    jest.advanceTimersByTime(after);
    send('second');
    jest.advanceTimersByTime(3 * WAIT_MS);
    expect((givenUp.get('first') ?? 0) - from).toBe(WAIT_MS);
    const waited = (givenUp.get('second') ?? 0) - from - after;
    // By whole slices.
    expect(waited).toBeGreaterThan(WAIT_MS - SLICE_MS);
    expect(waited).toBeLessThanOrEqual(WAIT_MS);
  },
);

test('a stall of this process uses up no more than half of a wait', () => {
  send('one');
  // Nothing was looked at meanwhile: the first look is late by all of it.
  jest.setSystemTime(10 * WAIT_MS);
  jest.advanceTimersToNextTimer();
  expect(givenUp.size).toBe(0);
  jest.advanceTimersByTime(WAIT_MS / 2 - 1);
  expect(givenUp.size).toBe(0);
  jest.advanceTimersByTime(1);
  expect(givenUp.size).toBe(1);
});

test('no timer is left when every command has its reply, or was given up', () => {
  send('one').isSettled = true;
  jest.advanceTimersByTime(WAIT_MS / 2);
  expect(jest.getTimerCount()).toBe(0);
  send('two');
  jest.advanceTimersByTime(2 * WAIT_MS);
  expect([...givenUp.keys()]).toEqual(['two']);
  expect(jest.getTimerCount()).toBe(0);
});
