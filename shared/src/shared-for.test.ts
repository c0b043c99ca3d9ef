import { expect, test } from '@jest/globals';
import { sharedFor } from './shared-for.ts';

test('work in progress, and what it gave lately, is shared; then it is done anew', async () => {
  let done = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const lasting = sharedFor(60_000, async () => {
    await promise;
    return ++done;
  });
  const asked = [lasting(), lasting()];
  resolve();
  expect([...(await Promise.all(asked)), await lasting()]).toEqual([1, 1, 1]);

  const brief = sharedFor(0, async () => ++done);
  expect([await brief(), await brief()]).toEqual([2, 3]);
});

test('a failure is shared, and does not last', async () => {
  let tries = 0;
  const work = sharedFor(0, () => (++tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve('back')));
  const asked = [work(), work()];
  for (const one of asked) await expect(one).rejects.toThrow('away');
  expect([await work(), tries]).toEqual(['back', 2]);
});
