import { type LoadResult, runLoad } from './load/run-load.ts';
import { childrenCpuMs, cpuMs, residentBytes } from './processes/usage.ts';

/** Something that answers requests, and the processes that it takes for that. */
export interface Target {
  readonly name: string;
  readonly ports: readonly number[];
  /** Whole HTTP requests, sent in turn. */
  readonly requests: readonly string[];
  /** Another load generator than the one for HTTP. */
  readonly generator?: { readonly script: string; readonly args: readonly string[] };
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

export interface Round extends LoadResult {
  /** Processor time per answered request of each process, µs. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  /**
   * Processor time of the children of Redis, in which it rewrites its append-only file, ms. That comes in bursts, so that it is no
   * figure of one round.
   */
  readonly rewritingMs: number;
  /** Resident memory at the end, bytes. */
  readonly residentBytes: Readonly<Record<string, number>>;
}

export interface RoundOptions {
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds?: number;
}

/** One round of load on one target. */
export async function measureRound(target: Target, options: RoundOptions): Promise<Round> {
  const { connections, seconds, warmUpSeconds = 0.7 } = options;
  let processes = [...target.processes];
  const before = new Map<string, number>();
  const cpu: Record<string, number> = {};
  const memory: Record<string, number> = {};
  const redis = processes.find(({ name }) => name === 'redis');
  const ofChildren = () => (redis ? childrenCpuMs(redis.pid) : 0);
  let rewritingMs = 0;
  const result = await runLoad(
    { ports: target.ports, connections, requests: target.requests, warmUpSeconds, seconds },
    {
      started(pid) {
        processes = [...processes, { name: 'load', pid }];
        for (const { name, pid } of processes) before.set(name, cpuMs(pid));
        rewritingMs = -ofChildren();
      },
      finished() {
        for (const { name, pid } of processes) {
          cpu[name] = cpuMs(pid) - (before.get(name) ?? 0);
          memory[name] = residentBytes(pid);
        }
        rewritingMs += ofChildren();
      },
    },
    target.generator,
  );
  const cpuMicros = Object.fromEntries(
    Object.entries(cpu).map(([name, ms]) => [name, (ms * 1000) / Math.max(1, result.requests)]),
  );
  return { ...result, cpuMicros, rewritingMs, residentBytes: memory };
}

/**
 * How often programs are started for what budgets are judged by: V8 compiles and lays out a program otherwise each time, so that
 * what a request costs differs by up to a fifth between two starts, and hardly within one.
 */
export const STARTS = 3;

/** The middle value; the mean of the two middle ones of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] =
    sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}
