import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LITELLM_KEY, startLiteLlm } from '../litellm.ts';
import { readStreams, type StreamsRead } from '../load/run-streams.ts';
import { RECEIVED_STEP_MS } from '../load/stream-plan.ts';
import { median } from '../measure.ts';
import { watchCommands } from '../processes/bench-redis.ts';
import type { ServiceUnderTest } from '../processes/service-under-test.ts';
import { cpuMs, residentBytes } from '../processes/usage.ts';
import type { StreamWish } from '../wish.ts';
import { streamTokens } from '../wish.ts';
import { ALONE, type Ask, askOf, type Side, startWarm, WARMING, type WarmOptions } from './ask-streams.ts';
import type { Upstream } from './contenders.ts';
import { type FirstTexts, measureFirstTexts } from './first-texts.ts';

/** What streams take and give. Times in ms. */
export interface StreamFigures {
  /** One stream at a time, by turns with the upstream itself: what the service adds to the time of its first text. */
  readonly first: FirstTexts;
  /** Of a stream of 500 tokens: its time by the service as a share of the upstream's own. */
  readonly wall: { readonly direct: number; readonly share: number };
  /** Many streams at once. */
  readonly many: {
    readonly streams: number;
    readonly whole: number;
    readonly gapP50: number;
    readonly gapP99: number;
    /** The same, less what masking has to withhold: from the token with which a word had ended. */
    readonly besideWordP50: number;
    readonly besideWordP99: number;
    /** The same of as many streams that are read from the upstream itself: how late upstream, reader and machine are alone. */
    readonly directP50: number;
    readonly directP99: number;
    /** What all processes together sent to Redis, in the middle of the streams. */
    readonly commandsPerSecond: number;
    /** Bytes of these commands as they arrive there, as a multiple of the text of that time, UTF-8. */
    readonly bytesTimesText: number;
    /** Bytes that reached Redis for each stream from its request to its event, admission and settlement included. */
    readonly bytesOfStream: number;
    /** Bytes of its text. */
    readonly textOfStream: number;
    /** By how much the gateway's memory grew for each stream beyond the first tenth of them, bytes. */
    readonly gatewayBytes: number;
    /** For each stream, from when there was none: with what a process takes once for the first of them. */
    readonly gatewayBytesFromNone: number;
  };
  /** Twenty streams of an upstream without a pause. */
  readonly saturated: {
    readonly tokensPerSecond: number;
    /** Processor time of a token, µs, by process. */
    readonly cpuMicros: Readonly<Record<string, number>>;
  };
  /** The same twenty streams by LiteLLM's proxy, unmasked; absent where that cannot be installed. */
  readonly liteLlm?: { readonly tokensPerSecond: number; readonly firstMs: number; readonly cpuMicros: number };
}

export interface StreamsOptions extends WarmOptions {
  /** Fewer and shorter streams. */
  readonly quick?: boolean;
  /** `false` leaves the comparison out. */
  readonly liteLlm?: boolean;
}

/**
 * Streams over `/v1/chat/completions`, side by side with the upstream itself.
 *
 * @throws when a process does not start, or Redis fails
 */
export async function measureStreams(upstream: Upstream, options: StreamsOptions = {}): Promise<StreamFigures> {
  const { quick = false, liteLlm } = options;
  const first = await measureFirstTexts(upstream, options, quick);
  const service = await startWarm(upstream, options, quick ? 4 : 20);
  const ask = askOf(service, upstream);
  try {
    return {
      first,
      wall: await measureWall(ask, quick ? 100 : 500),
      many: await measureMany(service, ask, quick ? 100 : 1_000),
      saturated: await measureSaturated(service, ask, quick ? 5 : 30),
      ...(liteLlm !== false && (await measureLiteLlm(upstream, quick ? 200 : 1_000))),
    };
  } finally {
    await service.stop();
  }
}

async function measureWall(ask: Ask, tokens: number): Promise<StreamFigures['wall']> {
  const times: Record<Side, number[]> = { direct: [], service: [] };
  for (const side of ['direct', 'service', 'service', 'direct'] as const) {
    const { seen } = await ask(side, { ...ALONE, tokens });
    times[side].push(...seen.map(({ wholeMs }) => wholeMs));
  }
  const direct = median(times.direct);
  return { direct, share: median(times.service) / direct };
}

/** As long as those of the budget of one stream: the beginning and the end of each are not what is asked for here. */
const MANY = { tokens: 500, tokensPerSecond: 20, firstMs: 20 };
const DIRECT_TOKENS = 200;
/** Longer than `BEGUN_MS`. */
const FEW_TOKENS = 100;
/** Until what is said of each request once, when it has begun, is said: its worker names its job to renew the lock, say. */
const BEGUN_MS = 2_500;
/** Long before the first of them ends, on a busy machine too. */
const WATCH_MS = 6_000;

