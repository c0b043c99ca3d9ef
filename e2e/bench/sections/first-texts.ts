import { median, STARTS } from '../measure.ts';
import { ALONE, type Ask, askOf, type Side, startWarm, type WarmOptions } from './ask-streams.ts';
import type { Upstream } from './contenders.ts';

/** One stream at a time, by turns with the upstream itself: what the service adds to the time of its first text. Times in ms. */
export interface FirstTexts {
  readonly direct: number;
  readonly addedP50: number;
  readonly addedP99: number;
  /** The same, less the time until the first word had ended at the upstream: until then masking has to withhold it. */
  readonly besideWordP50: number;
  readonly besideWordP99: number;
}

/**
 * 6,000 streams: measured is a service that has been up for a while, and V8 optimizes what runs once in a request after 3,000
 * of them. A service with one request a second has that within the hour. With so many at first, though, the memory of others
 * cannot be told from what is there already.
 */
const LONG_WARMING_TURNS = 120;
/** Streams that are read of each start. */
const FIRST_STREAMS = 80;
/** Streams of one round, so that both sides meet the same pace of the machine. */
const TURNS = 10;

export async function measureFirstTexts(upstream: Upstream, options: WarmOptions, quick: boolean): Promise<FirstTexts> {
  const times: Times = { direct: [], service: [], besideWord: [] };
  for (let start = 1; start <= (quick ? 1 : STARTS); start++) {
    const service = await startWarm(upstream, options, quick ? 4 : LONG_WARMING_TURNS);
    try {
      await measureStart(askOf(service, upstream), quick ? 20 : FIRST_STREAMS, times);
    } finally {
      await service.stop();
    }
  }
  const [direct, directP99] = [median(times.direct), p99(times.direct)];
  return {
    direct,
    addedP50: median(times.service) - direct,
    addedP99: p99(times.service) - directP99,
    besideWordP50: median(times.besideWord) - direct,
    besideWordP99: p99(times.besideWord) - directP99,
  };
}

/** Of the streams of all starts, ms: those of one are too few for a p99, which would be the slowest of them. */
type Times = Record<Side | 'besideWord', number[]>;

async function measureStart(ask: Ask, streams: number, times: Times): Promise<void> {
  const wish = { ...ALONE, tokens: 5 };
  for (let done = 0; done < streams; done += TURNS) {
    for (const side of ['direct', 'service'] as const) {
      // The first of a process connects and is compiled.
      const { seen } = await ask(side, wish, { turns: TURNS + 2 });
      const warm = seen.slice(2);
      times[side].push(...warm.map(({ firstMs }) => firstMs));
      if (side === 'service') times.besideWord.push(...warm.map(({ firstMs, withheldMs }) => firstMs - withheldMs));
    }
  }
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}
