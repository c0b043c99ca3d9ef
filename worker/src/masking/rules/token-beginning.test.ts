import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from '../mask.ts';
import { draw } from '../testing/drawn.ts';
import { LETTERS_DIGITS } from './rule.ts';

const { mask } = createMasker();
const random = seededRandom(7);
const token = `glpat-7${draw(random, 19, LETTERS_DIGITS)}`;
const keyId = `AKIA7${draw(random, 15, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`;

describe('a token that is glued to what stands before it', () => {
  test.each(['dump_@', 'old-copy-@.zip', 'nilai@', '\u001b[1;31m@\u001b[0m', String.raw`\x1b[36m@`])(
    'goes in %j',
    (template) => {
      for (const secret of [token, keyId])
        expect(mask(template.replace('@', secret)).text).not.toContain(secret.slice(6, 20));
    },
  );

  test.each(['xglpat-short1', 'dump_glpat-the-name-of-a-branch', `Zz9${keyId}`, `${keyId.toLowerCase()}x`])(
    'stays in %j',
    (text) => {
      expect(mask(text).text).toBe(text);
    },
  );

  test('goes with the mark of a difference before an address', () => {
    expect(mask('+10.8.0.3 a\n-10.8.0.4 b\n').text).toBe('+***IP_ADDRESS*** a\n-***IP_ADDRESS*** b\n');
    expect(mask('x+1.2.3.4 is a build').text).toBe('x+1.2.3.4 is a build');
  });
});
