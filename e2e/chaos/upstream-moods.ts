import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';

/** Everything that a bad upstream does. */
export const BAD_MOODS: readonly FakeBehaviour[] = [
  ...[400, 401, 403, 408, 429, 500, 503].map((status): FakeBehaviour => ({ kind: 'status', status })),
  { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  'reset',
  'hang',
  'drip',
  'half',
  'garbage',
  'empty',
  'huge',
];

/**
 * @param random in [0, 1)
 * @returns one of the moods; the one that costs most comes seldom
 */
export function badMood(random: () => number): FakeBehaviour {
  const mood = BAD_MOODS[Math.floor(random() * BAD_MOODS.length)] ?? 'reset';
  return mood === 'huge' && random() < 0.8 ? 'reset' : mood;
}
