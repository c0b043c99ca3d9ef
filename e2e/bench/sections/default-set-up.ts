import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { newHome, npmStart, runningIn } from '../../harness/npm-start.ts';
import { median } from '../measure.ts';
import { cpuMs, proportionalBytes } from '../processes/usage.ts';

const STARTS = 3;
const SETTLE_MS = 10_000;
const IDLE_MS = 20_000;
const MEGABYTE = 1_000_000;

/** What `npm start` takes when it has nothing to do: one of everything, Redis and the launcher with it. */
export interface DefaultSetUpFigures {
  /** From the command to the first answer, with secrets, key and packages in place, s. */
  readonly startSeconds: number;
  /** Of one core, by process. */
  readonly idleShare: Readonly<Record<string, number>>;
  /** Proportional set size, by process. */
  readonly idleMegabytes: Readonly<Record<string, number>>;
}

/**
 * Starts the default set-up as an operator does, and leaves it alone.
 *
 * @throws when it does not start
 */
export async function measureDefaultSetUp(): Promise<DefaultSetUpFigures> {
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
      const pids = { ...Object.fromEntries(runningIn(home)), 'npm start': again.process.pid ?? 0 };
      const idle = start === STARTS ? await measureIdle(pids) : undefined;
      await stopped(again);
      if (idle) return { startSeconds: median(seconds), ...idle };
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
  const sizes = before.map(([name, pid]) => [name, proportionalBytes(pid) / MEGABYTE] as const);
  return { idleShare, idleMegabytes: Object.fromEntries(sizes) };
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
