import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endOfBare, joinsNumber } from './bare-run.ts';
import { LONGEST_RUN } from './characters.ts';
import { Scratch, TextWindow } from './text-window.ts';

/** A window on a whole text that counts how often a character was looked at. */
class CountingWindow extends TextWindow {
  looks = 0;

  override at(index: number): number {
    this.looks++;
    return super.at(index);
  }
}

function windowOn(text: string): CountingWindow {
  const window = new CountingWindow(new Scratch(), () => 'open');
  window.show(text, true);
  return window;
}

/** The rule in plain words, read anew each time. */
function plainEnd(window: TextWindow, start: number): number {
  let depth = 0;
  let index = start;
  for (; index < start + LONGEST_RUN; index++) {
    const character = window.text.charAt(index);
    if (!/^[!-~]$/.test(character) || character === '\\') break;
    if (character === '&' && /^&(?:\w{1,32}=|quot;|amp;)/.test(window.text.slice(index, index + 40))) break;
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character) && depth > 0) depth--;
    else if (',;<>)]}|"\'`'.includes(character) && !joinsNumber(window, start, index)) break;
  }
  return index;
}

describe('where a bare value ends', () => {
  const piece = fc.constantFrom(
    ...[
      'key=$',
      '${',
      '}',
      '(',
      ')',
      '[]',
      '{x}',
      '123456789012345|abc',
      '|',
      '&a=b',
      '&',
      '&amp;',
      ',',
      ' ',
      'é',
      '\\',
    ],
    ...['abc', 'password:', '.', 'x'.repeat(70), 'y'.repeat(700), '(z', 'z)'],
  );

  test('is the same whether it is read anew or remembered, from whatever place and in whatever order', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 30 }), (pieces, places) => {
        const window = windowOn(pieces.join(''));
        for (const place of places) {
          const start = place % (window.length + 1);
          expect(endOfBare(window, start, false)).toBe(plainEnd(window, start));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['=$key', '=${key', '=${key}', 'key=(', 'key=(a)', '(key=', 'key:$', '=%key'])(
    'of each value in a run of %s is found with few looks at each character',
    (family) => {
      const window = windowOn(family.repeat(4_000));
      for (let start = 0; start < window.length; start += family.length) endOfBare(window, start, false);
      expect(window.looks / window.length).toBeLessThan(40);
    },
  );
});
