import { runLoad } from '../load/run-load.ts';
import { measureRound, median, type Round } from '../measure.ts';
import { watchCommands } from '../processes/bench-redis.ts';
import type { CommandRow, ThroughputRow } from '../results.ts';
import type { Wish } from '../wish.ts';
import { CONTENDERS, type ContenderName, type Contenders } from './contenders.ts';

export interface ThroughputCase extends Wish {
  readonly connections: number;
  readonly contenders: readonly ContenderName[];
  readonly seconds: number;
  /** Whether a budget is judged by it. */
  readonly isOfBudget: boolean;
}

export type Say = (line: string) => void;

const SMALL = { bytes: 2_048, delayMs: 0 };
const LARGE = { bytes: 65_536, delayMs: 0 };
/** Code is compiled while it runs; measured is what a service does that has been up for a while. */
const WARM_UP_SECONDS = 8;
/** Long answers run code of their own, and make the heaps and Redis grow; shorter, because Redis keeps each of them. */
const LONG_ANSWERS_WARM_UP_SECONDS = 3;

/** The cases in the order of their importance: those that budgets are judged by come first. */
export function throughputCases(): ThroughputCase[] {
  const all = Object.keys(CONTENDERS) as ContenderName[];
  const contenders: readonly ContenderName[] = ['service', 'portkey'];
  const cases: ThroughputCase[] = [
    { ...SMALL, connections: 100, contenders: all, seconds: 4, isOfBudget: true },
    { ...SMALL, connections: 1, contenders: all, seconds: 4, isOfBudget: true },
    { ...LARGE, connections: 100, contenders, seconds: 1.5, isOfBudget: true },
  ];
  for (const delayMs of [0, 200]) {
    for (const bytes of [SMALL.bytes, LARGE.bytes]) {
      for (const connections of [1, 10, 100, 500]) {
        if (cases.some((one) => one.connections === connections && one.bytes === bytes && one.delayMs === delayMs))
          continue;
        cases.push({ bytes, delayMs, connections, contenders, seconds: 1.5, isOfBudget: false });
      }
    }
  }
  return cases;
}

/** Runs every contender for a while, so that none is measured cold. */
export async function warmUp(contenders: Contenders, say: Say): Promise<void> {
  say(`warming up, ${WARM_UP_SECONDS} s each`);
  for (const name of contenders.names) {
    const seconds = WARMED_UP_LONGER.has(name) ? WARM_UP_SECONDS : 1;
    await measureRound(contenders.target(name, SMALL), { connections: 100, seconds, warmUpSeconds: 0 });
  }
}

const WARMED_UP_LONGER: ReadonlySet<ContenderName> = new Set(['service', 'portkey', 'v1', 'stubbed']);

/** Asks each contender for long answers before the first case that measures them; all other cases need only `warmUp`. */
export async function warmUpLong(contenders: Contenders, one: ThroughputCase): Promise<void> {
  if (one.bytes < LARGE.bytes || !one.isOfBudget) return;
  for (const name of one.contenders.filter((name) => contenders.names.includes(name))) {
    const round = { connections: 100, seconds: LONG_ANSWERS_WARM_UP_SECONDS, warmUpSeconds: 0 };
    await measureRound(contenders.target(name, LARGE), round);
  }
}

/**
 * Measures one case in rounds; in each every contender has its turn, in every second one the other way round: what comes after so many
 * requests, as the rewriting of Redis' file does, would else befall the same of them each time.
 *
 * @param rewriting what each request costs in which Redis rewrites its file, µs, as cases with as long answers say; see `withRewriting`
 */
export async function measureCase(
  contenders: Contenders,
  one: ThroughputCase,
  rounds: number,
  rewriting?: number,
): Promise<ThroughputRow[]> {
  const measured = new Map<ContenderName, Round[]>();
  const names = one.contenders.filter((name) => contenders.names.includes(name));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { connections, seconds } = one;
      const done = await measureRound(contenders.target(name, one), { connections, seconds });
      measured.set(name, [...(measured.get(name) ?? []), done]);
    }
  }
  return [...measured].map(([name, rounds]) => withRewriting(summarize(name, one, rounds), measured, rewriting));
}

/** Those that write to one Redis. */
const OF_ONE_REDIS: ReadonlySet<string> = new Set(['service', 'v1']);

