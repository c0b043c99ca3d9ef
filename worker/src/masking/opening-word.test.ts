import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { MARKERS } from './finding.ts';
import { createMasker, type Masker } from './mask.ts';
import { OPENING_WORDS } from './opening-word.ts';

const masker = createMasker();
const mask = (text: string) => masker.mask(text).text;
const HOST = '.gudang.internal:8080';
const LOGIN = ':kX9v2mQ7@tcp(db.lan:3306)/shop';

/** What a masker makes of a text that comes in pieces. */
function maskPieces({ createPieces }: Masker, texts: readonly string[]): readonly string[] {
  const pieces = createPieces();
  return [...texts.map((text) => pieces.push(text)), pieces.end()];
}

test('the words have three letters at least, all of ASCII, and none begins with another', () => {
  expect(OPENING_WORDS.length).toBeGreaterThan(100);
  for (const word of OPENING_WORDS) {
    expect(word).toMatch(/^[A-Z][a-z]{2,}$/);
    expect(OPENING_WORDS.filter((other) => other.startsWith(word))).toEqual([word]);
  }
});

test.each([...OPENING_WORDS])(
  '%s is shown at once at the beginning of a text, and what follows it is masked',
  (word) => {
    const [first, ...others] = maskPieces(masker, [word, ' is']);
    expect([first, others.join('')]).toEqual([word, ' is']);
    expect(mask(word + HOST)).toBe(`${word}${MARKERS.url}`);
    expect(mask(word + LOGIN)).toBe(`${word}${MARKERS.connection}`);
  },
);

test('stands for longer words, too, whatever the pieces are', () => {
  expect(maskPieces(masker, ['There', ' is'])).toEqual(['The', 're ', 'is']);
  expect(maskPieces(masker, ['Th', 'e', 're', ' is'])).toEqual(['', 'The', '', 're ', 'is']);
});

test.each(['a The', ' The', '\nThe', 'the', 'THE'])('%j waits: it is no such word at the beginning', (text) => {
  expect(masker.createPieces().push(text)).not.toMatch(/the$/i);
  expect(mask(text + HOST)).toBe(text.slice(0, -3) + MARKERS.url);
});

describe('a secret of the service that begins like such a word', () => {
  const secret = 'Thermal-9f27-kettle';
  const own = createMasker({ knownValues: [secret] });

  test('is masked whole, and the word waits', () => {
    expect(own.mask(`${secret} it is`).text).toBe(`${MARKERS.key} it is`);
    expect(maskPieces(own, ['The', 'rmal', secret.slice(7), ' is']).join('')).toBe(`${MARKERS.key} is`);
    expect(maskPieces(own, ['The', 'rmal'])[0]).toBe('');
  });

  test('is masked whole where it begins inside of a word', () => {
    const inside = createMasker({ knownValues: ['tainly-9f27-kettle'] });
    expect(inside.mask('Certainly-9f27-kettle is').text).toBe(`Cer${MARKERS.key} is`);
  });

  test('does not make other words wait', () => {
    expect(maskPieces(own, ['Sure', ', '])[0]).toBe('Sure');
  });

  test('the host of MASK_HOSTS and an own shape are masked whole', () => {
    const hosts = createMasker({ maskHosts: ['thermal.example'] });
    expect(hosts.mask('Thermal.example is').text).toBe(`${MARKERS.url} is`);
    const shapes = createMasker({
      shapes: [{ name: 'kettle', prefix: 'Thekey-', parts: [{ characters: 'hex', length: 16 }] }],
    });
    expect(shapes.mask(`Thekey-${'0a1b2c3d'.repeat(2)} is`).text).toBe(`${MARKERS.key} is`);
  });
});

test('where values are kept the word waits: it may belong to one', () => {
  const value = 'The.gudang.internal:8080';
  const keeping = masker.withPolicy({ keep: new Set([value]) });
  expect(keeping.mask(`${value} is`).text).toBe(`${value} is`);
  expect(maskPieces(keeping, ['The', '.gudang.internal:8080', ' is']).join('')).toBe(`${value} is`);
});

test('the same text comes out in pieces as in one, also where it repeats itself, and masking it again changes nothing', () => {
  const random = seededRandom(23);
  const parts = [
    'The',
    're',
    'Sure',
    ' ',
    '.',
    ':',
    HOST,
    LOGIN,
    'kX9v2mQ7',
    '@',
    'password: ',
    '\n',
    'Und',
    'er',
    '-',
  ];
  for (let round = 0; round < 3_000; round++) {
    const some = Array.from({ length: 6 }, () => parts[Math.floor(random() * parts.length)] ?? '').join('');
    const text = (OPENING_WORDS[round % OPENING_WORDS.length] ?? '') + some.repeat(round % 5 === 0 ? 40 : 1);
    const texts: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = from + 1 + Math.floor(random() * 9);
      texts.push(text.slice(from, to));
      from = to;
    }
    const whole = mask(text);
    expect({ text, output: maskPieces(masker, texts).join('') }).toEqual({ text, output: whole });
    expect({ text, again: mask(whole) }).toEqual({ text, again: whole });
  }
});
