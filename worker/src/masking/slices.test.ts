import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker, type MaskResult } from './mask.ts';
import { draw } from './testing/drawn.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const masker = createMasker();

function inSlices(text: string): { readonly result: MaskResult; readonly slices: number } {
  const steps = masker.maskInSlices(text);
  for (let slices = 1; ; slices++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, slices };
  }
}

/** Sentences with secrets of every kind, so that slices end at any place of them. */
function longText(length: number, seed: number): string {
  const random = seededRandom(seed);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const part =
      [
        `The password is ${draw(random, 12, ALPHABET)}7, the server is 10.0.${Math.floor(random() * 255)}.1.\n`,
        `| name | token |\n|---|---|\n| a | ${draw(random, 30, ALPHABET)} |\n\n`,
        `Call https://api.example.com/v1/${draw(random, 40, ALPHABET)}?token=${draw(random, 40, ALPHABET)} 🌐 `,
        `postgres://app:${draw(random, 9, ALPHABET)}@db.lan/shop, ${draw(random, 3_000, 'abcdefgh ')}`,
      ][Math.floor(random() * 4)] ?? '';
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}

describe('masking in slices', () => {
  test.each([0, 1, 16_384, 16_385, 50_000, 400_000])(
    'of %i characters gives what masking the whole gives',
    (length) => {
      const text = longText(length, length + 1).slice(0, length);
      expect(inSlices(text).result).toEqual(masker.mask(text));
    },
  );

  test('a short text is one step', () => {
    expect(inSlices('10.1.2.3').slices).toBe(1);
  });

  test('two texts may be masked at the same time', () => {
    const [first, second] = [longText(100_000, 1), longText(100_000, 2)];
    const [one, two] = [masker.maskInSlices(first), masker.maskInSlices(second)];
    for (;;) {
      const [a, b] = [one.next(), two.next()];
      if (a.done !== true || b.done !== true) continue;
      expect(a.value).toEqual(masker.mask(first));
      expect(b.value).toEqual(masker.mask(second));
      break;
    }
  });
});

describe('the masked beginning of a text', () => {
  test('is all of a short text', () => {
    expect(masker.maskBeginning('from 10.1.2.3 on', 4_000)).toEqual({ text: 'from ***IP_ADDRESS*** on', whole: true });
  });

  test('is the beginning of what masking the whole gives, as long as was wanted', () => {
    const text = longText(300_000, 3);
    const { text: beginning, whole } = masker.maskBeginning(text, 4_000);
    expect(whole).toBe(false);
    expect(beginning.length).toBeGreaterThanOrEqual(4_000);
    expect(masker.mask(text).text.startsWith(beginning)).toBe(true);
  });

  test('reads no more than it has to, and holds nothing of a secret that goes on behind what was read', () => {
    const secret = draw(seededRandom(4), 200_000, ALPHABET);
    expect(masker.maskBeginning(`api_key=${secret}`, 4_000)).toEqual({ text: 'api_key=***API_KEY***', whole: false });
    const before = 'word '.repeat(13_100);
    const { text } = masker.maskBeginning(`${before}sk-proj-${secret}`, 100_000);
    expect(before.startsWith(text.slice(0, before.length))).toBe(true);
    expect(text.slice(before.length)).toMatch(/^(?:\*\*\*API_KEY\*\*\*)?$/);
  });
});
