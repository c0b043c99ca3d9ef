import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { whyNotJson } from './not-json.ts';

test.each([
  ['a comma behind the last field', '{"prompt":"Hi",}', /comma behind/],
  ['the same within a list', '{"messages":[{"role":"user"},]}', /comma behind/],
  ['single quotes', "{'prompt':'Hi'}", /double quotes around names and texts/],
  ['no quotes', '{prompt:"Hi"}', /double quotes around names/],
  ["a Windows shell's quotes", `'{"prompt":"Hi"}'`, /Windows/],
  ['a form', 'prompt=Hi&apikey=x', /is a form/],
  ['curly quotes', Buffer.from('{“prompt”:“Hi”}'), /escaped or curly/],
  ['a file that was not found', '@body.json', /begins with @/],
  ['compressed', gzipSync('{"prompt":"Hi"}'), /compressed/],
  ['UTF-16 with its mark', Buffer.from('\uFEFF{"prompt":"Hi"}', 'utf16le'), /UTF-16/],
  ['UTF-16 without', Buffer.from('{"prompt":"Hi"}', 'utf16le'), /UTF-16/],
  ['a line end within a text', '{"prompt":"one\ntwo"}', /line end/],
  ['a beginning alone', '{"prompt":"Hi"', /end is missing/],
  ['nothing that is known', 'true false', /^$/],
])('%s', (_, body, expected) => {
  expect(whyNotJson(Buffer.from(body as string))).toMatch(expected);
});
