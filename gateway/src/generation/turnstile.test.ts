import { expect, test } from '@jest/globals';
import { createTurnstile } from './turnstile.ts';

/** Work that ends on command, and notes when it begins. */
function workshop() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    ends,
    work: (number: number) => () => {
      begun.push(number);
      return new Promise<number>((resolve) => ends.push(() => resolve(number)));
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('lets in as many as fit, and the others in the order of their arrival', async () => {
  const { begun, ends, work } = workshop();
  const turnstile = createTurnstile(2);
  const passed = [1, 2, 3, 4, 5, 6, 7].map((number) => turnstile.pass(work(number)));
  expect(begun).toEqual([1, 2]);
  for (let done = 0; done < 7; done++) {
    ends[done]?.();
    await turn();
    expect(begun).toHaveLength(Math.min(7, done + 3));
  }
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await Promise.all(passed)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('sends away who waits, not who is inside, and takes new ones afterwards', async () => {
  const { begun, ends, work } = workshop();
  const turnstile = createTurnstile(1);
  const [inside, waiting] = [turnstile.pass(work(1)), turnstile.pass(work(2))];
  turnstile.sendAway();
  expect(await waiting).toBeUndefined();
  const next = turnstile.pass(work(3));
  ends[0]?.();
  expect(await inside).toBe(1);
  await turn();
  ends[1]?.();
  expect(await next).toBe(3);
  expect(begun).toEqual([1, 3]);
});

test('frees the place of work that failed', async () => {
  const turnstile = createTurnstile(1);
  await expect(turnstile.pass(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turnstile.pass(() => Promise.resolve('yes'))).toBe('yes');
});
