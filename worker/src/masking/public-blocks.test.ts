import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from './mask.ts';
import { LETTERS_DIGITS } from './rules/rule.ts';
import { draw } from './testing/drawn.ts';

const { mask } = createMasker();
const random = seededRandom(5);
const BLOCKS = 400;
const BASE64 = `${LETTERS_DIGITS}+/`;

const lines = (count: number, width: number) =>
  Array.from({ length: count }, () => draw(random, width, BASE64)).join('\n');

/** Blocks that anybody may read: made of random base64, in which any prefix may turn up by chance. */
const PUBLIC_BLOCKS: Readonly<Record<string, () => string>> = {
  certificate: () => `-----BEGIN CERTIFICATE-----\n${lines(20, 64)}\n-----END CERTIFICATE-----\n`,
  'public key': () => `-----BEGIN PUBLIC KEY-----\n${lines(7, 64)}\n-----END PUBLIC KEY-----\n`,
  'data URI': () => `<img src="data:image/png;base64,${draw(random, 2_000, BASE64)}=" alt="x">`,
  'wrapped base64': () => `${lines(25, 76)}\n`,
  integrity: () => `"integrity": "sha512-${draw(random, 86, BASE64)}==",`,
  'SSH key': () => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${draw(random, 43, BASE64)} budi@laptop\n`,
};

describe('public blocks of random base64', () => {
  test.each(Object.entries(PUBLIC_BLOCKS))('%s: at most one in two hundred is damaged', (_name, make) => {
    const damaged: string[] = [];
    for (let block = 0; block < BLOCKS; block++) {
      const text = make();
      if (mask(text).text !== text)
        damaged.push(
          mask(text)
            .spans.map(({ rule }) => rule)
            .join(' '),
        );
    }
    expect(damaged.slice(BLOCKS / 200)).toEqual([]);
  });
});
