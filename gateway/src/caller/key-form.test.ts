import { expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { wrongFormMessage } from './key-form.ts';

const { key } = mintApiKey();

test.each([
  ['a key', key, undefined],
  ['Bearer before it', `Bearer ${key}`, /begins with the word Bearer/],
  ['quotation marks around it', `"${key}"`, /quotation marks/],
  ['a placeholder', 'YOUR_KEY', /placeholder/],
  ['a variable that no shell replaced', `\${LONTAR_KEY}`, /placeholder/],
  ['a space in it', `${key.slice(0, 20)} ${key.slice(20)}`, /space or a line end/],
  ['a line end written out', `${key}\\n`, /space or a line end/],
  ["another service's", 'sk-proj-abc', /another service/],
  ['something else', 'secret', /begin with lt_live_/],
  ['its beginning', key.slice(0, 30), /has 30 characters, and all have 57/],
  ['one character mistyped', `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`, /typing error/],
])('%s', (_, given, expected) => {
  const message = wrongFormMessage(given);
  if (expected === undefined) return expect(message).toBeUndefined();
  expect(message).toMatch(expected);
  expect(message).not.toContain(key.slice(8, 18));
});
