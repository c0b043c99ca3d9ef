import { expect, test } from '@jest/globals';
import { within } from './within.ts';

const never = new Promise<never>(() => undefined);

test('work that ends in time gives what it gives, and what it throws', async () => {
  expect(await within(60_000, Promise.resolve('done'))).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('when the time is over there is nothing, or what stands in its place', async () => {
  expect(await within(1, never)).toBeUndefined();
  expect(await within(0, never, () => 'late')).toBe('late');
  expect(await within(-5, never, () => 'late')).toBe('late');
  const refuse = () => {
    throw new Error('too slow');
  };
  await expect(within(1, never, refuse)).rejects.toThrow('too slow');
});

test('a failure that comes too late is no unhandled rejection', async () => {
  let fail = (_error: Error): void => undefined;
  const work = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  expect(await within(1, work)).toBeUndefined();
  fail(new Error('late'));
  await new Promise(setImmediate);
});

test('after a stall of this process, what can be read is read first', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = within(5, promise, () => 'given up');
  setImmediate(() => {
    // The answer is there when the stall ends, but the timer is due, and timers come first.
    const end = performance.now() + 30;
    while (performance.now() < end);
    setImmediate(resolve, 'heard');
  });
  expect(await waiting).toBe('heard');
});
