import { expect, test } from '@jest/globals';
import { createByteBudget, uploadBudgets } from './byte-budget.ts';

test('a budget bounds all together and each owner, and gets back what was taken once', () => {
  const budget = createByteBudget(100, 60);
  const first = budget.take('a', 50);
  expect(budget.take('a', 11)).toBeUndefined();
  const second = budget.take('b', 50);
  expect(budget.take('c', 1)).toBeUndefined();
  first?.();
  first?.();
  expect(budget.take('c', 51)).toBeUndefined();
  expect(budget.take('c', 50)).toBeDefined();
  second?.();
  expect(budget.take('b', 60)).toBeUndefined();
  expect(budget.take('b', 50)).toBeDefined();
});

test('the largest file that an operator allows fits into the budget of uploads', () => {
  for (const MAX_FILE_BYTES of [1, 10_485_760, 1_073_741_824]) {
    expect(uploadBudgets({ MAX_FILE_BYTES }).spooled.take('k', MAX_FILE_BYTES)).toBeDefined();
  }
});
