import { describe, expect, test } from '@jest/globals';
import { momentMs, parseDuration, parseMoment } from './duration.ts';

const NOW = Date.parse('2026-01-31T08:00:00Z');

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['30', undefined],
    ['-1d', undefined],
    ['1.5h', undefined],
    ['1y', undefined],
    ['', undefined],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
});

describe('parseMoment', () => {
  test.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T18:00', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:30Z', '2027-01-31T18:00:30.000Z'],
    ['2027-01-31T18:00+07:00', '2027-01-31T11:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['1d', '2026-02-01T08:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    const moment = parseMoment(text);
    expect(moment && new Date(momentMs(moment, NOW)).toISOString()).toBe(expected);
  });

  test.each(['2027-02-31', '2027-13-01', '2027-1-1', '31.01.2027', 'tomorrow', '2027-01-31T25:00', ''])(
    '%j is none',
    (text) => {
      expect(parseMoment(text)).toBeUndefined();
    },
  );
});
