import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from './mask.ts';

const masker = createMasker();
const mask = (text: string) => masker.mask(text).text;

/**
 * Why a word waits for the next token: letters alone may all become a host or a login, whatever word they are. What is shown
 * cannot be taken back. Only the words that answers often begin with are shown at once, see opening-word.test.ts.
 */
test.each(['Hello', 'Lontar', 'the', 'ok', '1'])('the word %s may still be masked', (word) => {
  for (const rest of ['.gudang.internal:8080/x', ':kX9v2mQ7@tcp(db.lan:3306)/shop'])
    expect(mask(word + rest)).not.toContain(word);
  const pieces = masker.createPieces();
  expect([pieces.push(word), pieces.push(' is')]).toEqual(['', `${word} `]);
});

/** No host, login or key of any rule begins with these: an answer in such a script, or that begins so, waits for nothing. */
test.each(['你好', 'こん', '안녕', 'สวัส', 'नम', '🙂', '¡', '“', '<', 'É'])(
  'the first token %s is shown at once',
  (token) => {
    const pieces = masker.createPieces();
    expect(pieces.push(token)).toBe(token);
    for (const rest of ['.gudang.internal:8080/x', ':kX9v2mQ7@tcp(db.lan:3306)/shop'])
      expect(mask(token + rest).startsWith(token)).toBe(true);
  },
);

describe('`${` at the beginning of a run', () => {
  test('is shown as soon as it is there, and what follows it when it has ended', () => {
    const pieces = masker.createPieces();
    expect(['log(`$', '{', 'leaf', '.', 'length', ' /'].map((piece) => pieces.push(piece))).toEqual([
      'log(`',
      '${',
      '',
      '',
      '',
      'leaf.length ',
    ]);
  });

  test.each([
    ['`${USER}:kX9v2mQ7@tcp(db.example.com:3306)/shop`', '`${***DB_CONNECTION***`'],
    ['app:${PASS}kX9v2mQ7@tcp(db.example.com:3306)/shop', '***DB_CONNECTION***'],
    ['${USER}:${PASS}@tcp(${HOST})/shop', '${USER}:${PASS}@tcp(${HOST})/shop'],
    ['${PASS}@tcp(${HOST})/shop', '${PASS}@tcp(${HOST})/shop'],
  ])('stays, and what is a login behind it does not: %s', (text, masked) => {
    expect(mask(text)).toBe(masked);
    expect(mask(masked)).toBe(masked);
  });

  test('gives the same in pieces as in one, wherever the reach of a rule ends', () => {
    const random = seededRandom(17);
    const parts = [
      '${',
      '$',
      '{',
      '}',
      'app',
      ':',
      'kX9v2mQ7',
      '@tcp(',
      'db.lan:3306',
      ')',
      '/shop',
      ' ',
      '`',
      '.',
      '@',
    ];
    for (let round = 0; round < 3_000; round++) {
      const filler = 'x'.repeat(random() < 0.3 ? 236 + Math.floor(random() * 24) : 0);
      const text = Array.from({ length: 12 }, (_, index) => {
        const part = parts[Math.floor(random() * parts.length)] ?? '';
        return index === 3 ? part + filler : part;
      }).join('');
      const pieces = masker.createPieces();
      let output = '';
      for (let from = 0; from < text.length; ) {
        const to = from + 1 + Math.floor(random() * 9);
        output += pieces.push(text.slice(from, to));
        from = to;
      }
      expect({ text, output: output + pieces.end() }).toEqual({ text, output: mask(text) });
    }
  });
});
