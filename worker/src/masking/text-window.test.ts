import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { compileRules } from './compile-rules.ts';
import { Scratch, TextWindow } from './text-window.ts';

const window = new TextWindow(new Scratch(), compileRules({}).judgeHost);

function equalOneByOne(text: string, from: number, distance: number, stop: number): number {
  let index = from;
  while (index < stop && text[index] === text[index - distance]) index++;
  return index;
}

describe('a text that is compared with itself', () => {
  test('is equal up to the first character that differs, wherever that is', () => {
    const unit = 'Lembar é 漢 \u{1F600}. ';
    const whole = unit.repeat(80);
    for (let at = unit.length; at <= whole.length; at++) {
      const text = `${whole.slice(0, at)}#${whole.slice(at + 1)}`;
      window.show(text, true);
      expect(window.equalUntil(unit.length, unit.length, text.length)).toBe(at);
    }
  });

  test('is so for every beginning, distance and end', () => {
    const random = seededRandom(7);
    const upTo = (most: number) => Math.floor(random() * most);
    for (let turn = 0; turn < 2_000; turn++) {
      const distance = 1 + upTo(90);
      const letters = Array.from({ length: distance }, () => 'ab'.charAt(upTo(2))).join('');
      const text = letters.repeat(1 + upTo(1_500 / distance)) + 'x'.repeat(upTo(40));
      const from = distance + upTo(Math.max(1, text.length - distance));
      const stop = Math.min(text.length, from + upTo(1_200));
      window.show(text, true);
      const expected = equalOneByOne(text, from, distance, stop);
      expect(window.equalUntil(from, distance, stop)).toBe(Math.max(from, expected));
    }
  });
});
