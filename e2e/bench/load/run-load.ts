import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../../harness/launch.ts';
import type { LoadMessage, LoadPlan } from './load-plan.ts';

const HTTP_LOAD = fileURLToPath(new URL('./load.ts', import.meta.url));

/** How long a message may be on its way, ms. */
const LAST_WORDS_MS = 2_000;

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Latencies, ms. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** Requests that were not answered with 200. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * Runs a load generator in a process of its own.
 *
 * @param generator another script than the HTTP generator, which speaks the same messages
 * @param edges called with the generator's process id when the measurement starts, and again when it ends
 */
export function runLoad(
  plan: LoadPlan,
  edges: { started(pid: number): void | Promise<void>; finished(): void | Promise<void> },
  generator: { readonly script: string; readonly args: readonly string[] } = { script: HTTP_LOAD, args: [] },
): Promise<LoadResult> {
  const child = fork(generator.script, generator.args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  });
  endWithUs(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    let hasFinished = false;
    // Its last message may be read after its end, and what follows on that takes a while.
    child.once('exit', (code) => {
      setTimeout(() => {
        if (!hasFinished) reject(new Error(`the load generator ${generator.script} ended with ${code}`));
      }, LAST_WORDS_MS);
    });
    child.on('message', (message: LoadMessage) => {
      hasFinished = message.kind === 'finished';
      if (message.kind === 'started') return void Promise.resolve(edges.started(child.pid ?? 0)).catch(reject);
      Promise.resolve(edges.finished()).then(() => resolve(summarize(message)), reject);
    });
    child.send(plan);
  });
}

function summarize({ latencies, failures, seconds }: Extract<LoadMessage, { kind: 'finished' }>): LoadResult {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    most: at(1),
    failures,
  };
}
