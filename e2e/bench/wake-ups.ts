/**
 * What one answered request takes of each process where requests come one by one: how often it is woken, and its processor
 * time; and what Redis reads and writes for it. Last, what each takes in a second without requests.
 *   node e2e/bench/wake-ups.ts [--per-second=50] [--seconds=20] FOLDER…
 * A folder is a checkout with its node_modules, see compare.ts. Wake-ups are counted, not timed: other work on the machine
 * changes them little.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import type { Redis } from 'ioredis';
import { measureRound } from './measure.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './processes/service-under-test.ts';
import { startUpstream } from './sections/contenders.ts';
import { promptFor } from './wish.ts';

const given = readOptions({
  name: 'node e2e/bench/wake-ups.ts',
  about: 'Says how often one answered request wakes each process, and what it costs, where requests come one by one.',
  options: {
    'per-second': { type: 'number', value: 'N', default: 50, about: 'requests come at this pace' },
    seconds: { type: 'number', value: 'N', default: 20, about: 'how long it is counted' },
    'delay-ms': { type: 'number', value: 'N', default: 1_500, about: 'what the upstream takes' },
  },
  takes: 'FOLDER',
});
const OPEN_LOOP = { script: fileURLToPath(new URL('./load/open-loop.ts', import.meta.url)), args: [] };
const WARM_UP_SECONDS = 5;

process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const upstream = await startUpstream();
for (const folder of given.rest) {
  const service = await startServiceUnderTest({ root: resolve(folder), upstreamPort: upstream.port });
  const { ports, processes } = service;
  const target = { name: basename(folder), ports, processes, generator: OPEN_LOOP };
  const at = (delayMs: number) => ({ ...target, requests: [service.request(promptFor({ bytes: 2_048, delayMs }))] });
  const { generator: _, ...closed } = at(0);
  await measureRound(closed, { connections: 100, seconds: WARM_UP_SECONDS, warmUpSeconds: 0 });
  const pace = { connections: given['per-second'], warmUpSeconds: 0 };
  await measureRound(at(given['delay-ms']), { ...pace, seconds: WARM_UP_SECONDS });
  let counts: Counts | undefined;
  const used = await useOf(service, async () => {
    const { requests, p50 } = await measureRound(at(given['delay-ms']), { ...pace, seconds: given.seconds });
    counts = { requests, p50 };
  });
  const { requests = 1, p50 = Number.NaN } = counts ?? {};
  console.log(`${target.name}: ${requests} requests, p50 ${p50.toFixed(2)} ms; of each request`);
  describe(used, requests);
  await delay(5_000);
  console.log(`${target.name}: in each second without requests`);
  describe(await useOf(service, () => delay(given.seconds * 1_000)), given.seconds);
  await service.stop();
}
await upstream.stop();

interface Counts {
  readonly requests: number;
  readonly p50: number;
}

interface Use {
  /** Voluntary context switches of all threads: each is a wait, and so the way to a wake-up. */
  readonly wakeUps: number;
  /** Processor time, µs. */
  readonly micros: number;
}

interface Used {
  readonly processes: ReadonlyMap<string, Use>;
  readonly redis: ReadonlyMap<string, number>;
}

async function useOf({ processes, redis }: ServiceUnderTest, work: () => Promise<unknown>): Promise<Used> {
  const before = processes.map(({ pid }) => usedBy(pid));
  const told = await redisCounts(redis.client);
  await work();
  const after = processes.map(({ pid }) => usedBy(pid));
  const now = await redisCounts(redis.client);
  const since = ({ wakeUps, micros }: Use, then: Use | undefined) => ({
    wakeUps: wakeUps - (then?.wakeUps ?? 0),
    micros: micros - (then?.micros ?? 0),
  });
  return {
    processes: new Map(after.map((use, index) => [processes[index]?.name ?? '', since(use, before[index])])),
    redis: new Map([...now].map(([name, count]) => [name, count - (told.get(name) ?? 0)])),
  };
}

function describe({ processes, redis }: Used, times: number): void {
  const all = { wakeUps: 0, micros: 0 };
  for (const [name, { wakeUps, micros }] of processes) {
    all.wakeUps += wakeUps;
    all.micros += micros;
    console.log(`  ${name.padEnd(14)} ${(wakeUps / times).toFixed(2)} wake-ups, ${(micros / times).toFixed(0)} µs`);
  }
  console.log(
    `  ${'all'.padEnd(14)} ${(all.wakeUps / times).toFixed(2)} wake-ups, ${(all.micros / times).toFixed(0)} µs`,
  );
  const counted = [...redis].filter(([, count]) => count / times >= 0.05);
  console.log(`  Redis: ${counted.map(([name, count]) => `${name} ${(count / times).toFixed(2)}`).join(', ')}`);
}

/** Of all threads of a process. */
function usedBy(pid: number): Use {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  const sum = (read: (thread: string) => number) => threads.reduce((total, thread) => total + read(thread), 0);
  return {
    wakeUps: sum((thread) =>
      Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${thread}/status`, 'utf8'))?.[1]),
    ),
    micros: sum((thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000),
  };
}

/** What Redis has read and written, and the commands that clients have sent, which are none of those that scripts call. */
async function redisCounts(client: Redis): Promise<Map<string, number>> {
  const info = await client.info('all');
  const sums = info.matchAll(/^total_(reads|writes)_processed:(\d+)/gm);
  const commands = info.matchAll(/^cmdstat_(evalsha|bzpopmin|xread|xreadgroup|ping|publish|wait):calls=(\d+)/gm);
  return new Map([...sums, ...commands].map(([, name = '', count]) => [name, Number(count)]));
}
