import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureRound, median, type Round, type Target } from '../measure.ts';
import { type Contenders, startQueueFloor } from './contenders.ts';

const OPEN_LOOP = fileURLToPath(new URL('../load/open-loop.ts', import.meta.url));
const UPSTREAM_MS = 1_500;
const SECONDS = 10;
const PACES = [50, 200, 400];
/** The program that asks is another one in each round; all others have answered many requests by now. */
const ASKER_WARM_UP_SECONDS = 4;
/** Size of the answers. */
export const OPEN_LOOP_BYTES = 2_048;

/** So many requests a second before a slow upstream: processor time of a request here and of Portkey, µs. */
export interface OpenLoopRow {
  readonly perSecond: number;
  readonly service: number;
  readonly portkey: number;
  /**
   * Of a job of the bare queue loop, without HTTP, limits, masking or a model: its two programs and Redis, µs. Absent in the first seven
   * records.
   */
  readonly queue?: number;
}

/**
 * What a request costs where few are under way: little is done together then, and caches are cold.
 *
 * @param rewriting what each request costs in which Redis rewrites its file, µs: with so few requests, what falls into their time has been
 *   caused by others
 * @throws when Redis fails, or the load generator does
 */
export async function measureOpenLoops(
  contenders: Contenders,
  rounds: number,
  rewriting: number,
): Promise<OpenLoopRow[]> {
  if (!contenders.names.includes('portkey')) return [];
  const targetOf = (name: 'service' | 'portkey') => {
    const target = contenders.target(name, { bytes: OPEN_LOOP_BYTES, delayMs: UPSTREAM_MS });
    return { ...target, generator: { script: OPEN_LOOP, args: [] } };
  };
  return withQueueFloor(async (ofQueue) => {
    const rows: OpenLoopRow[] = [];
    for (const perSecond of PACES) {
      const [service, portkey, queue]: [number[], number[], number[]] = [[], [], []];
      for (let round = 0; round < rounds; round++) {
        service.push(await cost(targetOf('service'), perSecond));
        portkey.push(await cost(targetOf('portkey'), perSecond));
        // What asks is one of its two programs.
        queue.push(await cost(ofQueue, perSecond, { besides: ['load'], warmUpSeconds: ASKER_WARM_UP_SECONDS }));
      }
      rows.push({
        perSecond,
        service: median(service) + rewriting,
        portkey: median(portkey),
        queue: median(queue),
      });
    }
    return rows;
  });
}

async function withQueueFloor<Result>(measure: (target: Target) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-bench-'));
  const queue = await startQueueFloor(folder, UPSTREAM_MS);
  try {
    const warmUp = { connections: Math.max(...PACES), seconds: 1, warmUpSeconds: ASKER_WARM_UP_SECONDS };
    await measureRound(queue.target, warmUp);
    return await measure(queue.target);
  } finally {
    await queue.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What works for all contenders, or for none. */
const OTHERS: ReadonlySet<string> = new Set(['load', 'upstream']);

/** @param about.besides processes of the contender that have the name of another */
async function cost(
  target: Target,
  connections: number,
  { besides = [], warmUpSeconds = 0 }: { readonly besides?: readonly string[]; readonly warmUpSeconds?: number } = {},
): Promise<number> {
  const { cpuMicros }: Round = await measureRound(target, { connections, seconds: SECONDS, warmUpSeconds });
  const own = Object.entries(cpuMicros).filter(([name]) => !OTHERS.has(name) || besides.includes(name));
  return own.reduce((sum, [, micros]) => sum + micros, 0);
}
