import { expect, test } from '@jest/globals';
import type { LogRow } from './dashboard-contract.ts';
import { type LogFilter, passesFilter, readFilter, writeFilter } from './log-filter.ts';

const row = {
  id: 'req_AbC',
  keyId: 'KeyOne',
  keyName: 'Corner shop',
  address: '203.0.113.9',
  route: '/api/ai',
  outcome: 'success',
  masked: { url: 0, key: 1, ip: 0, connection: 0 },
} as LogRow;

test.each<[LogFilter, boolean]>([
  [{}, true],
  [{ outcome: 'success' }, true],
  [{ outcome: 'timeout' }, false],
  [{ route: '/api/ai2' }, false],
  [{ maskedOnly: true }, true],
  [{ text: 'abc' }, true],
  [{ text: 'keyone' }, true],
  [{ text: 'corner' }, true],
  [{ text: '203.0.113.' }, true],
  [{ text: 'nothing' }, false],
])('%j', (filter, passes) => {
  expect(passesFilter(row, filter)).toBe(passes);
  expect(passesFilter({ ...row, masked: { url: 0, key: 0, ip: 0, connection: 0 } }, { maskedOnly: true })).toBe(false);
});

test('a filter survives its way through an address, and leaves the rest of it alone', () => {
  const filter = { outcome: 'timeout', route: '/api/ai2', maskedOnly: true, text: 'a&b=c' };
  const query = new URLSearchParams('row=1-1&outcome=old');
  writeFilter(filter, query);
  expect(readFilter(new URLSearchParams(query.toString()))).toEqual(filter);
  writeFilter({}, query);
  expect([readFilter(query), query.toString()]).toEqual([{}, 'row=1-1']);
});
