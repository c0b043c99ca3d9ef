import { median, STARTS } from '../measure.ts';
import type { CommandRow, ThroughputRow } from '../results.ts';
import { type Contenders, startContenders, type Upstream } from './contenders.ts';
import { measureOpenLoops, OPEN_LOOP_BYTES, type OpenLoopRow } from './open-loop.ts';
import {
  countCommands,
  measureCase,
  mediansOf,
  rewritingOf,
  type Say,
  spreadOf,
  throughputCases,
  warmUp,
  warmUpLong,
} from './throughput.ts';

/** Of those that budgets are judged by, in each start. */
const ROUNDS_OF_START = 2;

export interface SideBySideOptions {
  /** What of it is wanted: all cases, those of the budgets, open loops, and commands sent to Redis. */
  readonly wants: Readonly<Record<'throughput' | 'main' | 'open-loop' | 'commands', boolean>>;
  /** One round in one start. */
  readonly quick: boolean;
  readonly portkey: boolean;
  readonly profileFolder?: string | undefined;
  readonly say: Say;
}

export interface SideBySide {
  readonly throughput: readonly ThroughputRow[];
  readonly commands: readonly CommandRow[];
  readonly openLoops: readonly OpenLoopRow[];
}

/** Measures all that run side by side: what budgets are judged by in several starts, and everything else in the last. */
export async function measureSideBySide(upstream: Upstream, options: SideBySideOptions): Promise<SideBySide> {
  const { wants, quick, say } = options;
  const measured: SideBySide[] = [];
  const starts = quick ? 1 : STARTS;
  if (!Object.values(wants).some(Boolean)) return { throughput: [], commands: [], openLoops: [] };
  for (let start = 1; start <= starts; start++) {
    say(`start ${start} of ${starts}`);
    const contenders = await startContenders(upstream, options);
    try {
      await warmUp(contenders, say);
      measured.push(await measureStart(contenders, options, start === starts));
    } finally {
      await contenders.stop();
    }
  }
  return {
    throughput: joinStarts(measured.map(({ throughput }) => throughput)),
    openLoops: joinOpenLoops(measured.map(({ openLoops }) => openLoops)),
    commands: measured.flatMap(({ commands }) => commands),
  };
}

async function measureStart(
  contenders: Contenders,
  { wants, quick, say }: SideBySideOptions,
  isLast: boolean,
): Promise<SideBySide> {
  const throughput: ThroughputRow[] = [];
  const commands: CommandRow[] = [];
  const rounds = quick ? 1 : ROUNDS_OF_START;
  for (const one of throughputCases()) {
    if (!wants.throughput && !(wants.main && one.isOfBudget)) continue;
    if (!one.isOfBudget && !isLast) continue;
    say(`${one.bytes / 1024} KB after ${one.delayMs} ms, ${one.connections} connections`);
    await warmUpLong(contenders, one);
    throughput.push(...(await measureCase(contenders, one, rounds, rewritingOf(throughput, one.bytes))));
  }
  if (wants['open-loop']) say('open loop');
  const rewriting = rewritingOf(throughput, OPEN_LOOP_BYTES);
  const openLoops = wants['open-loop'] ? await measureOpenLoops(contenders, 1, rewriting ?? 0) : [];
  if (wants.commands && isLast) {
    say('commands sent to Redis');
    for (const connections of [1, 10, 100, 500]) commands.push(await countCommands(contenders, connections));
  }
  return { throughput, commands, openLoops };
}

/** Medians of what each start gave of the same contender in the same case. */
export function joinStarts(starts: readonly (readonly ThroughputRow[])[]): ThroughputRow[] {
  const cases = new Map<string, ThroughputRow[]>();
  for (const row of starts.flat()) {
    const name = [row.contender, row.connections, row.delayMs, row.bytes].join(' ');
    cases.set(name, [...(cases.get(name) ?? []), row]);
  }
  return [...cases.values()].map((rows) => (rows.length === 1 ? rows[0]! : joinRows(rows)));
}

function joinRows(rows: readonly ThroughputRow[]): ThroughputRow {
  return {
    ...rows[0]!,
    ...mediansOf(rows),
    spread: Math.max(...rows.map(({ spread = 0 }) => spread)),
    startSpread: spreadOf(rows),
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** Medians of what each start gave at the same pace. */
export function joinOpenLoops(starts: readonly (readonly OpenLoopRow[])[]): OpenLoopRow[] {
  const [first = []] = starts;
  return first.map(({ perSecond }) => {
    const rows = starts.flatMap((all) => all.filter((row) => row.perSecond === perSecond));
    const of = (who: 'service' | 'portkey') => median(rows.map((row) => row[who]));
    const queue = rows.flatMap((row) => row.queue ?? []);
    const row = { perSecond, service: of('service'), portkey: of('portkey') };
    return queue.length > 0 ? Object.assign(row, { queue: median(queue) }) : row;
  });
}
