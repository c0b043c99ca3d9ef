import { expect, test } from '@jest/globals';
import { mostConnections } from './connection-bounds.ts';

test.each([
  ['a usual heap', 2 ** 31, 1_048_576, 32_768],
  ['a small heap', 2 ** 28, 1_048_576, 4_096],
  ['few files', 2 ** 31, 1_024, 512],
  ['very few files', 2 ** 31, 256, 256],
])('with %s', (_what, heap, files, most) => {
  expect(mostConnections(heap, files)).toBe(most);
});
