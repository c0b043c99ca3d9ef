import { describe, expect, test } from '@jest/globals';
import type { FoundPattern } from './find-patterns.ts';
import { keyOf } from './judge-all.ts';
import type { Verdict } from './judge-pattern.ts';
import { questionsOf, reviewPatterns } from './review.ts';

const one = (pattern: string, built = false): FoundPattern => ({ file: 'a.ts', line: 3, pattern, flags: '', built });
const said = (growth: Verdict['growth'], ...patterns: string[]) =>
  patterns.map((pattern) => [keyOf({ pattern, flags: '' }), { growth, words: growth }] as const);
const verdicts = new Map([
  ...said('linear', 'a'),
  ...said('polynomial', 'b+$'),
  ...said('exponential', '(c|c)*$'),
  ...said('unknown', 'd'),
]);
const listed = (pattern: string, bound = 80) => ({ file: 'a.ts', pattern, bound, reason: 'short' });
const build = { file: 'a.ts', expression: 'new RegExp(x)', builds: { pattern: 'a', flags: '' }, reason: 'names' };
const none = { patterns: [], builds: [] };

describe('patterns are reviewed', () => {
  test('what is linear passes', () => {
    expect(reviewPatterns([one('a')], verdicts, none)).toEqual([]);
  });

  test.each(['b+$', '(c|c)*$', 'd', 'never judged'])('%s does not pass', (pattern) => {
    expect(reviewPatterns([one(pattern)], verdicts, none)).toEqual([expect.stringContaining(`a.ts:3 `)]);
  });

  test('a polynomial one passes where it is listed; an exponential or unknown one never', () => {
    const patterns = ['b+$', '(c|c)*$', 'd'].map((pattern) => listed(pattern));
    const faults = reviewPatterns(
      ['b+$', '(c|c)*$', 'd'].map((pattern) => one(pattern)),
      verdicts,
      { patterns, builds: [] },
    );
    expect(faults).toEqual([expect.stringContaining('exponential'), expect.stringContaining('unknown')]);
  });

  test.each([
    ['names a pattern that is gone', [one('a')], listed('b+$'), 'not there any more'],
    ['is not needed', [one('a')], listed('a'), 'without need'],
    ['has no small bound', [one('b+$')], listed('b+$', 100_000), '100000 characters'],
    ['has no reason', [one('b+$')], { ...listed('b+$'), reason: ' ' }, 'without a reason'],
  ])('an exception fails that %s', (_name, found, entry, fault) => {
    expect(reviewPatterns(found, verdicts, { patterns: [entry], builds: [] })).toEqual([
      expect.stringContaining(fault),
    ]);
  });

  test('what is built while running has to be listed, and what it builds is judged', () => {
    const found = [one('new RegExp(x)', true)];
    expect(reviewPatterns(found, verdicts, none)).toEqual([expect.stringContaining('is not listed')]);
    expect(reviewPatterns(found, verdicts, { patterns: [], builds: [build] })).toEqual([]);
    const slow = { ...build, builds: { pattern: 'b+$', flags: '' } };
    expect(reviewPatterns(found, verdicts, { patterns: [], builds: [slow] })).toEqual([
      expect.stringContaining('polynomial'),
    ]);
    expect(reviewPatterns([], verdicts, { patterns: [], builds: [build] })).toEqual([
      expect.stringContaining('not there'),
    ]);
    expect(questionsOf(found, { patterns: [], builds: [build] })).toEqual([build.builds]);
  });
});
