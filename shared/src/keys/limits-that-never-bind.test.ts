import { describe, expect, test } from '@jest/globals';
import type { KeyTerms } from './key-terms.ts';
import { limitsThatNeverBind } from './limits-that-never-bind.ts';

type Record = Parameters<typeof limitsThatNeverBind>[0];

/** All limits of the record were given just now. */
const warnings = (record: Partial<Record>, addressPerHour?: number, given = record as KeyTerms) =>
  limitsThatNeverBind({ concurrency: 10, ...record }, given, addressPerHour);

describe('a limit that another one comes before', () => {
  test.each([
    [{ perHour: 500, perDay: 100 }, '--per-hour 500 can never be reached: --per-day 100 is reached first.'],
    [
      { perHour: 10, perDay: 241 },
      '--per-day 241 can never be reached: --per-hour 10 lets 240 requests through in a day at most.',
    ],
    [{ perHour: 10, concurrency: 11 }, '--concurrency 11 can never be reached: --per-hour 10 is reached first.'],
    [{ credits: 10, concurrency: 11 }, '--concurrency 11 can never be reached: --credits 10 are spent first.'],
  ])('%j', (record, warning) => {
    expect(warnings(record)).toEqual([warning]);
  });

  test.each([
    [{ perHour: 100, perDay: 100 }],
    [{ perHour: 10, perDay: 240 }],
    [{ perHour: 10, concurrency: 10, credits: 10 }],
    [{}],
  ])('is none of %j', (record) => {
    expect(warnings(record, 100)).toEqual([]);
  });

  test('is told where either of them was given, and not again', () => {
    const record = { perHour: 500, perDay: 100, concurrency: 10, credits: 5 };
    expect(warnings(record, undefined, { perHour: 500 })).toHaveLength(1);
    expect(warnings(record, undefined, { perDay: 100 })).toHaveLength(1);
    expect(warnings(record, undefined, { name: 'shop', perDay: null, credits: 5 })).toEqual([]);
  });
});

describe('a limit beyond the hour of addresses', () => {
  const WHY = 'RATE_LIMIT_PER_HOUR lets 100 requests an hour through from each address';
  const EXEMPTS = '--no-address-limit exempts the key.';

  test.each([
    [{ perHour: 5_000 }, `--per-hour 5000 can only be reached from 50 addresses or more: ${WHY}. ${EXEMPTS}`],
    [{ perDay: 2_401 }, `--per-day 2401 can only be reached from 2 addresses or more: ${WHY}. ${EXEMPTS}`],
    [
      { perHour: 101, addresses: '10.0.0.0/8' },
      `--per-hour 101 can only be reached from 2 addresses or more: ${WHY}. ${EXEMPTS}`,
    ],
    [
      { perHour: 201, addresses: '10.0.0.1,10.0.0.2' },
      `--per-hour 201 can never be reached: ${WHY}, and --addresses names 2. ${EXEMPTS}`,
    ],
    [
      { perHour: 101, addresses: '2001:db8::1,2001:db8:0:0:1::/64' },
      `--per-hour 101 can never be reached: ${WHY}, and --addresses names 1. ${EXEMPTS}`,
    ],
    [{ concurrency: 101 }, `--concurrency 101 can only be reached from 2 addresses or more: ${WHY}. ${EXEMPTS}`],
  ])('%j', (record, warning) => {
    expect(warnings(record, 100)).toEqual([warning]);
  });

  test.each([
    [{ perHour: 100, perDay: 2_400 }],
    [{ perHour: 5_000, noAddressLimit: '1' as const }],
    [{ perHour: 200, addresses: '10.0.0.1,10.0.0.2' }],
  ])('is none of %j', (record) => {
    expect(warnings(record, 100)).toEqual([]);
  });

  test('is told again when the exemption ends, and not where the hour is not known', () => {
    expect(warnings({ perHour: 5_000 }, 100, { addressLimit: true })).toHaveLength(1);
    expect(warnings({ perHour: 5_000 }, 100, { name: 'shop' })).toEqual([]);
    expect(warnings({ perHour: 5_000 })).toEqual([]);
  });
});
