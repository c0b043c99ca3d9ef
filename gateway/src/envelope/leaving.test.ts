import { expect, jest, test } from '@jest/globals';
import { Leaving } from './leaving.ts';

test('a caller leaves once, for the first reason, and who waits is told once', () => {
  const gone = new Leaving();
  const told = jest.fn();
  gone.tell(told);
  expect(gone.isGone).toBe(false);
  gone.note('cut for pace');
  gone.note('left');
  expect([gone.isGone, gone.reason]).toEqual([true, 'cut for pace']);
  expect(told).toHaveBeenCalledTimes(1);
});

test('who waits no longer is not told, and takes nobody else away', () => {
  const gone = new Leaving();
  const [first, second] = [jest.fn(), jest.fn()];
  gone.tell(first);
  gone.untell(first);
  gone.tell(second);
  gone.untell(first);
  gone.note('left');
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledTimes(1);
});
