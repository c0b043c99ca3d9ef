import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { findPatterns } from './find-patterns.ts';
import { judgeAll } from './judge-all.ts';
import { questionsOf, reviewPatterns } from './review.ts';

/**
 * Reads every regular expression of the product and fails where one may take more than linear time on a text. Tests are
 * left out: they match texts that they have made.
 */
readOptions({
  name: 'npm run patterns',
  about: 'Judges every regular expression of the product, and ends with 1 where one may take more than linear time.',
  options: {},
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['gateway', 'worker', 'shared', 'stats-service', 'dashboard', 'cli'];

const files = globSync(
  FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,mts,js,mjs}`),
  { cwd: root, exclude: (name) => /(?:^|\/)(?:node_modules|testing|dist)$|\.test\.tsx?$/.test(name) },
).sort();
const found = files.flatMap((file) => findPatterns(file, readFileSync(`${root}/${file}`, 'utf8')));
const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string };
const cache = `${root}/node_modules/.cache/lontar-patterns.json`;
const faults = reviewPatterns(found, await judgeAll(questionsOf(found), cache, `recheck ${version}, seed 1, by steps`));
for (const fault of faults) console.error(fault);
console.log(`${found.length} patterns in ${files.length} files: ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
