import { expect, test } from '@jest/globals';
import type { Answer, Refused } from './answer.ts';
import { createReading, type Read } from './reading.ts';

type Rows = readonly string[];
const REFUSED: Refused = { ok: false, kind: 'limited', status: 429, message: 'Wait.' };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Reads pages of one row each, and notes what each began with. */
function pages(answers: readonly Answer<Rows>[]) {
  const begunWith: (Rows | undefined)[] = [];
  const read: Read<Rows> = async (goOn) => answers[begunWith.push(goOn) - 1] ?? REFUSED;
  return { begunWith, read };
}
const ok = (...body: string[]): Answer<Rows> => ({ ok: true, body });

test('more goes on with what is shown, and again begins anew', async () => {
  const reading = createReading<Rows>();
  const { begunWith, read } = pages([ok('1'), ok('1', '2'), ok('new')]);
  for (const goesOn of [false, true, false]) {
    reading.begin('a', read, goesOn);
    expect(reading.asked.value.isLoading).toBe(true);
    await settled();
  }
  expect(begunWith).toEqual([undefined, ['1'], undefined]);
  expect(reading.asked.value).toMatchObject({ body: ['new'], isLoading: false });
});

test('what is shown stays where the next is refused, and is never gone on with as if it were that', async () => {
  const reading = createReading<Rows>();
  const { begunWith, read } = pages([ok('of a'), REFUSED, ok('of b')]);
  reading.begin('a', read, false);
  await settled();
  reading.begin('b', read, false);
  await settled();
  expect(reading.asked.value).toMatchObject({ body: ['of a'], refused: REFUSED, isLoading: false });
  reading.begin('b', read, true);
  await settled();
  expect(begunWith).toEqual([undefined, undefined, undefined]);
  expect(reading.asked.value.body).toEqual(['of b']);
  expect(reading.asked.value.refused).toBeUndefined();
});

test('an answer that was given up changes nothing, however it ends', async () => {
  const reading = createReading<Rows>();
  const { read } = pages([ok('late'), ok('now')]);
  const giveUp = reading.begin('a', read, false);
  giveUp();
  reading.begin('b', read, false);
  await settled();
  expect(reading.asked.value.body).toEqual(['now']);
  reading.begin('c', () => Promise.reject(new Error('aborted')), false)();
  await settled();
  expect(reading.asked.value.body).toEqual(['now']);
});
