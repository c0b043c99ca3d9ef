/**
 * Masks the installed packages' Markdown in documents of 8 KB and compares with secretlint's recommended preset on the
 * same documents, in turns, each in a process of its own: what one leaves in memory is not collected in the other's time.
 * Figures are of the thread's processor time, so that a busy machine disturbs them less.
 *   node e2e/bench/masking/speed.ts [rounds]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
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

type Check = (document: string) => unknown;

function masker(): Check {
  const before = spent();
  const { mask } = createMasker();
  console.log(`table built in ${(spent() - before).toFixed(1)} ms`);
  return mask;
}

function secretlint(): Check {
  const config = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] };
  return (content) =>
    lintSource({
      source: { filePath: '/a.md', content, ext: '.md', contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    });
}

interface Round {
  /** A second of processor time. */
  readonly megabytesPerSecond: number;
  /** Milliseconds that a document takes. */
  readonly p50: number;
  readonly p99: number;
}

async function measure(check: Check, documents: readonly string[]): Promise<Round> {
  // Those that secretlint made of each document in the round before fill its memory. It reads them after the round.
  performance.clearMarks();
  performance.clearMeasures();
  const times: number[] = [];
  const start = spent();
  for (const document of documents) {
    const from = performance.now();
    const checked = check(document);
    if (checked instanceof Promise) await checked;
    times.push(performance.now() - from);
  }
  const seconds = (spent() - start) / 1000;
  times.sort((a, b) => a - b);
  const megabytes = documents.reduce((sum, { length }) => sum + length, 0) / 1e6;
  return { megabytesPerSecond: megabytes / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Measures a round whenever the parent asks for one. */
function serve(check: Check): void {
  const documents = documentsOf(markdown(new URL('../../../node_modules', import.meta.url).pathname).join('\n'));
  process.on('message', () => {
    void measure(check, documents).then((round) => process.send?.(round));
  });
}

async function roundOf(child: ChildProcess): Promise<Round> {
  child.send('round');
  const [round] = await once(child, 'message');
  return round;
}

async function compare(rounds: number): Promise<void> {
  const [ours, theirs] = ['mask', 'secretlint'].map((tool) => fork(new URL(import.meta.url), [tool]));
  if (ours === undefined || theirs === undefined) return;
  for (const child of [ours, theirs]) child.once('exit', (code) => process.exit(code ?? 1));
  for (let round = 0; round < rounds; round++) {
    const mask = await roundOf(ours);
    const lint = await roundOf(theirs);
    console.log(
      `mask ${mask.megabytesPerSecond.toFixed(1)} MB/s, secretlint ${lint.megabytesPerSecond.toFixed(1)} MB/s, ratio ${(mask.megabytesPerSecond / lint.megabytesPerSecond).toFixed(2)}; a document p50 ${mask.p50.toFixed(3)} ms, p99 ${mask.p99.toFixed(3)} ms`,
    );
  }
  for (const child of [ours, theirs]) child.removeAllListeners('exit').disconnect();
}

const [argument = '5'] = process.argv.slice(2);
if (argument === 'mask') serve(masker());
else if (argument === 'secretlint') serve(secretlint());
else await compare(Number(argument));