/** With fewer requests than these, a rewriting that falls into their rounds has been caused by others. */
const FEW_REQUESTS = 2_000;

/**
 * Adds what each request costs in which Redis rewrites its file: of all whose answers it holds, because it comes in bursts.
 *
 * @param known the same of other cases, µs: how much is written depends on the answers alone. Taken where the requests are few
 */
export function withRewriting(
  row: ThroughputRow,
  measured: ReadonlyMap<ContenderName, readonly Round[]>,
  known?: number,
): ThroughputRow {
  if (!('redis' in row.cpuMicros)) return row;
  const isShared = OF_ONE_REDIS.has(row.contender);
  const all = [...measured].filter(([name]) => (isShared ? OF_ONE_REDIS.has(name) : name === row.contender));
  const rounds = all.flatMap(([, each]) => each);
  const ms = rounds.reduce((sum, { rewritingMs }) => sum + rewritingMs, 0);
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  const micros = known !== undefined && requests < FEW_REQUESTS ? known : (ms * 1000) / Math.max(1, requests);
  return { ...row, cpuMicros: { ...row.cpuMicros, [REWRITING]: micros } };
}

/** What these cases say of it, where there is one with answers of so many bytes: the first has the most requests. */
export function rewritingOf(rows: readonly ThroughputRow[], bytes: number): number | undefined {
  const row = rows.find((row) => row.contender === 'service' && row.bytes === bytes);
  return row?.cpuMicros[REWRITING];
}

/** Its name among processes. */
export const REWRITING = 'redis, rewriting its file';

function summarize(contender: ContenderName, one: ThroughputCase, rounds: readonly Round[]): ThroughputRow {
  const { connections, delayMs, bytes } = one;
  return {
    ...{ contender, connections, delayMs, bytes },
    ...mediansOf(rounds),
    spread: spreadOf(rounds),
    failed: rounds.flatMap(({ failures }) => Object.values(failures)).reduce((sum, count) => sum + count, 0),
  };
}

type Figures = Pick<Round, 'perSecond' | 'p50' | 'p99' | 'cpuMicros' | 'residentBytes'>;

/** Each figure's median, of rounds or of starts; the mean of what comes in bursts. */
export function mediansOf(all: readonly Figures[]): Figures {
  const of = (pick: (one: Figures) => number) => median(all.map(pick));
  const each = (pick: (one: Figures) => Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.keys(pick(all[0]!)).map((name) => {
        const valueOf = (one: Figures) => pick(one)[name] ?? 0;
        return [name, name === REWRITING ? all.reduce((sum, one) => sum + valueOf(one), 0) / all.length : of(valueOf)];
      }),
    );
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpuMicros: each(({ cpuMicros }) => cpuMicros),
    residentBytes: each(({ residentBytes }) => residentBytes),
  };
}

/** How far the processor time of one of them is from the median, at most, of it. */
export function spreadOf(all: readonly Figures[]): number {
  const sums = all.map(({ cpuMicros }) =>
    Object.entries(cpuMicros).reduce((sum, [name, micros]) => (name === REWRITING ? sum : sum + micros), 0),
  );
  const middle = median(sums);
  return Math.max(...sums.map((sum) => Math.abs(sum / middle - 1)));
}

/**
 * Counts the commands that reach Redis; apart from the rounds, because watching slows Redis down.
 *
 * @throws when Redis fails, or the load generator does
 */
export async function countCommands(contenders: Contenders, connections: number): Promise<CommandRow> {
  const { ports, requests } = contenders.target('service', SMALL);
  let finish: () => Record<string, number> = () => ({});
  let sent: Record<string, number> = {};
  const answered = await runLoad(
    { ports, connections, requests, warmUpSeconds: 2, seconds: 2 },
    {
      started: async () => {
        finish = await watchCommands(contenders.service.redis);
      },
      finished: () => {
        sent = finish();
      },
    },
  );
  const perRequest = Object.entries(sent).map(([name, count]): [string, number] => [name, count / answered.requests]);
  return {
    connections,
    sent: perRequest.reduce((sum, [, count]) => sum + count, 0),
    byName: Object.fromEntries(perRequest.filter(([, count]) => count >= 0.05).sort(([, a], [, b]) => b - a)),
  };
}
