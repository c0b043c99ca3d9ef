import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvOf } from './save-csv.ts';

test('a table has a head, and a row for each', () => {
  expect(
    csvOf(
      ['name', 'requests'],
      [
        ['shop', 12],
        ['a, "b"', -1],
      ],
    ),
  ).toBe('name,requests\r\nshop,12\r\n"a, ""b""",-1\r\n');
});

test('no name is a formula, whatever it begins with', () => {
  const names = fc.tuple(
    fc.constantFrom('', ' ', '\t', '\n'),
    fc.constantFrom('=', '+', '-', '@', '\t', '\r', '|', '%'),
    fc.string(),
  );
  fc.assert(
    fc.property(names, ([blank, sign, rest]) => {
      const [, line = ''] = csvOf(['name'], [[`${blank}${sign}${rest}`]]).split(/^name\r\n/);
      expect(line.startsWith(`"'`)).toBe(true);
    }),
  );
});

test('a cell is no longer than a spreadsheet takes', () => {
  expect(csvOf(['name'], [['x'.repeat(100_000)]]).length).toBeLessThan(33_000);
});