async function measureMany(service: ServiceUnderTest, ask: Ask, streams: number): Promise<StreamFigures['many']> {
  const gateway = service.gateways[0]?.pid ?? 0;
  const memoryBefore = residentBytes(gateway);
  const few = streams / 10;
  const memoryAmidFew = await memoryAmid(ask, gateway, few);
  const bytesBefore = await bytesReceived(service);
  let watching: Promise<Watched> | undefined;
  const read = await ask('service', MANY, { streams, rampMs: 2_000 }, () => {
    watching = watch(service, gateway);
  });
  const { seen, gaps } = read;
  const watched = await watching;
  const bytesOfStream = ((await bytesReceived(service)) - bytesBefore) / streams;
  const direct = await ask('direct', { ...MANY, tokens: DIRECT_TOKENS }, { streams, rampMs: 2_000 });
  return {
    streams,
    whole: seen.filter(({ broken }) => broken === undefined).length,
    gapP50: ofSorted(gaps, 0.5),
    gapP99: ofSorted(gaps, 0.99),
    besideWordP50: ofSorted(read.besideGaps, 0.5),
    besideWordP99: ofSorted(read.besideGaps, 0.99),
    directP50: ofSorted(direct.gaps, 0.5),
    directP99: ofSorted(direct.gaps, 0.99),
    commandsPerSecond: watched ? watched.commands / watched.seconds : Number.NaN,
    bytesTimesText: watched ? watched.bytes / textReceived(read, watched) : Number.NaN,
    bytesOfStream,
    textOfStream: streamTokens(MANY.tokens).join('').length,
    gatewayBytes: ((watched?.memory ?? Number.NaN) - memoryAmidFew) / (streams - few),
    gatewayBytesFromNone: ((watched?.memory ?? Number.NaN) - memoryBefore) / streams,
  };
}

/**
 * Of a gateway at work, amid so many streams, bytes. After some time of little work V8 has let go of its young generation and
 * of the code that was compiled, and takes both again for the first that comes: that is no memory of each stream. A server of
 * Node's that does nothing else grows by 72 KB for each of the first 100 streams, and by 20 for each after them.
 */
async function memoryAmid(ask: Ask, gateway: number, streams: number): Promise<number> {
  await ask('service', WARMING, { streams: 50, turns: 10 });
  let memory: Promise<number> | undefined;
  await ask('service', { ...MANY, tokens: FEW_TOKENS }, { streams, rampMs: 500 }, () => {
    memory = new Promise<void>((resolve) => setTimeout(resolve, BEGUN_MS)).then(() => residentBytes(gateway));
  });
  return (await memory) ?? Number.NaN;
}

function ofSorted(values: Float64Array, share: number): number {
  return values[Math.floor(values.length * share)] ?? Number.NaN;
}

interface Watched {
  /** Unix ms. */
  readonly from: number;
  readonly seconds: number;
  readonly commands: number;
  readonly bytes: number;
  /** Of the gateway, bytes. */
  readonly memory: number;
}

async function watch(service: ServiceUnderTest, gateway: number): Promise<Watched> {
  await new Promise((resolve) => setTimeout(resolve, BEGUN_MS));
  const finish = await watchCommands(service.redis);
  const bytesBefore = await bytesReceived(service);
  const [from, startedAt] = [Date.now(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  const commands = Object.values(finish()).reduce((sum, count) => sum + count, 0);
  const bytes = (await bytesReceived(service)) - bytesBefore;
  const seconds = (performance.now() - startedAt) / 1_000;
  return { from, seconds, commands, bytes, memory: residentBytes(gateway) };
}

/** Text that readers got meanwhile, and not what the upstream should have sent: all ASCII, so characters are bytes. */
function textReceived({ received, startedAt }: StreamsRead, { from, seconds }: Watched): number {
  const first = Math.round((from - startedAt) / RECEIVED_STEP_MS);
  const steps = Math.round((seconds * 1_000) / RECEIVED_STEP_MS);
  return received.slice(Math.max(0, first), first + steps).reduce((sum, count) => sum + count, 0);
}

async function bytesReceived({ redis }: ServiceUnderTest): Promise<number> {
  return Number(/total_net_input_bytes:(\d+)/.exec(await redis.client.info('stats'))?.[1]);
}

const SATURATED = { tokens: 2_000, tokensPerSecond: 0, firstMs: 0 };

async function measureSaturated(
  service: ServiceUnderTest,
  ask: Ask,
  turns: number,
): Promise<StreamFigures['saturated']> {
  const before = service.processes.map(({ pid }) => cpuMs(pid));
  const { seen, seconds } = await ask('service', SATURATED, { streams: 20, turns });
  const tokens = seen.filter(({ broken }) => broken === undefined).length * SATURATED.tokens;
  const cpu = service.processes.map(({ name, pid }, index): [string, number] => [
    name,
    ((cpuMs(pid) - (before[index] ?? 0)) * 1_000) / tokens,
  ]);
  return { tokensPerSecond: tokens / seconds, cpuMicros: Object.fromEntries(cpu) };
}

/** Once, because it takes its time: at 20 streams as the service has them. */
async function measureLiteLlm(upstream: Upstream, tokens: number): Promise<Pick<StreamFigures, 'liteLlm'>> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-litellm-'));
  const proxy = await startLiteLlm(folder, upstream.port);
  if (proxy === undefined) return {};
  try {
    const read = (wish: StreamWish, streams: number) =>
      readStreams({
        ...{ port: proxy.port, path: '/v1/chat/completions', headers: { authorization: `Bearer ${LITELLM_KEY}` } },
        ...{ wish, streams, turns: 1, rampMs: 0, upstreamPort: upstream.port },
      });
    await read({ ...SATURATED, tokens: 20 }, 5);
    const before = cpuMs(proxy.pid);
    const { seen, seconds } = await read({ ...SATURATED, tokens }, 20);
    const whole = seen.filter(({ broken }) => broken === undefined);
    const count = whole.length * tokens;
    const cpuMicros = ((cpuMs(proxy.pid) - before) * 1_000) / count;
    return {
      liteLlm: { tokensPerSecond: count / seconds, firstMs: median(seen.map(({ firstMs }) => firstMs)), cpuMicros },
    };
  } finally {
    await proxy.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
