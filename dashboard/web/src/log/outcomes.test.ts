import { expect, test } from '@jest/globals';
import { describeCharge, wordOf } from './outcomes.ts';

test.each([
  [{ outcome: 'success', charged: true }, 'Success', 'Charged'],
  [{ outcome: 'timeout', error: 'timed_out', charged: false }, 'Timed out', /^Given back: it failed/],
  [{ outcome: 'timeout', error: 'timed_out', charged: true }, 'Timed out', /^Charged: the free failures/],
  [
    { outcome: 'client_error', error: 'client_closed', charged: true },
    'Caller left',
    /^Charged: the caller disconnected/,
  ],
  [{ outcome: 'client_error', error: 'invalid_parameter', charged: true }, 'Bad request', /maxOutputTokens/],
] as const)('%j is called %s and its credit explained', (row, word, charge) => {
  expect(wordOf(row)).toBe(word);
  expect(describeCharge(row)).toEqual(typeof charge === 'string' ? charge : expect.stringMatching(charge));
});

test('a request for which nothing was reserved has no credit to explain', () => {
  expect(describeCharge({ outcome: 'unauthorized' })).toBeUndefined();
});
