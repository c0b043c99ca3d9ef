import type { Results, ThroughputRow } from '../results.ts';
import { meaningOf } from './meanings.ts';

/** One promise of the design about speed, with what was measured. */
export interface Budget {
  readonly name: string;
  /** What the figure means to an operator of the service. */
  readonly meaning: string;
  readonly wanted: string;
  readonly measured: string;
  /** Absent where this run did not measure it. */
  readonly holds?: boolean;
}

/** Judges a run by the budgets. Every one of them is a ratio, a difference or a count within the same run. */
export function judgeBudgets(results: Results): Budget[] {
  const figures = keyFigures(results);
  const { workers, inFlight, alone } = results;
  const many = inFlight.find((row) => row.inFlight === 10_000);
  return [
    ...costBudgets(results),
    atLeast('throughput at 100 connections, times Portkey', 1.2, figures.timesPortkey, times),
    atLeast('share of the bare BullMQ loop', 0.35, figures.shareOfQueue, percent),
    atMost('added latency at 1 connection, p50', 1, figures.addedLatencyMs, (ms) => `${ms.toFixed(2)} ms`),
    atMost('admission, time in Redis', 25, alone?.admissionMicros, micros),
    atMost('admission with every limit, time in Redis', 25, alone?.limitedAdmissionMicros, micros),
    atMost('Redis commands per request, all processes', 8, figures.commands, (count) => count.toFixed(1)),
    atLeast('10,000 in flight: answered', 10_000, many?.answered, (count) => String(count)),
    atMost(
      '10,000 in flight: growth of the gateway',
      22,
      many && many.gatewayBytes / 1024,
      (kb) => `${kb.toFixed(1)} KB`,
    ),
    ...streamBudgets(results),
    ...slowUpstreamBudgets(results),
    ...defaultSetUpBudgets(results),
    atLeast('two workers, times one', 1.9, growth(workers, 2), times),
    atLeast('four workers, times one', 3.6, growth(workers, 4), times),
  ];
}

/** Processor time of a request beside that of a program that only passes on. */
function costBudgets({ throughput, openLoops = [] }: Results): Budget[] {
  const cost = (contender: string, bytes: number) => ownCpu(find(throughput, contender, 100, bytes));
  const v1 = ratio(cost('v1', 2_048), cost('service', 2_048));
  return [
    atMost(
      'cost of a request, 2 KB, times Portkey',
      0.95,
      ratio(cost('service', 2_048), cost('portkey', 2_048)),
      times,
    ),
    atMost(
      'cost of a request, 64 KB, times Portkey',
      0.95,
      ratio(cost('service', 65_536), cost('portkey', 65_536)),
      times,
    ),
    ...[50, 200, 400].map((perSecond, index) => {
      const row = openLoops.find((one) => one.perSecond === perSecond);
      return atMost(
        `cost at ${perSecond} requests/s, upstream 1.5 s, times Portkey`,
        [1.5, 1.2, 1][index] ?? 1,
        row && row.service / row.portkey,
        times,
      );
    }),
    atMost('cost over /v1, times /api/ai', 1.05, v1, times),
  ];
}

function defaultSetUpBudgets({ defaultSetUp, image }: Results): Budget[] {
  const sum = (parts: Readonly<Record<string, number>> | undefined) =>
    parts && Object.values(parts).reduce((all, one) => all + one, 0);
  const megabytes = (value: number) => `${value.toFixed(0)} MB`;
  return [
    atMost('idle: of one core', 0.02, sum(defaultSetUp?.idleShare), (share) => `${(share * 100).toFixed(1)} %`),
    atMost('idle: memory', 280, sum(defaultSetUp?.idleMegabytes), megabytes),
    atMost('500 requests/s: memory of all processes', 550, sum(defaultSetUp?.loadedMegabytes), megabytes),
    atMost('a start with everything in place', 2, defaultSetUp?.startSeconds, (seconds) => `${seconds.toFixed(2)} s`),
    atMost('image, compressed', 110, image?.compressedMegabytes, megabytes),
  ];
}

/** Of everything that answers, without the mock upstream and the load generator, µs. */
function ownCpu(row: ThroughputRow | undefined): number | undefined {
  if (row === undefined) return undefined;
  const own = Object.entries(row.cpuMicros).filter(([name]) => name !== 'load' && name !== 'upstream');
  return own.length === 0 ? undefined : own.reduce((sum, [, micros]) => sum + micros, 0);
}

function streamBudgets({ streams }: Results): Budget[] {
  const { first, wall, many, saturated, liteLlm } = streams ?? {};
  const wholeShare = many && many.whole / many.streams;
  const cpu = saturated && Object.values(saturated.cpuMicros).reduce((sum, one) => sum + one, 0);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return [
    atMost('first text of a stream, added, p50', 3, first?.addedP50, ms),
    atMost('first text of a stream, added, p99', 10, first?.addedP99, ms),
    atMost('time of a stream of 500 tokens, times the upstream', 1.01, wall?.share, (share) => `${share.toFixed(3)} ×`),
    atLeast('1,000 streams at once: whole and in order', 1, wholeShare, percent),
    atMost('1,000 streams: from the upstream to the client, p99', 250, many?.gapP99, ms),
    atMost('1,000 streams: Redis commands a second', 400, many?.commandsPerSecond, (count) => count.toFixed(0)),
    atMost('1,000 streams: bytes to Redis, times the text', 1.6, many?.bytesTimesText, times),
    atMost(
      'memory of an open stream on the gateway',
      40,
      many && many.gatewayBytes / 1024,
      (kb) => `${kb.toFixed(1)} KB`,
    ),
    atMost('processor time of a streamed token, all processes', 25, cpu, micros),
    atLeast(
      'tokens a second of 20 streams, times LiteLLM',
      10,
      saturated && liteLlm && saturated.tokensPerSecond / liteLlm.tokensPerSecond,
      times,
    ),
  ];
}

