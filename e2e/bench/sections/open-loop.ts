import { fileURLToPath } from 'node:url';
import { measureRound, median, type Round } from '../measure.ts';
import type { Contenders } from './contenders.ts';

const OPEN_LOOP = fileURLToPath(new URL('../load/open-loop.ts', import.meta.url));
const UPSTREAM_MS = 1_500;
const SECONDS = 10;
/** Size of the answers. */
export const OPEN_LOOP_BYTES = 2_048;

/** So many requests a second before a slow upstream: processor time of a request here and of Portkey, µs. */
export interface OpenLoopRow {
  readonly perSecond: number;
  readonly service: number;
  readonly portkey: number;
}

/**
 * What a request costs where few are under way: nothing is gathered then, and every hop wakes a process of its own.
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
  const rows: OpenLoopRow[] = [];
  for (const perSecond of [50, 200, 400]) {
    const [service, portkey]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      service.push(await cost(contenders, 'service', perSecond));
      portkey.push(await cost(contenders, 'portkey', perSecond));
    }
    rows.push({ perSecond, service: median(service) + rewriting, portkey: median(portkey) });
  }
  return rows;
}

async function cost(contenders: Contenders, name: 'service' | 'portkey', connections: number): Promise<number> {
  const target = contenders.target(name, { bytes: OPEN_LOOP_BYTES, delayMs: UPSTREAM_MS });
  const generator = { script: OPEN_LOOP, args: [] };
  return ownMicros(await measureRound({ ...target, generator }, { connections, seconds: SECONDS, warmUpSeconds: 0 }));
}

function ownMicros({ cpuMicros }: Round): number {
  const own = Object.entries(cpuMicros).filter(([name]) => name !== 'load' && name !== 'upstream');
  return own.reduce((sum, [, micros]) => sum + micros, 0);
}
