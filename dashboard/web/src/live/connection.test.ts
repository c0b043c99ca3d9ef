import { expect, test } from '@jest/globals';
import { connectionState, reconnectDelay } from './connection.ts';

test.each([
  ['before the first data', true, undefined, 5_000, 'connecting'],
  ['before the first data, without a socket', false, undefined, 5_000, 'connecting'],
  ['no data ever', false, undefined, 30_000, 'disconnected'],
  ['fresh data', true, 0, 19_999, 'live'],
  ['an open socket without data', true, 0, 20_000, 'stale'],
  ['an open socket without data for long', true, 0, 30_000, 'disconnected'],
  ['a lost socket', false, 0, 100, 'reconnecting'],
  ['a lost socket for long', false, 0, 30_000, 'disconnected'],
] as const)('%s', (_, socketOpen, dataAt, now, state) => {
  expect(connectionState({ socketOpen, dataAt, since: 0, now })).toBe(state);
});

test('attempts come ever less often, but always within ten seconds', () => {
  expect([0, 1, 2, 10].map((attempt) => reconnectDelay(attempt, 1))).toEqual([500, 1_000, 2_000, 10_000]);
  expect(reconnectDelay(0, 0)).toBe(250);
});
