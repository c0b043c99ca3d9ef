import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureRound, median, type Round, type Target } from '../measure.ts';
import { type ServiceUnderTest, startServiceUnderTest } from '../processes/service-under-test.ts';
import { promptFor } from '../wish.ts';
import { startUpstream } from './contenders.ts';

/** The processes whose time a request is charged with. */
export const OWN_PROCESSES = ['gateway-1', 'worker-1', 'stats-service', 'redis'] as const;

const OPEN_LOOP = fileURLToPath(new URL('../load/open-loop.ts', import.meta.url));
/** What an upstream takes where requests come at a pace, ms. */
const SLOW_UPSTREAM_MS = 1_500;

/** Until code is compiled and heaps have their size. */
const WARM_UP_SECONDS = 6;

/** What came of one checkout, medians of its rounds. */
export interface CheckoutFigures {
  readonly name: string;
  readonly perSecond: number;
  /** ms */
  readonly p50: number;
  /** Processor time per answered request of each process, µs. */
  readonly cpuMicros: Readonly<Record<(typeof OWN_PROCESSES)[number], number>>;
  /** Of all of them. */
  readonly allMicros: number;
  /** The sum of each round. */
  readonly rounds: readonly number[];
}

/**
 * Measures several checkouts of the service side by side, in turns. Processor time per request is what to look at: other
 * work on the machine disturbs it least.
 *
 * @param checkouts each with its node_modules
 * @throws when a process does not start, or Redis fails
 */
export async function measureCheckouts(
  checkouts: readonly { readonly name: string; readonly root: string }[],
  options: {
    readonly rounds: number;
    readonly seconds: number;
    readonly connections: number;
    readonly bytes?: number;
    /** Requests that come at this pace, before a slow upstream, instead of connections that wait for their answers. */
    readonly 'per-second'?: number | undefined;
  },
): Promise<CheckoutFigures[]> {
  const upstream = await startUpstream();
  const { bytes = 2_048, seconds, 'per-second': perSecond } = options;
  const prompt = promptFor({ bytes, delayMs: 0 });
  const slow = promptFor({ bytes, delayMs: SLOW_UPSTREAM_MS });
  const round = { connections: options.connections, seconds, warmUpSeconds: 0.5 };
  const openLoop = { connections: perSecond ?? 0, seconds, warmUpSeconds: 0 };
  const generator = { script: OPEN_LOOP, args: [] };
  const measure = ({ service, target }: { service: ServiceUnderTest; target: Target }) =>
    perSecond === undefined
      ? measureRound(target, round)
      : measureRound({ ...target, requests: [service.request(slow)], generator }, openLoop);
  const running = [];
  for (const { name, root } of checkouts) {
    const service = await startServiceUnderTest({ root: resolve(root), upstreamPort: upstream.port });
    const { ports, processes } = service;
    const target = { name, ports, requests: [service.request(prompt)], processes };
    running.push({ service, target, measured: [] as Round[] });
  }
  // Only when all have started: one that stands idle meanwhile gives memory back, and is dearer than the others for long.
  for (const { target } of running) await measureRound(target, { ...round, seconds: WARM_UP_SECONDS });
  for (let number = 0; number < options.rounds; number++) {
    // Each comes first as often as last.
    const inTurn = number % 2 === 0 ? running : running.toReversed();
    for (const one of inTurn) one.measured.push(await measure(one));
  }
  await Promise.all(running.map(({ service }) => service.stop()));
  await upstream.stop();
  return running.map(({ target, measured }) => summarize(target.name, measured));
}

function summarize(name: string, measured: readonly Round[]): CheckoutFigures {
  const of = (process: string) => median(measured.map(({ cpuMicros }) => cpuMicros[process] ?? 0));
  const cpuMicros = Object.fromEntries(
    OWN_PROCESSES.map((process) => [process, of(process)]),
  ) as CheckoutFigures['cpuMicros'];
  const rounds = measured.map(({ cpuMicros: each }) => OWN_PROCESSES.reduce((sum, one) => sum + (each[one] ?? 0), 0));
  return {
    name,
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p50: median(measured.map(({ p50 }) => p50)),
    cpuMicros,
    allMicros: median(rounds),
    rounds,
  };
}

/** One line for a person. */
export function describeCheckout({ name, perSecond, p50, cpuMicros, allMicros }: CheckoutFigures): string {
  const each = OWN_PROCESSES.map((process) => `${process} ${cpuMicros[process].toFixed(0)}`);
  return (
    `${name.padEnd(16)} ${perSecond.toFixed(0)} /s, p50 ${p50.toFixed(2)} ms, ` +
    `CPU ${allMicros.toFixed(0)} µs: ${each.join(', ')}`
  );
}
