import { expect, test } from '@jest/globals';
import { NO_USAGE } from '@lontar/shared/usage/usage-counts.ts';
import { endsOf, groupUsage, restOf, sumOf, tableOf, type UsageRow } from './group-usage.ts';

const row = (part: Partial<UsageRow>): UsageRow => ({
  ...NO_USAGE,
  key: 'KeyOne',
  name: 'shop',
  owner: 'anna',
  date: '2026-01-30',
  model: 'ai-2.5-pro',
  requests: 1,
  ...part,
});
const ROWS = [
  row({ requests: 2, successes: 1, timeouts: 1 }),
  row({ date: '2026-01-31', model: 'ai-2.5-flash', requests: 5, successes: 5, promptTokens: 70 }),
  row({ key: 'KeyTwo', name: '=bot', requests: 9, rateLimited: 9 }),
  row({ key: 'none', name: '', owner: '', requests: 3, unauthorized: 3, model: '-' }),
];

test.each([
  ['day', ['2026-01-31 5', '2026-01-30 14']],
  ['key', ['KeyTwo 9', 'KeyOne 7', 'none 3']],
  ['model', ['ai-2.5-pro 11', 'ai-2.5-flash 5', '- 3']],
  ['owner', ['anna 16', ' 3']],
] as const)('by %s', (by, expected) => {
  const groups = groupUsage(ROWS, by);
  expect(groups.map(({ id, counts }) => `${id} ${counts.requests}`)).toEqual(expected);
  expect(sumOf(groups.map(({ counts }) => counts))).toEqual(sumOf(ROWS));
});

test('how requests ended adds up to all of them, and the rest is what is left', () => {
  const whole = sumOf(ROWS);
  expect(endsOf(whole)).toEqual({ successes: 6, callers: 3, limited: 9, failures: 1 });
  expect(restOf(whole, sumOf(ROWS.slice(0, 3))).requests).toBe(3);
  expect(restOf(whole, whole)).toEqual(NO_USAGE);
});

test('a file has every count under its name', () => {
  const { head, rows } = tableOf(groupUsage(ROWS, 'key'), 'key');
  expect(head.slice(0, 6)).toEqual(['key', 'name', 'owner', 'requests', 'successes', 'prompt_tokens']);
  expect(rows[1]?.slice(0, 6)).toEqual(['KeyOne', 'shop', 'anna', 7, 6, 70]);
  expect(tableOf(groupUsage(ROWS, 'owner'), 'owner').rows[0]?.slice(0, 2)).toEqual(['anna', 16]);
});
