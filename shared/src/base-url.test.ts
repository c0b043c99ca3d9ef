import { expect, test } from '@jest/globals';
import { withoutSlashesAtEnd } from './base-url.ts';

test.each([
  ['https://a.example/v1//', 'https://a.example/v1'],
  ['https://a.example', 'https://a.example'],
  ['https://a.example//b/', 'https://a.example//b'],
  ['///', ''],
  ['', ''],
])('%j without the slashes at its end is %j', (url, expected) => {
  expect(withoutSlashesAtEnd(url)).toBe(expected);
});
