import { expect, test } from '@jest/globals';
import { isSketch } from './sketch-form.ts';

const header = (encoding: number) => Buffer.concat([Buffer.from('HYLL'), Buffer.from([encoding]), Buffer.alloc(11)]);
const sparse = (...runs: number[]) => Buffer.concat([header(1), Buffer.from(runs)]);

test.each([
  ['an empty sparse one: 16,384 zeros in one run', sparse(0x7f, 0xff), true],
  ['values among zeros', sparse(0x7f, 0xfa, 0x87, 0x00), true],
  ['one register too few', sparse(0x7f, 0xfe), false],
  ['one register too many', sparse(0x7f, 0xff, 0x00), false],
  ['a run that is cut off', sparse(0x7f), false],
  ['no runs', sparse(), false],
  ['a dense one', Buffer.concat([header(0), Buffer.alloc(12_288)]), true],
  ['a dense one that is cut off', Buffer.concat([header(0), Buffer.alloc(12_287)]), false],
  ['an encoding that there is not', header(2), false],
  ['other text', Buffer.from('HYLX'.padEnd(40, '\0')), false],
  ['nothing', Buffer.alloc(0), false],
])('%s', (_what, value, expected) => {
  expect(isSketch(value)).toBe(expected);
});
