import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { MOST_AT_ONCE, TextTrack } from './text-track.ts';

/** A reader that notes what it gets, and may have no room. */
function reader(from = 0) {
  const got: string[] = [];
  const outlet = { room: true, hasRoom: () => outlet.room, write: (text: string) => void got.push(text) };
  return { got, outlet, track: new TextTrack(from, outlet), text: () => got.join('') };
}

describe('a text that comes in pieces', () => {
  test('is handed on once and in order, repeats and overlaps left out', () => {
    const { track, got } = reader();
    for (const [at, piece] of [
      [0, 'ab'],
      [0, 'ab'],
      [1, 'bcd'],
      [2, 'cd'],
      [4, 'e'],
    ] as const)
      track.take(at, piece);
    expect(got).toEqual(['ab', 'cd', 'e']);
    expect(track.isBehind).toBe(false);
  });

  test('stops at a gap, and goes on behind it once that is filled', () => {
    const { track, got } = reader();
    track.take(0, 'ab');
    track.take(4, 'ef');
    track.take(6, 'g');
    expect(got).toEqual(['ab']);
    expect(track.isBehind).toBe(true);
    track.take(0, 'abcde');
    expect(got).toEqual(['ab', 'cde', 'fg']);
    expect(track.isBehind).toBe(false);
  });

  test('keeps the later of two pieces behind gaps, and a bounded length of them', () => {
    const { track, text } = reader();
    track.take(2, 'c');
    track.take(5, 'f');
    track.take(0, 'abc');
    expect([text(), track.isBehind]).toEqual(['abc', true]);
    track.take(0, 'abcde');
    expect([text(), track.isBehind]).toEqual(['abcdef', false]);
    track.take(7, 'h'.repeat(40_000));
    track.take(6, 'g');
    expect([text(), track.isBehind]).toEqual(['abcdefg', true]);
  });

  test('begins where the reader is, also in front of what is there yet', () => {
    const { track, got } = reader(3);
    track.take(0, 'abcd');
    track.take(4, 'e');
    expect(got).toEqual(['d', 'e']);
    const ahead = reader(10);
    ahead.track.take(0, 'abc');
    expect([ahead.got, ahead.track.isBehind]).toEqual([[], false]);
  });

  test('is never cut within a character, and in pieces of a bounded length', () => {
    const { track, got } = reader();
    track.take(0, 'a\ud83d');
    expect(got).toEqual(['a']);
    expect(track.isBehind).toBe(false);
    track.take(2, '\ude00b');
    expect(got).toEqual(['a', '😀b']);
    track.take(4, `x${'😀'.repeat(MOST_AT_ONCE)}`);
    for (const piece of got) expect([piece.isWellFormed(), piece.length <= MOST_AT_ONCE]).toEqual([true, true]);
    expect(got.join('')).toBe(`a😀bx${'😀'.repeat(MOST_AT_ONCE)}`);
  });

  test('hands on half a character where the text ends with it', () => {
    const { track, text } = reader();
    track.take(0, 'a\ud83d');
    expect(track.hasAll(2)).toBe(false);
    track.end();
    expect([text(), track.hasAll(2)]).toEqual(['a\ud83d', true]);
  });

  test('is missing where the reader has no room, and found again', () => {
    const { track, outlet, text } = reader();
    track.take(0, 'ab');
    outlet.room = false;
    track.take(2, 'cd');
    track.take(4, 'ef');
    expect([text(), track.isBehind]).toEqual(['ab', true]);
    outlet.room = true;
    track.take(6, 'gh');
    expect(text()).toBe('ab');
    track.take(0, 'abcdef');
    expect([text(), track.isBehind]).toEqual(['abcdefgh', false]);
  });
});

test('whatever is lost, repeated or late, and wherever it is cut, the text is exact', () => {
  const random = seededRandom(17);
  const below = (most: number) => Math.floor(random() * most);
  const alphabet = ['a', 'é', '漢', '😀', '\u0000', '"', '\n'];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: below(60) }, () => alphabet[below(alphabet.length)]).join('');
    const from = Math.min(text.length, below(8) === 0 ? below(20) : 0);
    const { track, outlet, got } = reader(from);
    let written = 0;
    for (let step = 0; step < 80; step++) {
      outlet.room = below(6) > 0;
      const kind = below(10);
      if (kind < 6) {
        const length = below(6);
        const piece: [number, string] = [written, text.slice(written, written + length)];
        written = Math.min(text.length, written + length);
        if (kind > 0) track.take(...piece);
      } else if (kind < 8) {
        const start = below(written + 1);
        track.take(start, text.slice(start, Math.min(written, start + below(9))));
      } else track.take(0, text.slice(0, below(written + 1)));
      // Not an expectation for each of so many steps: they would cost more than what they look at.
      if (!text.slice(from).startsWith(got.join(''))) throw new Error(`round ${round}, step ${step}: ${got.join('|')}`);
    }
    outlet.room = true;
    track.take(0, text);
    track.end();
    expect(got.join('')).toBe(text.slice(from));
    expect([track.hasAll(text.length), track.isBehind]).toEqual([true, false]);
  }
});