function slowUpstreamBudgets({ slowUpstream }: Results): Budget[] {
  const { burst, openLoop } = slowUpstream ?? {};
  const offered = openLoop && openLoop.offeredPerSecond * openLoop.seconds;
  const seconds = (value: number) => `${value.toFixed(2)} s`;
  return [
    atLeast('500 callers at once, upstream 10 s, one worker: answered', 500, burst?.answered, String),
    atMost('500 callers at once, upstream 10 s: the last answer', 12, burst?.seconds, seconds),
    atMost('500 callers at once: memory of the worker', 400, burst?.workerMegabytes, (mb) => `${mb.toFixed(0)} MB`),
    atLeast('500 requests/s offered, upstream 1.5 s: answered', offered ?? 30_000, openLoop?.answered, String),
    atMost('500 requests/s offered, upstream 1.5 s: p99', 1_700, openLoop?.p99, (ms) => `${ms.toFixed(0)} ms`),
  ];
}

/** The figures that a change is most likely to move; all are relative to something measured in the same run. */
export interface KeyFigures {
  /** Processor time of a request of 2 KB. */
  readonly costOfPortkey?: number | undefined;
  readonly timesPortkey?: number | undefined;
  readonly shareOfQueue?: number | undefined;
  readonly addedLatencyMs?: number | undefined;
  readonly commands?: number | undefined;
}

export function keyFigures({ throughput, commands }: Results): KeyFigures {
  const at = (contender: string, connections: number) => find(throughput, contender, connections);
  return {
    costOfPortkey: ratio(ownCpu(at('service', 100)), ownCpu(at('portkey', 100))),
    timesPortkey: ratio(at('service', 100)?.perSecond, at('portkey', 100)?.perSecond),
    shareOfQueue: ratio(at('service', 100)?.perSecond, at('queue', 100)?.perSecond),
    addedLatencyMs: difference(at('service', 1)?.p50, at('direct', 1)?.p50),
    commands: commands.find(({ connections }) => connections === 100)?.sent,
  };
}

/** A row of a case without delay; of the main case, with answers of 2 KB, where no size is named. */
export function find(
  rows: readonly ThroughputRow[],
  contender: string,
  connections: number,
  bytes = 2_048,
): ThroughputRow | undefined {
  return rows.find(
    (row) =>
      row.contender === contender &&
      row.connections === connections &&
      row.delayMs === 0 &&
      Math.round(row.bytes / 1024) === bytes / 1024,
  );
}

/** How much worse a ratio may be than the one on record before it counts as a regression. */
const TOLERANCE = 0.25;

/**
 * Compares this run's ratios with those on record.
 *
 * @returns one sentence for each that has become worse by more than a quarter; machines and their load differ, ratios
 *   within one run hardly do
 */
export function findRegressions(now: Results, before: Results): string[] {
  const [new_, old] = [keyFigures(now), keyFigures(before)];
  const worse = (name: string, is: number | undefined, was: number | undefined, isBetterHigh: boolean) => {
    if (is === undefined || was === undefined) return [];
    const loss = isBetterHigh ? was / is - 1 : is / was - 1;
    return loss > TOLERANCE ? [`${name} was ${was.toFixed(2)} and is ${is.toFixed(2)}`] : [];
  };
  return [
    ...worse('cost of a request, times Portkey', new_.costOfPortkey, old.costOfPortkey, false),
    ...worse('throughput, times Portkey', new_.timesPortkey, old.timesPortkey, true),
    ...worse('throughput, share of the bare BullMQ loop', new_.shareOfQueue, old.shareOfQueue, true),
    ...worse('Redis commands per request', new_.commands, old.commands, false),
  ];
}

function atLeast(name: string, limit: number, value: number | undefined, show: (value: number) => string): Budget {
  return {
    name,
    meaning: meaningOf(name),
    wanted: `at least ${show(limit)}`,
    ...judged(value, show, value !== undefined && value >= limit),
  };
}

function atMost(name: string, limit: number, value: number | undefined, show: (value: number) => string): Budget {
  return {
    name,
    meaning: meaningOf(name),
    wanted: `at most ${show(limit)}`,
    ...judged(value, show, value !== undefined && value <= limit),
  };
}

function judged(value: number | undefined, show: (value: number) => string, holds: boolean) {
  return value === undefined ? { measured: 'not measured' } : { measured: show(value), holds };
}

function growth(rows: Results['workers'], workers: number): number | undefined {
  const of = (count: number) => rows.find((row) => row.workers === count)?.perSecond;
  return ratio(of(workers), of(1));
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}

function micros(value: number): string {
  return `${value.toFixed(1)} µs`;
}

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}
