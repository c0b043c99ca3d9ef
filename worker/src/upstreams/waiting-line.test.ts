import { expect, test } from '@jest/globals';
import { createWaitingLine } from './waiting-line.ts';

const never = new AbortController().signal;
const atEnd = (takenBack: string[] = []) => ({
  give: () => 'left',
  takeBack: (result: string) => void takenBack.push(result),
});

test('those that wait are served in the order in which they came', async () => {
  const order: string[] = [];
  const ended = Promise.withResolvers<void>();
  const line = createWaitingLine<string>(ended.resolve);
  const of = (name: string) => line.wait(() => Promise.resolve(name), never, atEnd()).then((got) => order.push(got));
  await Promise.all([of('first'), of('second'), of('third'), ended.promise]);
  expect(order).toEqual(['first', 'second', 'third']);
});

test('what a try has got for one that left meanwhile is taken back, and the next one has its turn', async () => {
  const line = createWaitingLine<string>(() => undefined);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const leaving = new AbortController();
  const takenBack: string[] = [];
  const attempt = () => {
    asked.resolve();
    return answer.promise;
  };
  const first = line.wait(attempt, leaving.signal, atEnd(takenBack));
  const second = line.wait(() => Promise.resolve('second'), never, atEnd(takenBack));
  await asked.promise;
  leaving.abort();
  expect(await first).toBe('left');
  answer.resolve('a place');
  expect(await second).toBe('second');
  expect(takenBack).toEqual(['a place']);
});

test('a try that fails is the failure of who waits for it alone', async () => {
  const line = createWaitingLine<string>(() => undefined);
  const failed = line.wait(() => Promise.reject(new Error('no')), never, atEnd());
  const served = line.wait(() => Promise.resolve('yes'), never, atEnd());
  await expect(failed).rejects.toThrow('no');
  expect(await served).toBe('yes');
});
