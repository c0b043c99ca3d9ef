import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInvariants } from './invariants.ts';
import { type LedgerEntry, statusOf } from './ledger.ts';
import type { Report } from './report.ts';
import { type System, type SystemOptions, startSystem } from './system.ts';

export interface ScenarioContext {
  readonly seed: number;
  /** A quick run makes sure of the facts; a long one has enough samples for the figures. */
  readonly quick: boolean;
  /** How long the scenarios that go on and on do so. */
  readonly minutes: number;
  /** How often a fault happens whose scenario counts rounds; its own number where absent. */
  readonly rounds?: number;
  /** Whether suites that can run on either run on a Redis of several, with Sentinels. */
  readonly hasSentinels?: boolean;
  readonly report: Report;
  /** Aborts when the run is to end: the processes that were started end too. */
  readonly interrupted?: AbortSignal;
}

export interface Scenario {
  readonly name: string;
  /** What is done to the service, as one sentence. */
  readonly about: string;
  /** A reason where this machine cannot do it. */
  readonly missing?: () => string | undefined;
  run(context: ScenarioContext): Promise<void>;
}

/** Runs faults on a system of their own, then prints the invariants that hold after all of them. */
export async function onSystem(
  { report, quick, interrupted }: ScenarioContext,
  options: SystemOptions,
  faults: (system: System) => Promise<void>,
): Promise<void> {
  const system = await startSystem(options);
  const work = async () => {
    await faults(system);
    await checkInvariants(system, report, quick);
  };
  let isDone = false;
  try {
    await (interrupted ? Promise.race([work(), rejectOn(interrupted)]) : work());
    isDone = true;
  } finally {
    if (!isDone || report.figures.some(({ passed, timed }) => !passed && !timed)) await keepTraces(system, report);
    await system.stop();
  }
}

/** What explains a failure: all logs, and what is known of each request. It holds secrets of this run alone. */
async function keepTraces({ stack, ledger }: System, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-chaos-'));
  const requests = [...ledger.entries.values()].map((entry) => {
    const settled = entry.end?.kind === 'answered' ? ledger.settled.get(entry.end.requestId) : undefined;
    return JSON.stringify({ ...entry, calls: ledger.calls.get(entry.nonce), settled });
  });
  await writeFile(join(folder, 'services.log'), stack.logs());
  await writeFile(join(folder, 'requests.jsonl'), requests.join('\n'));
  report.fact(`logs and requests are in ${folder}`, 0);
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(new Error('interrupted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Where nothing excuses a failure. A machine that is too busy for Redis to answer in time turns requests away by 503,
 * which is right of it, and no figure of the service's.
 */
export function judgeAnswers(report: Report, entries: readonly LedgerEntry[]): void {
  const count = (isSuch: (status: number) => boolean) => entries.filter((entry) => isSuch(statusOf(entry))).length;
  report.fact(
    'neither answered nor refused for load',
    count((status) => status !== 200 && status !== 503),
    { atMost: 0 },
  );
  report.timed(
    'refused for load, the machine being too slow',
    count((status) => status === 503),
    { atMost: 0 },
    'requests',
  );
}
