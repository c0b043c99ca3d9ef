import { expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import fc from 'fast-check';
import { showValue } from './show-value.ts';
import { toldMessage } from './told-message.ts';

test.each([
  ['the envelope', { status: false, code: 403, message: 'No.', error: 'API key not active' }, 'No.'],
  [
    "OpenAI's form",
    { error: { message: 'Incorrect API key provided. No.', type: 'x' } },
    'Incorrect API key provided. No.',
  ],
  ['no error', undefined, undefined],
  ['something else', { error: 'x' }, undefined],
])('of %s', (_form, body, told) => {
  expect(toldMessage(body)).toBe(told);
});

test('nothing that the caller gave is kept', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (given) => {
      const message = `model must be one of a, b; ${showValue(given)} was given.`;
      expect(toldMessage({ message })).toBe('model must be one of a, b; "…" was given.');
    }),
  );
});
