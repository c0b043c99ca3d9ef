import { describe, expect, test } from '@jest/globals';
import { parseByteSize, showByteSize } from './byte-size.ts';

describe('parseByteSize', () => {
  test.each([
    ['0', 0],
    ['1048576', 1_048_576],
    ['10MB', 10_485_760],
    ['10 mb', 10_485_760],
    ['1GiB', 1_073_741_824],
    ['2KB', 2_048],
    ['7B', 7],
    ['1TB', 1_099_511_627_776],
  ])('%s is %i bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  test.each(['', 'MB', '-1', '1.5GB', '1e9', '10XB', '1 0', '9999TB', '1MBB', ' '.repeat(100)])(
    '%j is none',
    (text) => {
      expect(parseByteSize(text)).toBeUndefined();
    },
  );
});

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_536, '1.5 KB'],
  [1_073_741_824, '1 GB'],
  [2_199_023_255_552, '2 TB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(showByteSize(bytes)).toBe(text);
});
