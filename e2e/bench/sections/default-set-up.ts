import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { newHome, npmStart, runningIn } from '../../harness/npm-start.ts';
import { median } from '../measure.ts';
import { createKey } from '../processes/service-under-test.ts';
import { cpuMs, proportionalBytes } from '../processes/usage.ts';
import type { Upstream } from './contenders.ts';
import { runPublishedLoad } from './slow-upstream.ts';

const STARTS = 3;
const SETTLE_MS = 10_000;
const IDLE_MS = 20_000;
const MEGABYTE = 1_000_000;

/** To add up a process's pages takes the kernel some milliseconds. */
const FOOTPRINT_SAMPLE_MS = 5_000;

/** What `npm start` takes, with nothing to do and under load: one of everything, Redis and the launcher with it. */
export interface DefaultSetUpFigures {
  /** From the command to the first answer, with secrets, key and packages in place, s. */
  readonly startSeconds: number;
  /** Of one core, by process. */
  readonly idleShare: Readonly<Record<string, number>>;
  /** Proportional set size, by process. */
  readonly idleMegabytes: Readonly<Record<string, number>>;
  /** The same under the load of `runPublishedLoad`, where all processes together took most. Absent on earlier records. */
  readonly loadedMegabytes?: Readonly<Record<string, number>>;
}

/**
 * Starts the default set-up as an operator does, leaves it alone, and then starts it once more before an upstream, for the load.
 *
 * @throws when it does not start, or the load generator fails
 */
export async function measureDefaultSetUp(upstream: Upstream, quick: boolean): Promise<DefaultSetUpFigures> {
  const { home, port } = await newHome();
  const settings = { LONTAR_HOME: home, PORT: String(port) };
  const seconds: number[] = [];
  try {
    const first = npmStart(settings);
    await first.says(/Ctrl-C stops everything/);
    const [key = ''] = /lt_live_\w+/.exec(first.said()) ?? [];
    await stopped(first);
    for (let start = 1; ; start++) {
      const begunAt = performance.now();
      const again = npmStart(settings);
      await untilAnswered(`http://127.0.0.1:${port}/api/ai?prompt=Hello`, key);
      seconds.push((performance.now() - begunAt) / 1_000);
      const idle = start === STARTS ? await measureIdle(pidsOf(home, again)) : undefined;
      await stopped(again);
      if (!idle) continue;
      const loadedMegabytes = await measureLoaded(home, port, upstream, quick ? 10 : 60);
      return { startSeconds: median(seconds), ...idle, loadedMegabytes };
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureIdle(pids: Readonly<Record<string, number>>) {
  await delay(SETTLE_MS);
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuMs(pid)] as const);
  await delay(IDLE_MS);
  const idleShare = Object.fromEntries(before.map(([name, pid, ms]) => [name, (cpuMs(pid) - ms) / IDLE_MS]));
  return { idleShare, idleMegabytes: megabytesOf(pids) };
}

/** As installed; only the limits of one address and one key would refuse what comes from one machine. */
async function measureLoaded(home: string, port: number, upstream: Upstream, seconds: number) {
  const launched = npmStart({
    ...{ LONTAR_HOME: home, PORT: String(port), QUEUE_MAX_WAITING: '1000' },
    ...{ RATE_LIMIT_PER_HOUR: '1000000', MAX_CONNECTIONS_PER_ADDRESS: '100000' },
    ...{ MODEL_PROVIDER: 'openai', OPENAI_BASE_URL: `http://127.0.0.1:${upstream.port}/v1` },
  });
  await launched.says(/Ctrl-C stops everything/);
  const pids = pidsOf(home, launched);
  const key = await createKey({ LONTAR_HOME: home });
  let most = {};
  const timer = setInterval(() => {
    const now = megabytesOf(pids);
    if (sum(now) > sum(most)) most = now;
  }, FOOTPRINT_SAMPLE_MS);
  await runPublishedLoad({ ports: [port], key }, seconds);
  clearInterval(timer);
  await stopped(launched);
  return most;
}

function pidsOf(home: string, { process }: ReturnType<typeof npmStart>): Readonly<Record<string, number>> {
  return { ...Object.fromEntries(runningIn(home)), 'npm start': process.pid ?? 0 };
}

function megabytesOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, proportionalBytes(pid) / MEGABYTE]));
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((all, one) => all + one, 0);
}

async function stopped({ process, ended }: ReturnType<typeof npmStart>): Promise<void> {
  process.kill('SIGTERM');
  await ended;
}

async function untilAnswered(url: string, key: string): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers: { 'X-API-Key': key } }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await delay(20);
  }
}
