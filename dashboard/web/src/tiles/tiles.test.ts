import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { language } from '../words/language.ts';
import { tiles as words } from '../words/tiles.ts';
import { formatBytes, formatCount, formatMs, formatRate, formatSpan } from './format.ts';
import { recentRate, TILES } from './tile-list.ts';

test('each definition stands in the docs word for word', () => {
  const docs = readFileSync(new URL('../../../../docs/dashboard.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  const { names, definitions } = words();
  for (const { id } of TILES) expect(docs).toContain(`| ${names[id]} | ${definitions[id]} |`);
});

test.each([
  [0, 0, '–'],
  [1, 0, '100.0 %'],
  [99_999, 1, '99.9 %'],
  [0, 3, '0.0 %'],
  [2, 1, '66.6 %'],
])('%i successes and %i failures are %s', (successes, failures, shown) => {
  expect(formatRate(successes, failures)).toBe(shown);
});

test('the last five minutes are counted by whose side failed', () => {
  const at = (ago: number, outcomes: object) => ({ at: 1_000_000 - ago, outcomes });
  const moments = [
    at(300_000, { success: 100 }),
    at(299_999, { success: 3, client_error: 9, rate_limited: 9 }),
    at(0, { success: 1, server_error: 2, timeout: 1, shed: 1 }),
  ];
  expect(recentRate(moments, 1_000_000)).toEqual({ successes: 4, failures: 4 });
});

test('numbers and spans read well', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567');
  expect([formatMs(812), formatMs(9_999), formatMs(12_345), formatMs(245_000)]).toEqual([
    '812 ms',
    '9,999 ms',
    '12.3 s',
    '4 min 5 s',
  ]);
  expect([formatSpan(0), formatSpan(59_999), formatSpan(3_600_000), formatSpan(90_061_000)]).toEqual([
    '0 s',
    '59 s',
    '1 h',
    '1 d 1 h',
  ]);
  expect([formatBytes(900), formatBytes(1_536), formatBytes(150_000_000)]).toEqual(['900 B', '1.5 KB', '143 MB']);
});

test('and so in Indonesian, whose comma is the point of others', () => {
  language.value = 'id';
  try {
    expect([formatCount(1_234_567), formatMs(12_345), formatRate(199, 1)]).toEqual(['1.234.567', '12,3 s', '99,5 %']);
    expect([formatSpan(90_061_000), formatBytes(1_536)]).toEqual(['1 hari 1 jam', '1,5 KB']);
  } finally {
    language.value = 'en';
  }
});
