import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from './logger.ts';
import { throttleLines } from './throttled-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function openLines() {
  const written: { msg: string; reason?: string; heldBack?: number }[] = [];
  const logger = createLogger('test', 'info', { write: (text: string) => void written.push(JSON.parse(text)) });
  return { written, lines: throttleLines(logger) };
}

test('of each message and reason one line a second is written, with how many were held back', () => {
  const { written, lines } = openLines();
  for (let index = 0; index < 500; index++) {
    lines.warn({ reason: 'timed_out' }, 'a model attempt failed');
    lines.warn({ reason: 'rate_limited' }, 'a model attempt failed');
  }
  jest.advanceTimersByTime(1_000);
  lines.warn({ reason: 'timed_out' }, 'a model attempt failed');
  expect(written.map(({ reason, heldBack }) => [reason, heldBack])).toEqual([
    ['timed_out', undefined],
    ['rate_limited', undefined],
    ['timed_out', 499],
  ]);
});

test('reasons without a bound share a line', () => {
  const { written, lines } = openLines();
  for (let index = 0; index < 10_000; index++) lines.error({ reason: String(index) }, 'a request failed');
  expect(written).toHaveLength(101);
});
