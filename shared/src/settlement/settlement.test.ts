import { describe, expect, test } from '@jest/globals';
import { GENERATION_FAILURES } from '../errors.ts';
import { wasCharged } from './charge.ts';
import { parseSettlement, type Settlement, writeSettlement } from './settlement.ts';

/** What settlements of the version before could say, which an old gateway still reads while a new worker writes. */
const KNOWN_BEFORE = GENERATION_FAILURES.filter((error) => error !== 'output_used_up');

describe('the stored form of a settlement', () => {
  test.each(GENERATION_FAILURES)('of %s is read as it was written, and an old version can read it', (error) => {
    const settlement: Settlement = { v: 1, outcome: 'failed', error, charged: true };
    const stored = writeSettlement(settlement);
    expect(parseSettlement(stored)).toEqual(settlement);
    expect(KNOWN_BEFORE).toContain((JSON.parse(stored) as { error: string }).error);
  });

  test('with a failure that only a later version knows is an internal error, charged or not as it says', () => {
    const stored = { v: 1, outcome: 'failed', error: 'from_the_future', detail: 'too', charged: true, more: 1 };
    expect(parseSettlement(JSON.stringify(stored))).toEqual({
      v: 1,
      outcome: 'failed',
      error: 'internal_error',
      charged: true,
    });
  });

  test.each(['', '{', '[]', '{"v":1,"outcome":"from_the_future"}'])('that cannot be read is none: %s', (json) => {
    expect(parseSettlement(json)).toBeUndefined();
  });

  test('of a version that did not say whether it was charged is judged by its failure', () => {
    expect(wasCharged({ v: 1, outcome: 'failed', error: 'content_blocked' })).toBe(true);
    expect(wasCharged({ v: 1, outcome: 'failed', error: 'timed_out' })).toBe(false);
  });
});
