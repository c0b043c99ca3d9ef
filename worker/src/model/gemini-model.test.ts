import { expect, test } from '@jest/globals';
import { thinkingBudgetOf } from './gemini-model.ts';

test.each<[string, number, number | undefined]>([
  ['gemini-2.5-flash', 8_192, undefined],
  ['gemini-2.5-flash', 4_000, 1_000],
  ['gemini-2.5-flash', 1_000, 0],
  ['gemini-2.5-flash-lite', 2_047, 0],
  ['gemini-2.5-flash-lite', 2_048, 512],
  ['gemini-2.5-pro', 4_000, 1_000],
  ['gemini-2.5-pro', 10, 128],
  ['models/gemini-2.5-pro', 10, 128],
  ['gemini-2.5-flash-image', 10, undefined],
  ['gemini-3-pro', 10, undefined],
])('%s thinks within %d tokens with %p', (model, maxOutputTokens, budget) => {
  expect(thinkingBudgetOf({ model, maxOutputTokens })).toBe(budget);
});
