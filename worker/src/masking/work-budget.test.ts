import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { AnchorIndex } from './anchor-index.ts';
import { compileRules } from './compile-rules.ts';
import { createMasker } from './mask.ts';
import { MaskMachine } from './mask-machine.ts';
import { draw } from './testing/drawn.ts';
import { READ_EVERYTHING } from './testing/read-everything.ts';
import { Scratch } from './text-window.ts';
import { MaskingBudgetExceeded, MOST_DEBT, STEPS_PER_CHARACTER } from './work-budget.ts';

/** Words that each take `steps` looks; everything else is free. */
function machineWithWord(word: string, steps: number, reporting = true): MaskMachine {
  const index = new AnchorIndex([
    {
      rule: { name: 'word', type: 'key', source: 'a test' },
      text: word,
      verify: (window, start) => {
        for (let step = 0; step < steps; step++) window.at(start);
        return undefined;
      },
    },
  ]);
  return new MaskMachine(
    { index, judgeHost: () => 'open', findOpening: () => 0 },
    new Scratch(),
    reporting,
    undefined,
    READ_EVERYTHING,
  );
}

/** Gives a judge a value of three hundred characters every few characters, no two of them the same. */
function unpaidText(length: number): string {
  const random = seededRandom(1);
  let text = '';
  while (text.length < length) text += `secret=${draw(random, 3, 'abc')}/`;
  return text;
}

describe('the budget of work', () => {
  const affordable = 10 * STEPS_PER_CHARACTER;

  test('work that the text pays for is done, however long the text', () => {
    const text = 'zzzz......'.repeat(100_000);
    const machine = machineWithWord('zzzz', affordable - 500);
    expect(machine.feed(text, true)).toBe(text);
    expect(machine.work).toBeGreaterThan(100_000 * (affordable - 500));
  });

  test('work that it does not pay for is refused, soon after the debt is too large', () => {
    const machine = machineWithWord('zzzz', 2 * affordable);
    expect(() => machine.feed('zzzz......'.repeat(100_000), true)).toThrow(MaskingBudgetExceeded);
    expect(machine.work).toBeLessThan(3 * MOST_DEBT);
  });

  test('what went before is not saved up for later', () => {
    const burst = 'zzzz......'.repeat(2 * Math.ceil(MOST_DEBT / affordable));
    expect(() => machineWithWord('zzzz', 2 * affordable).feed('.'.repeat(5_000_000) + burst, true)).toThrow(
      MaskingBudgetExceeded,
    );
  });

  test('a single verifier that never gets enough is refused', () => {
    expect(() => machineWithWord('zzzz', MOST_DEBT + 1).feed('zzzz', true)).toThrow(MaskingBudgetExceeded);
  });

  test('the error says nothing of the text', () => {
    const { message, name } = new MaskingBudgetExceeded();
    expect([name, message]).toEqual(['MaskingBudgetExceeded', 'masking this text would take too much work']);
  });

  test.each([1, 7, 16_384])('a text in pieces of %i is charged as the whole is', (piece) => {
    const text = 'password: Kopi2024susu, host=a b api_key = "x" https://a.b/c '.repeat(50);
    const rules = compileRules();
    const whole = new MaskMachine(rules, new Scratch(), false, undefined, READ_EVERYTHING);
    whole.feed(text, true);
    const pieces = new MaskMachine(rules, new Scratch(), false, undefined, READ_EVERYTHING);
    for (let from = 0; from < text.length; from += piece) pieces.feed(text.slice(from, from + piece), false);
    pieces.feed('', true);
    // What is remembered of long runs and of words is forgotten with the text that was passed on.
    expect(Math.abs(pieces.work - whole.work)).toBeLessThan(0.3 * whole.work);
  });

  test('a real text that is not paid for is refused by every form: whole, in slices, as a stream, as a beginning', async () => {
    const masker = createMasker();
    const text = unpaidText(60_000);
    expect(() => masker.mask(text)).toThrow(MaskingBudgetExceeded);
    expect(() => Array.from(masker.maskInSlices(text))).toThrow(MaskingBudgetExceeded);
    expect(() => masker.maskBeginning(text, 4_000)).toThrow(MaskingBudgetExceeded);
    const { readable, writable } = masker.createStream();
    const writer = writable.getWriter();
    const written = writer.write(text);
    await expect(readable.getReader().read()).rejects.toThrow(MaskingBudgetExceeded);
    await expect(written).rejects.toThrow(MaskingBudgetExceeded);
    // One that was refused leaves nothing behind for the next.
    expect(masker.mask('from 10.1.2.3').text).toBe('from ***IP_ADDRESS***');
  });
});
