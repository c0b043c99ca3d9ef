import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { loadFor } from '../../harness/load.ts';
import type { Service } from '../../harness/service.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

const MODEL_MS = 200;
const CONCURRENCY = 10;
/** What the workers can do: requests a second. */
const CAPACITY = CONCURRENCY * (1_000 / MODEL_MS);
/** As long as half of a model call: the longest wait that keeps the latency below twice the unloaded one. */
const QUEUE = CONCURRENCY / 2;
const PAGE_BYTES = 4_096;

export const overloadScenarios: readonly Scenario[] = [
  {
    name: 'overload',
    about: `Ten times as many requests as the workers can do (${CAPACITY} a second), with a queue of ${QUEUE}.`,
    run: (context) =>
      onSystem(
        context,
        {
          settings: {
            WORKER_CONCURRENCY: String(CONCURRENCY),
            QUEUE_MAX_WAITING: String(QUEUE),
            LOG_REQUESTS: 'false',
          },
        },
        (system) => overload(context, system),
      ),
  },
];

async function overload({ report, quick }: ScenarioContext, system: System): Promise<void> {
  const { stack, ledger } = system;
  const gateway = stack.gateways[0] as Service;
  const [metricsUrl = ''] = await gatewayMetrics(system);
  system.behave((nonce) => system.answer(nonce, MODEL_MS));
  const send = () => system.send();
  await loadFor(2, CAPACITY / 2, send);

  const seconds = quick ? 3 : 10;
  const unloaded = p99(await loadFor(seconds, CAPACITY / 4, send));
  const peak = goodput(await loadFor(seconds, CAPACITY * 1.2, send), seconds);
  const [shedBefore, memoryBefore] = [await readShed(metricsUrl), await memoryMb(gateway)];
  const overloadSeconds = quick ? 5 : 60;
  const cpuBefore = await processorMs(gateway);
  const entries = await loadFor(overloadSeconds, CAPACITY * 10, send);
  const [shed, memory] = [await readShed(metricsUrl), await memoryMb(gateway)];
  const cpu = (await processorMs(gateway)) - cpuBefore;
  const recoveredMs = await untilRecovered(system, unloaded * 2);

  const refused = entries.filter((entry) => statusOf(entry) === 503);
  const quickly = (shed.quick - shedBefore.quick) / (shed.all - shedBefore.all);
  report.timed('peak goodput', peak, undefined, 'a second');
  report.timed('goodput of the peak', (goodput(entries, overloadSeconds) / peak) * 100, { atLeast: 95 }, '%');
  report.timed('rejects within 10 ms of server time', quickly * 100, { atLeast: 99 }, '%');
  report.timed('rejects p99 as clients see them', percentile(refused.map(tookMs), 0.99));
  report.timed('processor time of the gateway', cpu / entries.length, undefined, 'ms a request');
  report.timed('p99 unloaded', unloaded);
  report.timed('p99 of the admitted', p99(entries), { atMost: unloaded * 2 });
  report.timed('memory of the gateway, growth', memory - memoryBefore, { atMost: 100 }, 'MB');
  report.timed('recovers within', recoveredMs, { atMost: 5_000 });
  report.fact('refused', refused.length, { atLeast: 1 });
  const others = entries.filter((entry) => ![200, 503].includes(statusOf(entry)));
  report.fact('neither answered nor refused', others.length, { atMost: 0 });
  report.fact('refused after work was done', refused.filter(({ nonce }) => ledger.calls.has(nonce)).length, {
    atMost: 0,
  });
}

function p99(entries: readonly LedgerEntry[]): number {
  return percentile(entries.filter((entry) => statusOf(entry) === 200).map(tookMs), 0.99);
}

function goodput(entries: readonly LedgerEntry[], seconds: number): number {
  return entries.filter((entry) => statusOf(entry) === 200).length / seconds;
}

/** From now until requests are answered as fast as without load for a second, ms. */
async function untilRecovered(system: System, fastMs: number): Promise<number> {
  const startedAt = performance.now();
  let since = startedAt;
  while (performance.now() - since < 1_000 && performance.now() - startedAt < 30_000) {
    const entry = await system.send();
    if (statusOf(entry) !== 200 || tookMs(entry) > fastMs) since = performance.now();
    await delay(50);
  }
  return since - startedAt;
}

async function gatewayMetrics({ stack }: System): Promise<string[]> {
  const { instance } = await (stack.gateways[0] as Service).logged('the gateway serves');
  return [(await stack.metricsUrlOf(String(instance))) ?? ''];
}

/** Requests that were refused so far: all, and those within 10 ms. */
async function readShed(url: string): Promise<{ all: number; quick: number }> {
  const text = await (await fetch(url)).text();
  const count = (bound: string) => {
    const line = text
      .split('\n')
      .find(
        (one) =>
          one.includes('request_duration_seconds_bucket') && one.includes('"shed"') && one.includes(`le="${bound}"`),
      );
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  return { all: count('+Inf'), quick: count('0.01') };
}

async function memoryMb({ process }: Service): Promise<number> {
  const pages = (await readFile(`/proc/${process.pid}/statm`, 'utf8')).split(' ')[1];
  return (Number(pages) * PAGE_BYTES) / 1_048_576;
}

/** Processor time so far, ms. */
async function processorMs({ process }: Service): Promise<number> {
  const fields = (await readFile(`/proc/${process.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  // User and system time, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
