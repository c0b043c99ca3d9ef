import { expect, test } from '@jest/globals';
import { UNKNOWN_STATE, type UpstreamState } from '@lontar/shared/models/upstream-state.ts';
import { hasFailedLately, noteOutcome, type Outcome } from './upstream-state.ts';

const NOW = 1_800_000_000_000;
const outcome = (kind: 'answered' | 'failed'): Outcome => ({
  class: kind,
  kind: kind === 'failed' ? 'cut_off' : 'none',
  id: '',
  beganAt: NOW - 500,
  count: 1,
  inFlight: 1,
});

test('an upstream has failed lately for some seconds, though it answers in between what was asked before', () => {
  let state: UpstreamState = UNKNOWN_STATE;
  expect(hasFailedLately(state, NOW)).toBe(false);
  state = noteOutcome(noteOutcome(state, outcome('failed'), NOW), outcome('answered'), NOW + 70);
  expect(state.failuresInRow).toBe(0);
  expect([70, 4_999, 15_000].map((ms) => hasFailedLately(state, NOW + ms))).toEqual([true, true, false]);
});
