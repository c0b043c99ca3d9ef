/**
 * Masks the installed packages' Markdown in documents of 8 KB and compares with secretlint's recommended preset on the
 * same documents, in turns, on one core. Figures are of the thread's processor time, so that a busy machine disturbs them less.
 *   node e2e/bench/masking/speed.ts [rounds]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { createMasker } from '../../../worker/src/masking/mask.ts';

const DOCUMENT = 8192;

function markdown(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return markdown(path);
    return entry.isFile() && entry.name.endsWith('.md') ? [readFileSync(path, 'utf8')] : [];
  });
}

/** Cut into flat strings of their own, as texts that arrive over a wire are. */
function documentsOf(text: string): string[] {
  const documents: string[] = [];
  for (let from = 0; from < text.length; from += DOCUMENT)
    documents.push(Buffer.from(text.slice(from, from + DOCUMENT)).toString());
  return documents;
}

function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

const documents = documentsOf(markdown(new URL('../../../node_modules', import.meta.url).pathname).join('\n'));
const megabytes = documents.reduce((sum, { length }) => sum + length, 0) / 1e6;
const before = spent();
const { mask } = createMasker();
console.log(
  `table built in ${(spent() - before).toFixed(1)} ms; ${documents.length} documents, ${megabytes.toFixed(2)} MB`,
);
const config = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] };

for (let round = 0; round < Number(process.argv[2] ?? 5); round++) {
  const start = spent();
  const times = documents.map((document) => {
    const from = performance.now();
    mask(document);
    return performance.now() - from;
  });
  const ours = megabytes / ((spent() - start) / 1000);
  const theirStart = spent();
  for (const content of documents) {
    await lintSource({
      source: { filePath: '/a.md', content, ext: '.md', contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    });
  }
  const theirs = megabytes / ((spent() - theirStart) / 1000);
  times.sort((a, b) => a - b);
  console.log(
    `mask ${ours.toFixed(1)} MB/s, secretlint ${theirs.toFixed(1)} MB/s, ratio ${(ours / theirs).toFixed(2)}; a document p50 ${quantile(times, 0.5).toFixed(3)} ms, p99 ${quantile(times, 0.99).toFixed(3)} ms`,
  );
}
