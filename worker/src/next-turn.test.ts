import { expect, test } from '@jest/globals';
import { inNextTurn } from './next-turn.ts';

test('comes behind what this turn of the event loop sends at its end, whichever was asked for first', async () => {
  const order: string[] = [];
  inNextTurn(() => order.push('next turn'));
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push('sent');
      // What is sent may be followed by more within the same turn.
      process.nextTick(() => order.push('written'));
    });
    inNextTurn(resolve);
  });
  expect(order).toEqual(['sent', 'written', 'next turn']);
});
