import { expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { waterfall } from './waterfall.ts';

test('stages follow each other and add up to the whole', () => {
  const stages = waterfall({ ms: 500, queuedMs: 20, modelMs: 400, maskMs: 0.5, attempts: 2 } as LogRow);
  expect(stages.map(({ name, startMs, durationMs }) => [name, startMs, durationMs])).toEqual([
    ['Waiting, earlier attempts', 0, 20],
    ['Model, attempt 2', 20, 400],
    ['Masking', 420, 0.5],
    ['Reply and the rest', 420.5, 79.5],
  ]);
});

test('a failure of the fifth attempt shows that attempt, and what the earlier ones took', () => {
  const stages = waterfall({ ms: 4_500, queuedMs: 4_100, modelMs: 380, maskMs: 0, attempts: 5 } as LogRow);
  expect(stages.map(({ name, durationMs }) => [name, durationMs]).slice(0, 2)).toEqual([
    ['Waiting, earlier attempts', 4_100],
    ['Model, attempt 5', 380],
  ]);
});

test('a request that no worker had has none, and clocks that disagree give no negative stage', () => {
  expect(waterfall({ ms: 3 } as LogRow)).toEqual([]);
  expect(waterfall({ ms: 10, queuedMs: 5, modelMs: 9 } as LogRow).at(-1)).toMatchObject({ durationMs: 0 });
});
