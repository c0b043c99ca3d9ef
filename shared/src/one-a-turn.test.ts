import { expect, test } from '@jest/globals';
import { oneATurn } from './one-a-turn.ts';

test('work that comes at once is done in order, with a turn of the event loop before each piece', async () => {
  const inTurn = oneATurn();
  const seen: string[] = [];
  let turns = 0;
  const look = () => {
    turns++;
    seen.push('turn');
    if (turns < 8) setImmediate(look);
  };
  const work = ['a', 'b', 'c'].map((name) => inTurn(() => seen.push(name)));
  setImmediate(look);
  await Promise.all(work);
  const order = seen.filter((name) => name !== 'turn');
  expect(order).toEqual(['a', 'b', 'c']);
  const between = (one: string, other: string) => seen.slice(seen.indexOf(one) + 1, seen.indexOf(other));
  expect(between('a', 'b')).toContain('turn');
  expect(between('b', 'c')).toContain('turn');
});

test('work that throws fails alone', async () => {
  const inTurn = oneATurn();
  const fails = inTurn(() => {
    throw new Error('no');
  });
  const next = inTurn(() => 'done');
  await expect(fails).rejects.toThrow('no');
  expect(await next).toBe('done');
});
