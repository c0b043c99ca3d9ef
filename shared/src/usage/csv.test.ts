import { expect, test } from '@jest/globals';
import { csvLine } from './csv.ts';

test.each([
  [['shop', 12, ''], 'shop,12,\r\n'],
  [['a "b", c', 'd'], '"a ""b"", c",d\r\n'],
  [["=cmd|' /C calc'!A0"], "\"'=cmd|' /C calc'!A0\"\r\n"],
  [
    ['+1', '-1', '@SUM(A1)', ' =1+1', '\t=1', '|x', '%x'],
    '"\'+1","\'-1","\'@SUM(A1)","\' =1+1","\'\t=1","\'|x","\'%x"\r\n',
  ],
  [[-5], '-5\r\n'],
  [['line\nbreak'], '"line\nbreak"\r\n'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});
