import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { onTicks, TICK_MS } from './ticks.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('everything that is repeated has one timer, whenever it began', () => {
  const done: string[] = [];
  const stops = [onTicks(TICK_MS, () => done.push('often'))];
  jest.advanceTimersByTime(TICK_MS - 1);
  stops.push(onTicks(2 * TICK_MS, () => done.push('seldom')));
  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(1 + 3 * TICK_MS);
  expect(done.filter((one) => one === 'often')).toHaveLength(4);
  expect(done.filter((one) => one === 'seldom')).toHaveLength(2);
  for (const stop of stops) stop();
  expect(jest.getTimerCount()).toBe(0);
});

test('what was ended is not repeated, and the rest goes on', () => {
  const done: string[] = [];
  const stopFirst = onTicks(TICK_MS, () => done.push('first'));
  const stopSecond = onTicks(TICK_MS, () => done.push('second'));
  stopFirst();
  stopFirst();
  jest.advanceTimersByTime(TICK_MS);
  expect(done).toEqual(['second']);
  stopSecond();
});
