/**
 * Fits the judge that tells identifiers from values drawn at random, and says how well it does on packages it was not
 * fitted on. Identifiers come from the sources in folders, values from generators.
 *   npm run masking-fit -- node_modules /usr/lib/python3 /usr/include
 * Writes worker/src/masking/identifier-weights.ts; only weights are kept, nothing of the sources.
 */
import { writeFileSync } from 'node:fs';
import { seededRandom } from '../../../shared/testing/seeded-random.ts';
import {
  CLASS_BUCKETS,
  eachFeature,
  LETTER_BUCKETS,
  WEIGHTS,
} from '../../../worker/src/masking/identifier-features.ts';
import { draw } from '../../../worker/src/masking/testing/drawn.ts';
import { filesIn, textOf } from './read-texts.ts';

const CODE_LANGUAGES = new Set([
  'javascript',
  'typescript',
  'python',
  'go',
  'rust',
  'c',
  'java',
  'csharp',
  'php',
  'ruby',
  'perl',
  'lua',
  'shell',
]);
const [SHORTEST, LONGEST] = [10, 56];
/** A longer line holds data rather than code. */
const LONGEST_LINE = 300;
const MOST_OF_LANGUAGE = 60_000;
const EPOCHS = 6;
const LARGEST_WEIGHT = 127;
/** A package in so many is kept from fitting. */
const HELD_OUT = 5;

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const ALPHABETS = [
  lower + upper + digits,
  lower + digits,
  upper + digits,
  `${lower}${upper}${digits}_-`,
  lower + upper,
  `${lower}${upper}${digits}+/`,
];

interface Sample {
  readonly value: string;
  readonly identifier: boolean;
  readonly held: boolean;
}

const random = seededRandom(22);
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('Usage: npm run masking-fit -- FOLDER…');
  process.exit(1);
}
const identifiers = readIdentifiers();
const drawn = drawValues(identifiers.length);
const samples = shuffled([...identifiers, ...drawn]);
const weights = fit(samples.filter(({ held }) => !held));
const scale = LARGEST_WEIGHT / Math.max(...weights.map(Math.abs));
const integers = weights.map((weight) => Math.round(weight * scale));
report(integers);
write(integers);

/** Distinct identifiers with digits or capitals inside: others are told by other means. */
function readIdentifiers(): Sample[] {
  const found = new Map<string, boolean>();
  const perLanguage = new Map<string, number>();
  for (const folder of folders)
    for (const { path, language } of filesIn(folder)) {
      const known = perLanguage.get(language) ?? 0;
      if (!CODE_LANGUAGES.has(language) || known > MOST_OF_LANGUAGE) continue;
      const text = textOf(path) ?? '';
      const held = isHeld(path.slice(0, path.lastIndexOf('/')));
      const before = found.size;
      for (const line of text.split('\n')) {
        if (line.length > LONGEST_LINE || /sha\d{1,3}-|base64,/.test(line)) continue;
        for (const [word] of line.matchAll(/[A-Za-z_$][\w$]{9,55}/g))
          if (!found.has(word) && /\d|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(word) && !/^[0-9a-fA-Fx]+$/.test(word))
            found.set(word, held);
      }
      perLanguage.set(language, known + found.size - before);
    }
  return [...found].map(([value, held]) => ({ value, identifier: true, held }));
}

/** By the folder of a package, so that no package is on both sides. */
function isHeld(folder: string): boolean {
  const parts = folder
    .split('/')
    .slice(0, folder.includes('node_modules') ? 8 : 6)
    .join('/');
  let hash = 7;
  for (let index = 0; index < parts.length; index++) hash = Math.imul(hash, 31) + parts.charCodeAt(index);
  return (hash >>> 3) % HELD_OUT === 0;
}

function drawValues(count: number): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const length = SHORTEST + Math.floor(random() ** 1.5 * (LONGEST - SHORTEST));
    return {
      value: draw(random, length, ALPHABETS[index % ALPHABETS.length] ?? lower),
      identifier: false,
      held: index % HELD_OUT === 0,
    };
  });
}

function shuffled<T>(list: T[]): T[] {
  return list
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Logistic regression by stochastic descent, one pass after another with smaller steps. */
function fit(list: readonly Sample[]): number[] {
  const fitted = new Float64Array(WEIGHTS);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const step = 0.08 / (1 + epoch);
    for (const { value, identifier } of list) {
      let score = fitted[WEIGHTS - 1] ?? 0;
      eachFeature(value, (index) => (score += fitted[index] ?? 0));
      const change = step * ((identifier ? 0 : 1) - 1 / (1 + Math.exp(-score)));
      eachFeature(value, (index) => (fitted[index] = (fitted[index] ?? 0) * (1 - step * 1e-5) + change));
      fitted[WEIGHTS - 1] = (fitted[WEIGHTS - 1] ?? 0) + change;
    }
  }
  return [...fitted];
}

function scoreOf(value: string, judge: readonly number[]): number {
  let score = judge[WEIGHTS - 1] ?? 0;
  eachFeature(value, (index) => (score += judge[index] ?? 0));
  return score / scale;
}

function report(judge: readonly number[]): void {
  const held = samples.filter((sample) => sample.held);
  const groups: [string, (sample: Sample) => boolean][] = [
    ['identifiers', ({ identifier }) => identifier],
    ...[10, 14, 20, 32].map((from, index, all): [string, (sample: Sample) => boolean] => [
      `drawn, from ${from}`,
      ({ identifier, value }) => !identifier && value.length >= from && value.length < (all[index + 1] ?? 99),
    ]),
  ];
  console.log(`${samples.length} values, ${held.length} of packages that were held out`);
  console.log(
    'share judged drawn at a threshold of'.padEnd(40),
    [-4, -2, -1, 0, 1, 2, 4].map((threshold) => String(threshold).padStart(7)).join(''),
  );
  for (const [name, wanted] of groups) {
    const group = held.filter(wanted).map(({ value }) => scoreOf(value, judge));
    const shares = [-4, -2, -1, 0, 1, 2, 4].map(
      (threshold) => (100 * group.filter((score) => score > threshold).length) / group.length,
    );
    console.log(`${name} (${group.length})`.padEnd(40), shares.map((share) => share.toFixed(2).padStart(7)).join(''));
  }
  const ranked = held
    .map(({ value, identifier }) => ({ value, identifier, score: scoreOf(value, judge) }))
    .sort((a, b) => b.score - a.score);
  console.log(
    'identifiers that look most drawn:',
    ranked
      .filter(({ identifier }) => identifier)
      .slice(0, 10)
      .map(({ value }) => value)
      .join(' '),
  );
  console.log(
    'drawn values that read most like identifiers:',
    ranked
      .filter(({ identifier, value }) => !identifier && value.length > 13)
      .slice(-10)
      .map(({ value }) => value)
      .join(' '),
  );
}

function write(judge: readonly number[]): void {
  const text = Buffer.from(Int8Array.from(judge).buffer).toString('base64');
  const lines = text.match(/.{1,100}/g) ?? [];
  writeFileSync(
    new URL('../../../worker/src/masking/identifier-weights.ts', import.meta.url),
    `/** Made by \`npm run masking-fit\`: ${LETTER_BUCKETS} weights of letters, ${CLASS_BUCKETS} of classes, one for all; a byte each, in base64. */\nexport const IDENTIFIER_WEIGHTS = [\n${lines.map((line) => `  '${line}',`).join('\n')}\n].join('');\n\n/** What a weight of one stands for: the score is a logarithm of odds times this. */\nexport const WEIGHT_SCALE = ${scale.toFixed(2)};\n`,
  );
}
