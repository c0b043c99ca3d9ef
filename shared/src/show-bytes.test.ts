import { expect, test } from '@jest/globals';
import { showBytes } from './show-bytes.ts';

test.each([
  [10_485_760, '10 MB'],
  [1_073_741_824, '1 GB'],
  [1_572_864, '1.5 MB'],
  [500_000, '488.2 KB'],
  [1_023, '1023 bytes'],
  [0, '0 bytes'],
])('%d are %s; never more than there are', (bytes, shown) => {
  expect(showBytes(bytes)).toBe(shown);
});
