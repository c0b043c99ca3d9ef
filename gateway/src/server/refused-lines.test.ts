import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { thinRefusedLines } from './refused-lines.ts';

interface Line {
  readonly requestId: string;
  readonly address: string;
  readonly count?: number;
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function openLines() {
  const written: Line[] = [];
  const lines = thinRefusedLines((line) => written.push(line as Line));
  let asked = 0;
  const note = (address: string, kind = `${address} address_blocked`) => {
    asked++;
    lines.note(kind, { requestId: `req_${asked}`, address });
  };
  return { written, lines, note };
}

const total = (written: readonly Line[]) => written.reduce((sum, { count = 1 }) => sum + count, 0);

test('the first line comes at once, the others of a second as one with their number', () => {
  const { written, note } = openLines();
  for (let index = 0; index < 2_000; index++) note('192.0.2.1');
  expect(written).toEqual([{ requestId: 'req_1', address: '192.0.2.1' }]);
  jest.advanceTimersByTime(1_250);
  expect(written[1]).toEqual({ requestId: 'req_2000', address: '192.0.2.1', count: 1_999 });
  jest.advanceTimersByTime(10_000);
  expect(written).toHaveLength(2);
});

test('a flood of ten seconds takes eleven lines at most', () => {
  const { written, note } = openLines();
  for (let ms = 0; ms < 10_000; ms += 5) {
    note('192.0.2.1');
    jest.advanceTimersByTime(5);
  }
  jest.advanceTimersByTime(2_000);
  expect(written.length).toBeLessThanOrEqual(11);
  expect(total(written)).toBe(2_000);
});

test('of very many addresses, those beyond the bound share a line', () => {
  const { written, note } = openLines();
  for (let index = 0; index < 1_000; index++) note(`10.0.${index >> 8}.${index & 255}`);
  jest.advanceTimersByTime(2_500);
  expect(written.length).toBeLessThanOrEqual(42);
  expect(total(written)).toBe(1_000);
  expect(written.at(-1)).toMatchObject({ address: 'other addresses', count: 960 });
});

test('who goes through addresses and reasons for a minute writes a bounded number of lines', () => {
  const { written, lines, note } = openLines();
  for (let index = 0; index < 6_000; index++) {
    note(`2001:db8::${index}`, `2001:db8::${index} reason ${index % 8}`);
    jest.advanceTimersByTime(10);
  }
  expect(written.length).toBeLessThanOrEqual(40 + 60 / 2 + 1);
  lines.stop();
  expect(total(written)).toBe(6_000);
});

test('where there is little room, each kind has its turn', () => {
  const { written, note } = openLines();
  for (let index = 0; index < 2_400; index++) {
    note(`10.0.0.${index % 40}`);
    jest.advanceTimersByTime(100);
  }
  const late = new Set(written.slice(60).map(({ address }) => address));
  expect(late.size).toBeGreaterThan(35);
});

test('who sends a request every few seconds has a line for each', () => {
  const { written, note } = openLines();
  for (let index = 0; index < 5; index++) {
    note('192.0.2.1');
    jest.advanceTimersByTime(1_500);
  }
  expect(written.map(({ count }) => count)).toEqual(Array.from({ length: 5 }));
});

test('what is held back is written at the stop', () => {
  const { written, lines, note } = openLines();
  for (let index = 0; index < 3; index++) note('192.0.2.1');
  lines.stop();
  expect(total(written)).toBe(3);
});
