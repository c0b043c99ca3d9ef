import { expect, test } from '@jest/globals';
import { describeCharge, whyNoText, wordOf } from './outcomes.ts';

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

test.each([
  ['an answer whose texts were left out', { outcome: 'success', endpoint: '/api/ai' }, true, 'leftOut'],
  ['a failed request', { outcome: 'server_error', endpoint: '/api/ai' }, true, 'noText'],
  ['what no model was asked for', { outcome: 'success' }, true, 'noText'],
  ['any of a log that keeps no texts', { outcome: 'success', endpoint: '/api/ai' }, false, 'textsOff'],
] as const)('the log says why there is no text of %s', (_what, row, areKept, sentence) => {
  expect(whyNoText(row, areKept)).toBe(sentence);
});
