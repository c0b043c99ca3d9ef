import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { findPatterns } from './find-patterns.ts';
import { judgeAll } from './judge-all.ts';
import { digestOf, readRecord, writeRecord } from './record.ts';
import { questionsOf, reviewPatterns } from './review.ts';

/**
 * Reads every regular expression of the product and fails where one may take more than linear time on a text. Tests are
 * left out: they match texts that they have made.
 */
const { all } = readOptions({
  name: 'npm run patterns',
  about: 'Judges every regular expression of the product, and ends with 1 where one may take more than linear time.',
  options: { all: { type: 'flag', about: 'judges those anew, too, that the record calls linear' } },
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['gateway', 'worker', 'shared', 'stats-service', 'dashboard', 'cli'];

const files = globSync(
  FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,mts,js,mjs}`),
  { cwd: root, exclude: (name) => /(?:^|\/)(?:node_modules|testing|dist)$|\.test\.tsx?$/.test(name) },
).sort();
const found = files.flatMap((file) => findPatterns(file, readFileSync(`${root}/${file}`, 'utf8')));
const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string };
const edition = `recheck ${version}, seed 1, by steps`;
const record = `${root}/cli/src/patterns/judged-linear.txt`;
const known = all ? new Set<string>() : readRecord(record, edition);
const verdicts = await judgeAll(questionsOf(found), (key) => known.has(digestOf(key)));
// A run of the tests leaves the sources as they are.
if (process.env['CI'] === undefined) writeRecord(record, edition, verdicts);
const faults = reviewPatterns(found, verdicts);
for (const fault of faults) console.error(fault);
console.log(`${found.length} patterns in ${files.length} files: ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
