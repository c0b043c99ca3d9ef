/**
 * Fits the judge that tells identifiers from values drawn at random, and says how well it does on packages it was not
 * fitted on. Identifiers come from the sources in folders, values from generators.
 *   npm run masking-fit -- node_modules /usr/lib/python3 /usr/include
 * Writes worker/src/masking/identifier-weights.ts, of which only weights are kept, and the report in docs/masking.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { seededRandom } from '../../../shared/testing/seeded-random.ts';
import {
  CLASS_BUCKETS,
  features,
  LETTER_BUCKETS,
  readFeatures,
  WEIGHTS,
} from '../../../worker/src/masking/identifier-features.ts';
import { draw } from '../../../worker/src/masking/testing/drawn.ts';
import { describeFit, type Judged } from './describe-fit.ts';
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
const ALPHABETS: readonly (readonly [kind: string, characters: string])[] = [
  ['letters and digits', lower + upper + digits],
  ['small letters and digits', lower + digits],
  ['capitals and digits', upper + digits],
  ['base64url', `${lower}${upper}${digits}_-`],
  ['letters', lower + upper],
  ['base64', `${lower}${upper}${digits}+/`],
];

interface Sample {
  readonly value: string;
  /** Of a drawn value; an identifier has none. */
  readonly kind?: string;
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
const judged = samples
  .filter(({ held }) => held)
  .map(({ value, kind }): Judged => ({ value, kind, score: scoreOf(value, integers) }));
const description = describeFit(judged);
console.log(description);
write(integers);
writeReport(description);

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
  return [...found].map(([value, held]) => ({ value, held }));
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
    const [kind, characters] = ALPHABETS[index % ALPHABETS.length] ?? ['', lower];
    return { value: draw(random, length, characters), kind, held: index % HELD_OUT === 0 };
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
    for (const { value, kind } of list) {
      const count = readFeatures(value);
      let score = fitted[WEIGHTS - 1] ?? 0;
      for (const index of features.subarray(0, count)) score += fitted[index] ?? 0;
      const change = step * ((kind === undefined ? 0 : 1) - 1 / (1 + Math.exp(-score)));
      for (const index of features.subarray(0, count))
        fitted[index] = (fitted[index] ?? 0) * (1 - step * 1e-5) + change;
      fitted[WEIGHTS - 1] = (fitted[WEIGHTS - 1] ?? 0) + change;
    }
  }
  return [...fitted];
}

function scoreOf(value: string, judge: readonly number[]): number {
  let score = judge[WEIGHTS - 1] ?? 0;
  for (const index of features.subarray(0, readFeatures(value))) score += judge[index] ?? 0;
  return score / scale;
}

function write(judge: readonly number[]): void {
  const text = Buffer.from(Int8Array.from(judge).buffer).toString('base64');
  const lines = text.match(/.{1,100}/g) ?? [];
  writeFileSync(
    new URL('../../../worker/src/masking/identifier-weights.ts', import.meta.url),
    `/** Made by \`npm run masking-fit\`: ${LETTER_BUCKETS} weights of letters, ${CLASS_BUCKETS} of classes, one for all; a byte each, in base64. */\nexport const IDENTIFIER_WEIGHTS = [\n${lines.map((line) => `  '${line}',`).join('\n')}\n].join('');\n\n/** What a weight of one stands for: the score is a logarithm of odds times this. */\nexport const WEIGHT_SCALE = ${scale.toFixed(2)};\n`,
  );
}

function writeReport(description: string): void {
  const page = new URL('../../../docs/masking.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  const [before, , after] = text.split(/<!-- (?:masking-fit|end of masking-fit) -->\n/);
  if (before === undefined || after === undefined) throw new Error('docs/masking.md has lost the marks of its report.');
  writeFileSync(page, `${before}<!-- masking-fit -->\n${description}<!-- end of masking-fit -->\n${after}`);
}
