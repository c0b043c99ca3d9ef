/**
 * Times the fitted judge on identifiers of sources and as many drawn values, and the whole question that it ends
 * (`isDrawn`). Says also how long the same decisions take as they are fitted, feature by feature; they must agree.
 *   node e2e/bench/masking/judge.ts node_modules /usr/lib/python3
 */
import { readFileSync } from 'node:fs';
import { seededRandom } from '../../../shared/testing/seeded-random.ts';
import { isDrawn } from '../../../worker/src/masking/drawn-value.ts';
import { features, readFeatures, WEIGHTS } from '../../../worker/src/masking/identifier-features.ts';
import { readsAsIdentifier } from '../../../worker/src/masking/identifier-judge.ts';
import { IDENTIFIER_WEIGHTS, WEIGHT_SCALE } from '../../../worker/src/masking/identifier-weights.ts';
import { draw } from '../../../worker/src/masking/testing/drawn.ts';
import { filesIn } from './read-texts.ts';

const MOST_IDENTIFIERS = 40_000;
const [SHORTEST, LONGEST] = [10, 56];
const ROUNDS = 15;
const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ALPHABETS = [ALPHANUMERIC, ALPHANUMERIC.slice(26), `${ALPHANUMERIC}_-`, `${ALPHANUMERIC}+/`];

const weights = new Int8Array(Buffer.from(IDENTIFIER_WEIGHTS, 'base64'));
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('Usage: node e2e/bench/masking/judge.ts FOLDER…');
  process.exit(1);
}

function identifiers(): string[] {
  const found = new Set<string>();
  for (const folder of folders)
    for (const { path } of filesIn(folder)) {
      for (const [word] of readFileSync(path, 'latin1').matchAll(/[A-Za-z_$][\w$]{9,55}/g))
        if (/\d|[a-z][A-Z]/.test(word)) found.add(word);
      if (found.size >= MOST_IDENTIFIERS) return [...found];
    }
  return [...found];
}

function asFitted(value: string): boolean {
  if (!/^[A-Za-z_$][\w$./+-]*$/.test(value)) return false;
  let score = weights[WEIGHTS - 1] ?? 0;
  const count = readFeatures(value);
  for (let feature = 0; feature < count; feature++) score += weights[features[feature] ?? 0] ?? 0;
  return score < -2 * WEIGHT_SCALE;
}

function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

const random = seededRandom(22);
const names = identifiers();
const values = [...names];
for (let index = 0; index < names.length; index++) {
  const length = SHORTEST + Math.floor(random() ** 1.5 * (LONGEST - SHORTEST));
  values.push(draw(random, length, ALPHABETS[index % ALPHABETS.length] ?? ALPHANUMERIC));
}
// Flat strings of their own, in an order in which nothing is foreseen.
const candidates = values
  .map((value) => ({ value: Buffer.from(value).toString(), place: random() }))
  .sort((a, b) => a.place - b.place)
  .map(({ value }) => value);

const judges = { 'the fitted judge': readsAsIdentifier, 'feature by feature': asFitted, 'is it drawn': isDrawn };
const best = new Map<string, number>();
for (let round = 0; round < ROUNDS; round++)
  for (const [name, judge] of Object.entries(judges)) {
    const from = spent();
    let yes = 0;
    for (const value of candidates) if (judge(value)) yes++;
    const nanoseconds = ((spent() - from) * 1_000) / candidates.length;
    if (yes > 0) best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, nanoseconds));
  }
const characters = candidates.reduce((sum, { length }) => sum + length, 0) / candidates.length;
console.log(`${candidates.length} candidates of ${characters.toFixed(1)} characters, best of ${ROUNDS} rounds`);
for (const [name, nanoseconds] of best) console.log(`${name}: ${nanoseconds.toFixed(0)} ns a candidate`);
const differing = candidates.filter((value) => readsAsIdentifier(value) !== asFitted(value));
console.log(`${differing.length} judged otherwise than fitted`);
process.exitCode = differing.length > 0 ? 1 : 0;
