import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { type Candidate, orderRoutes } from './order-routes.ts';

type Given = Partial<Omit<Candidate, 'route'>> & { readonly weight?: number; readonly order?: number };

function candidate(upstream: string, { weight = 1, order = 1, ...known }: Given = {}): Candidate {
  return { route: { upstream, model: 'm', weight, order }, waitMs: 0, isProbeDue: false, ...known };
}

/** Which share of many choices each upstream comes first in. */
function sharesOf(candidates: readonly Candidate[]): Record<string, number> {
  const random = seededRandom(7);
  const times = 4_000;
  const counts: Record<string, number> = {};
  for (let time = 0; time < times; time++) {
    const [first] = orderRoutes(candidates, random);
    counts[first?.upstream ?? 'none'] = (counts[first?.upstream ?? 'none'] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / times]));
}

const namesOf = (candidates: readonly Candidate[]) =>
  orderRoutes(candidates, Math.random).map((route) => route.upstream);

describe('the one that is asked first', () => {
  test.each<[string, Candidate, number]>([
    ['by weights, where nothing is limited', candidate('a', { weight: 3 }), 0.75],
    ['by weights, where one has a limit and is idle', candidate('a', { weight: 3, free: 8, most: 8 }), 0.75],
    ['by free places: half of its own are taken', candidate('a', { free: 4, most: 8 }), 1 / 3],
    ['seldom, where all of its places are taken', candidate('a', { free: 0, most: 8 }), 1 / 9],
  ])('%s', (_, given, expected) => {
    expect(Math.abs((sharesOf([given, candidate('b')])['a'] ?? 0) - expected)).toBeLessThan(0.03);
  });

  test('of two with limits is the less busy one of two that are drawn', () => {
    const shares = sharesOf([candidate('a', { free: 2, most: 4 }), candidate('b', { free: 12, most: 12 })]);
    // By free places alone it would be 2 of 14; drawn twice, both times.
    expect(Math.abs((shares['a'] ?? 0) - (2 / 14) ** 2)).toBeLessThan(0.015);
  });

  test('is one whose upstream is to be tried again', () => {
    expect(sharesOf([candidate('a', { isProbeDue: true }), candidate('b', { weight: 1_000 })])).toEqual({ a: 1 });
  });
});

describe('a request that may make no other call asks', () => {
  const namesOfLast = (...candidates: Candidate[]) =>
    orderRoutes(candidates, Math.random, true).map((route) => route.upstream);

  test.each([
    ['is to be tried again', { isProbeDue: true }],
    ['has just failed', { isDoubtful: true }],
  ])('no upstream that %s while another one is well, though that has no place', (_, given) => {
    const [not, well] = [candidate('not', given), candidate('well', { order: 2, free: 0, most: 8 })];
    expect([namesOfLast(not, well), namesOf([not, well])]).toEqual([['well'], ['not', 'well']]);
  });

  test('such a one where no other can take it', () => {
    expect(namesOfLast(candidate('not', { isDoubtful: true }), candidate('late', { waitMs: 1 }))).toEqual(['not']);
  });
});

test('a lower order comes first, and those that have to wait are left out', () => {
  const late = candidate('late', { waitMs: 1 });
  expect(namesOf([candidate('c', { order: 3 }), candidate('b', { order: 2 }), late, candidate('a')])).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(namesOf([late])).toEqual([]);
});
