import { expect, test } from '@jest/globals';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { createRecentAnswers } from './recent-answers.ts';

const open = (length: number) => ({ reasoning: '', text: 'x'.repeat(length) });
const settled = (length: number): Answered => ({
  v: 1,
  outcome: 'answered',
  text: 'x'.repeat(length),
  masked: { url: 0, key: 0, ip: 0, connection: 0 },
  usage: { input: 0, output: 0 },
  work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 },
});

test('what was found serves others for a moment: partial texts for less of one than settled answers', () => {
  let now = 0;
  const recent = createRecentAnswers(() => now);
  const [partial, answer] = [open(1), settled(2)];
  recent.keep('open', partial);
  recent.keep('settled', answer);
  now = 249;
  expect(recent.get('open')).toBe(partial);
  now = 250;
  expect(recent.get('open')).toBeUndefined();
  now = 4_999;
  expect(recent.get('settled')).toBe(answer);
  now = 5_000;
  expect(recent.get('settled')).toBeUndefined();
});

test('all together have a bounded size: the first goes where the next does not fit', () => {
  const recent = createRecentAnswers(() => 0);
  recent.keep('first', settled(4_000_000));
  recent.keep('second', open(4_000_000));
  recent.keep('first', settled(4_000_000));
  recent.keep('third', settled(1_000_000));
  expect(['first', 'second', 'third'].map((id) => recent.get(id) !== undefined)).toEqual([true, false, true]);
  recent.keep('too long', settled(8_388_609));
  expect(recent.get('too long')).toBeUndefined();
  expect(recent.get('third')).toBeDefined();
});
