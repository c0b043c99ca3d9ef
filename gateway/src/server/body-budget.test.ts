import { describe, expect, test } from '@jest/globals';
import { type BodyShare, bodyBounds, createBodyBudget, type TooMuch } from './body-budget.ts';

const MEGABYTE = 1024 * 1024;
const bounds = { bytes: 1_200, bytesPerAddress: 300, bodies: 6, bodiesPerAddress: 4 };

function opened(share: BodyShare | TooMuch): BodyShare {
  if (typeof share === 'string') throw new Error(`refused by ${share}`);
  return share;
}

describe('the budget of bodies', () => {
  test('bounds the bytes of one address, in however many bodies', () => {
    const budget = createBodyBudget(bounds);
    const share = opened(budget.open('a'));
    expect(share.grow(200)).toBeUndefined();
    expect(share.grow(101)).toBe('address');
    expect(opened(budget.open('a')).grow(101)).toBe('address');
    expect(share.grow(100)).toBeUndefined();
  });

  test('has room for one who comes anew, beside four that hold what they can', () => {
    let held = 0;
    const budget = createBodyBudget({ ...bounds, bodies: 100 }, (bytes) => (held = bytes));
    for (const address of 'abcd') {
      const share = opened(budget.open(address));
      while (share.grow(10) === undefined);
    }
    expect(opened(budget.open('new')).grow(70)).toBeUndefined();
    expect(held).toBeLessThanOrEqual(bounds.bytes);
  });

  test('says so where one is refused because of others', () => {
    const budget = createBodyBudget(bounds);
    for (const address of 'abc') opened(budget.open(address)).grow(300);
    expect(opened(budget.open('d')).grow(160)).toBe('all');
    expect(opened(budget.open('d')).grow(150)).toBeUndefined();
  });

  test('bounds the bodies of an address, and of all', () => {
    const budget = createBodyBudget(bounds);
    const shares = ['a', 'a', 'a', 'a'].map((address) => opened(budget.open(address)));
    expect(budget.open('a')).toBe('address');
    opened(budget.open('b'));
    opened(budget.open('c'));
    expect(budget.open('d')).toBe('all');
    shares[0]?.close();
    opened(budget.open('d'));
  });

  test('gets everything back when a body ends, once', () => {
    let held = 0;
    const budget = createBodyBudget(bounds, (bytes) => (held = bytes));
    const share = opened(budget.open('a'));
    share.grow(300);
    opened(budget.open('a')).grow(0);
    share.close();
    share.close();
    expect(held).toBe(0);
    expect(opened(budget.open('b')).grow(300)).toBeUndefined();
  });

  test('forgets addresses that have gone, but for a hundred', () => {
    const budget = createBodyBudget({ ...bounds, bodies: 1_000 });
    const shares = Array.from({ length: 1_000 }, (_, index) => opened(budget.open(`address ${index}`)));
    expect(budget.addresses).toBe(1_000);
    for (const share of shares) share.close();
    expect(budget.addresses).toBe(100);
    for (let index = 0; index < 1_000; index++) opened(budget.open(`another ${index}`)).close();
    expect(budget.addresses).toBe(100);
  });

  test('takes nothing for a body that has ended', () => {
    let held = 0;
    const budget = createBodyBudget(bounds, (bytes) => (held = bytes));
    const share = opened(budget.open('a'));
    share.close();
    expect(share.isClosed).toBe(true);
    expect(share.grow(10)).toBe('address');
    expect(held).toBe(0);
  });

  test('enlarges a buffer with what it holds, and counts what is new', () => {
    let held = 0;
    const budget = createBodyBudget(bounds, (bytes) => (held = bytes));
    const share = opened(budget.open('a'));
    (share.enlarge(100) as Buffer).write('hello');
    const larger = share.enlarge(200) as Buffer;
    expect([larger.length, larger.toString('latin1', 0, 5), held]).toEqual([200, 'hello', 200]);
    expect(share.enlarge(301)).toBe('address');
    expect(larger.toString('latin1', 0, 5)).toBe('hello');
  });
});

test.each([
  ['a usual heap', 2_048 * MEGABYTE, 400_000, 64 * MEGABYTE, 8 * MEGABYTE],
  ['a small heap', 256 * MEGABYTE, 400_000, 16 * MEGABYTE, 2 * MEGABYTE],
  ['a tiny heap', 32 * MEGABYTE, 400_000, 8 * MEGABYTE, MEGABYTE],
  ['a small heap and very long prompts', 256 * MEGABYTE, 12_000_000, 48_000_000, 24_000_000],
])('with %s', (_what, heap, largest, bytes, bytesPerAddress) => {
  expect(bodyBounds(200, largest, heap)).toMatchObject({ bytes, bytesPerAddress, bodiesPerAddress: 100 });
});
