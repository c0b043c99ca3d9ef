import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { features, readFeatures, WEIGHTS } from './identifier-features.ts';
import { readsAsIdentifier } from './identifier-judge.ts';
import { IDENTIFIER_WEIGHTS, WEIGHT_SCALE } from './identifier-weights.ts';
import { draw } from './testing/drawn.ts';

const weights = new Int8Array(Buffer.from(IDENTIFIER_WEIGHTS, 'base64'));
const lower = 'abcdefghijklmnopqrstuvwxyz';
const alphanumeric = `${lower}${lower.toUpperCase()}0123456789`;

/** As the model is fitted: the sum of the weights of all features. */
function isFittedIdentifier(value: string): boolean {
  if (!/^[A-Za-z_$][\w$./+-]*$/.test(value)) return false;
  let score = weights[WEIGHTS - 1] ?? 0;
  for (const feature of features.subarray(0, readFeatures(value))) score += weights[feature] ?? 0;
  return score < -2 * WEIGHT_SCALE;
}

const differing = (values: Iterable<string>) =>
  [...values].filter((value) => readsAsIdentifier(value) !== isFittedIdentifier(value));

describe('what reads as an identifier', () => {
  test('is what the fitted model says, about identifiers', () => {
    const folder = new URL('..', import.meta.url).pathname;
    const found = new Set<string>();
    for (const file of globSync('**/*.ts', { cwd: folder }))
      for (const [word] of readFileSync(`${folder}/${file}`, 'utf8').matchAll(/[^\s"'`(),;]{1,90}/g)) found.add(word);
    expect(found.size).toBeGreaterThan(5_000);
    expect(differing(found)).toEqual([]);
    expect([...found].filter(readsAsIdentifier).length).toBeGreaterThan(1_000);
  });

  test.each([
    ['letters and digits', alphanumeric],
    ['base64', `${alphanumeric}+/`],
    ['base64url', `${alphanumeric}_-`],
    ['letters', `${lower}${lower.toUpperCase()}`],
    ['what names are made of', `${lower}AB1_$./+-`],
    ['anything', `${alphanumeric}_$./+-=é{ \u{2003}`],
  ])('is what the fitted model says, about random values of %s', (_kind, characters) => {
    const random = seededRandom(22);
    const values = Array.from({ length: 3_000 }, () => draw(random, Math.floor(random() * 90), characters));
    expect(differing(values)).toEqual([]);
  });
});
