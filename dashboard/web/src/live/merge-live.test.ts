import { expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { addRows, MOMENTS_HELD, mergeMoments, ROWS_HELD } from './merge-live.ts';

const row = (id: number) => ({ cursor: `${id}-0`, id: `req_${id}` }) as LogRow;

test('new rows come first, and the page holds a bounded number', () => {
  const held = addRows([row(1)], [row(2), row(3)]);
  expect(held.map(({ id }) => id)).toEqual(['req_3', 'req_2', 'req_1']);
  expect(
    addRows(
      held,
      Array.from({ length: 2_000 }, (_, index) => row(index + 4)),
    ),
  ).toHaveLength(ROWS_HELD);
});

test('a row that stands for several requests takes the place of its first form', () => {
  const counted = { ...row(4), id: 'req_2', count: 37 };
  const held = addRows(addRows([row(1)], [row(2), row(3)]), [counted]);
  expect(held.map(({ cursor, count }) => [cursor, count])).toEqual([
    ['4-0', 37],
    ['3-0', undefined],
    ['1-0', undefined],
  ]);
});

test('fresh points replace those of the same time, and old ones leave', () => {
  const moment = (at: number, success: number) => ({ at, outcomes: { success } });
  const held = Array.from({ length: MOMENTS_HELD }, (_, index) => moment(index, 1));
  const merged = mergeMoments(held, [moment(359, 5), moment(360, 1)]);
  expect(merged).toHaveLength(MOMENTS_HELD);
  expect([merged[0]?.at, merged.at(-2), merged.at(-1)]).toEqual([1, moment(359, 5), moment(360, 1)]);
  expect(mergeMoments(held, [])).toEqual(held);
});
