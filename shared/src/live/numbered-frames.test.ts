import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../testing/seeded-random.ts';
import type { Frame } from './frames.ts';
import {
  createNumberedReader,
  isPlain,
  type NumberedPiece,
  readNumbered,
  readNumberedEntry,
  readNumberedStart,
  writeDigits,
  writeNumbered,
} from './numbered-frames.ts';

const read = (written: string) => {
  const pieces: unknown[][] = [];
  readNumbered(written, (...piece) => pieces.push(piece));
  return pieces;
};
const piece = (number: number, offset: number, data: string, over: Partial<NumberedPiece> = {}): NumberedPiece => ({
  ...{ number, track: 'text', offset, data, goesOn: false },
  ...over,
});

describe('numbered pieces', () => {
  test('come back as they were written, whatever their numbers, places and texts are', () => {
    const random = seededRandom(17);
    const below = (most: number) => Math.floor(random() * most);
    const texts = [
      '',
      'a',
      ' ',
      'two ',
      '\x1f',
      '\x1e',
      '\x1d ',
      ' \x1c',
      '\x1f\x1f"\\',
      'é🌐',
      '\x00\x03\x7f',
      '@'.repeat(200),
      '\r\n$5\r\n',
    ];
    for (let round = 0; round < 2_000; round++) {
      const pieces = Array.from({ length: 1 + below(8) }, () =>
        piece(
          1 + below(10 ** (random() < 0.5 ? 1 : below(9))),
          below(10 ** below(9)),
          texts[below(texts.length)] ?? '',
          {
            track: (['text', 'reasoning', 'call'] as const)[below(3)] ?? 'text',
            goesOn: random() < 0.5,
          },
        ),
      );
      const seen = read(writeNumbered(pieces));
      expect(seen).toEqual(
        pieces.map(({ number, track, offset, data, goesOn }) => {
          const isKnown = goesOn && track !== 'call' && isPlain(data);
          return [number, track, isKnown ? undefined : offset, data];
        }),
      );
    }
  });

  test('take a byte or two beside their text where they go on', () => {
    const pieces = Array.from({ length: 500 }, (_, index) => piece(index + 1, 10_000, 'four', { goesOn: true }));
    expect(writeNumbered(pieces).length).toBe(500 * (4 + 1) + 2);
    const odd = pieces.filter(({ number }) => number % 2 === 1);
    expect(writeNumbered(odd).length).toBe(250 * (4 + 2) + 1);
    // The space at the end of a word is part of the end of its piece.
    const spaced = pieces.map(({ number, offset }) => piece(number, offset, 'four ', { goesOn: true }));
    expect(writeNumbered(spaced).length).toBe(500 * 'four '.length + 2);
    expect(writeNumbered([])).toBe('');
  });

  test.each([
    '\x02',
    '\x02t',
    '\x02t\x05',
    '\x02x\x05a\x1f',
    '\x02T\x05{}\x1f',
    '\x7f'.repeat(50),
    '\x04no end',
    '\x02T\x05"\x1f',
  ])('that are none are left out: %j', (broken) => {
    expect(read(broken)).toEqual([]);
    expect(read(`\x04good\x1f${broken}`)).toEqual([[1, 'text', undefined, 'good']]);
  });

  test('have numbers of any size', () => {
    for (const value of [0, 63, 64, 4_095, 4_096, 2 ** 40])
      expect(read(`\x02t${writeDigits(value)}\x1f`)).toEqual([[0, 'text', value, '']]);
  });
});

describe('what a number stands for', () => {
  test('is a start and a request', () => {
    expect(readNumberedStart('2 req_x')).toEqual({ start: 2, requestId: 'req_x' });
    for (const said of ['', 'req_x', 'x req_x', '1 ', '1 a b']) expect(readNumberedStart(said)).toBeUndefined();
  });
});

describe('a reader of entries', () => {
  const entry = (sequence: number, pieces: readonly NumberedPiece[], firsts: readonly string[] = []) => {
    const read = readNumberedEntry(['numbered', 'w', String(sequence), writeNumbered(pieces), ...firsts]);
    if (read === undefined) throw new Error('no entry');
    return read;
  };
  const onward = (data: string, number = 1) => piece(number, Number.NaN, data, { goesOn: true });
  const first = (number: number, requestId: string, data: string) => [
    `${number} 1 ${requestId}`,
    writeNumbered([piece(number, 0, data)]),
  ];

  function reader() {
    const frames: Frame[] = [];
    const numbered = createNumberedReader();
    return {
      frames,
      numbered,
      take: (...given: Parameters<typeof entry>) => numbered.read(entry(...given), (frame) => frames.push(frame)),
    };
  }

  test('knows where pieces begin that go on', () => {
    const { frames, take } = reader();
    take(1, [], first(1, 'req_a', 'One '));
    take(2, [onward('two ')], first(2, 'req_b', 'Other'));
    take(3, [onward('three'), onward('!', 2)]);
    expect(frames).toEqual([
      ['req_a', 1, 'text', 0, 'One '],
      ['req_a', 1, 'text', 4, 'two '],
      ['req_b', 1, 'text', 0, 'Other'],
      ['req_a', 1, 'text', 8, 'three'],
      ['req_b', 1, 'text', 5, '!'],
    ]);
  });

  test.each([
    ['is missing', 4],
    ['comes again', 2],
    ['is of a worker that counts anew', 1],
  ])('waits for a piece in full where an entry %s', (_what, sequence) => {
    const { frames, take } = reader();
    take(1, [], first(1, 'req_a', 'One '));
    take(2, [onward('two ')]);
    take(sequence, [onward('lost ')]);
    take(sequence + 1, [onward('lost, too ')]);
    take(sequence + 2, [piece(1, 30, 'here ')]);
    take(sequence + 3, [onward('again')]);
    expect(frames.slice(2)).toEqual([
      ['req_a', 1, 'text', 30, 'here '],
      ['req_a', 1, 'text', 35, 'again'],
    ]);
  });

  test('names the numbers that it does not know, until it is told', () => {
    const { frames, numbered, take } = reader();
    expect([...take(5, [piece(7, 3, 'a'), piece(8, 0, 'b')])]).toEqual([7, 8]);
    numbered.learn('w', 7, { requestId: 'req_g', start: 2 });
    numbered.learn('w', 8, undefined);
    expect([...take(6, [piece(7, 4, 'c'), piece(8, 1, 'd')])]).toEqual([]);
    expect(frames).toEqual([['req_g', 2, 'text', 4, 'c']]);
    numbered.forgetAllBut((requestId) => requestId === 'req_g');
    expect(numbered.size).toBe(1);
    expect([...take(7, [onward('e', 7), piece(8, 2, 'f')])]).toEqual([8]);
    expect(frames.at(-1)).toEqual(['req_g', 2, 'text', 5, 'e']);
  });

  test('is no reader of other entries', () => {
    expect(readNumberedEntry(['frames', '[]'])).toBeUndefined();
    expect(readNumberedEntry(['id', 'req_x', 'settlement', '{}'])).toBeUndefined();
  });
});
