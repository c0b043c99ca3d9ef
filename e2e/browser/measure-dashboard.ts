import { loadavg } from 'node:os';
import type { CDPSession, Page } from 'playwright-core';
import { answered, type DashboardStack, startDashboard } from '../harness/dashboard.ts';
import { findChromium, launchChromium, openPage } from './watched-page.ts';

/**
 * Measures the page's budgets, which no test may assert because they depend on the machine:
 * `node e2e/browser/measure-dashboard.ts [seconds]`. Prints one JSON object.
 */
const SECONDS = Number(process.argv[2] ?? '30');
const EVENTS_PER_SECOND = 200;
const TICK_MS = 50;
/** Visits with an empty cache, of which the median counts. */
const VISITS = 5;

const executable = findChromium();
if (executable === undefined) throw new Error('Chromium is needed (Debian package chromium).');
const dashboard = await startDashboard();
const browser = await launchChromium(executable);
try {
  await dashboard.answer(Array.from({ length: 1_500 }, () => answered()));
  const loads: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) loads.push(await firstCounters());
  const { page, context } = await openPage(browser, dashboard.url, await dashboard.signIn());
  await page.goto(dashboard.url);
  await page.waitForSelector('.rows > [role=rowgroup]:last-child');
  const debug = await context.newCDPSession(page);
  await debug.send('Performance.enable');
  await watch(page);
  // The list fills up first, so that what grows afterwards is growth.
  await load(dashboard, 5);
  const before = await heapMb(debug);
  await page.evaluate(() => Object.assign(globalThis, { delays: [], frames: [] }));
  const workBefore = await workMs(debug);
  await load(dashboard, SECONDS);
  const workAfter = await workMs(debug);
  const after = await heapMb(debug);
  const { delays, frames } = await page.evaluate(() => {
    const readings = globalThis as unknown as Readings;
    return { delays: readings.delays, frames: readings.frames };
  });
  console.log(
    JSON.stringify({
      seconds: SECONDS,
      eventsPerSecond: EVENTS_PER_SECOND,
      firstCountersMs: percentile(loads, 0.5),
      firstCountersWorstMs: Math.max(...loads),
      rowsSeen: delays.length,
      rowDelayP50Ms: percentile(delays, 0.5),
      rowDelayP95Ms: percentile(delays, 0.95),
      frameP99Ms: percentile(frames, 0.99),
      longestFrameMs: Math.max(...frames),
      framesOver50Ms: frames.filter((ms) => ms > 50).length,
      frames: frames.length,
      // What the page's thread did, whatever else wanted the processor.
      ...Object.fromEntries(
        Object.entries(workAfter).map(([name, ms]) => [
          `${name}MsPerSecond`,
          Math.round((ms - (workBefore[name] ?? 0)) / SECONDS),
        ]),
      ),
      loadAverage: loadavg()[0],
      heapBeforeMb: before,
      heapAfterMb: after,
    }),
  );
} finally {
  await browser.close();
  await dashboard.stack.stop();
}

/** From the start of a first visit to the counters' numbers on the page, ms, by the page's own clock. */
async function firstCounters(): Promise<number> {
  const { page, context } = await openPage(browser, dashboard.url, await dashboard.signIn());
  // Not until the load event: a script that waits for that looks after the numbers are there.
  await page.goto(dashboard.url, { waitUntil: 'commit' });
  const ms = await page.evaluate(async () => {
    while (!document.querySelector('.tiles') || document.querySelector('.number .bone, .tiles[aria-busy=true]')) {
      await new Promise(requestAnimationFrame);
    }
    return Math.round(performance.now());
  });
  await context.close();
  return ms;
}

interface Readings {
  readonly delays: number[];
  readonly frames: number[];
}

/** Notes, in the page, when each row is on the screen, and how long each frame takes. */
function watch(page: Page): Promise<void> {
  return page.evaluate(() => {
    const readings = Object.assign(globalThis, { delays: [] as number[], frames: [] as number[] });
    const rows = document.querySelector('.rows > [role=rowgroup]:last-child');
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]) as Element[];
      requestAnimationFrame(() => {
        for (const row of added) {
          const at = row.querySelector('.time')?.getAttribute('title');
          if (at) readings.delays.push(Date.now() - Date.parse(at));
        }
      });
    }).observe(rows as Element, { childList: true });
    let last = performance.now();
    const frame = (now: number) => {
      readings.frames.push(Math.round(now - last));
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

async function load(target: DashboardStack, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1_000;
  const each = (EVENTS_PER_SECOND * TICK_MS) / 1_000;
  for (let next = Date.now(); next < end; next += TICK_MS) {
    await target.answer(Array.from({ length: each }, () => answered()));
    await new Promise((resolve) => {
      setTimeout(resolve, next + TICK_MS - Date.now());
    });
  }
}

async function heapMb(debug: CDPSession): Promise<number> {
  await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  return Math.round(usedSize / 104_857.6) / 10;
}

/** Time that the page's main thread has spent, by kind, ms. */
async function workMs(debug: CDPSession): Promise<Record<string, number>> {
  const { metrics } = await debug.send('Performance.getMetrics');
  const value = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1_000;
  return {
    task: value('TaskDuration'),
    script: value('ScriptDuration'),
    layout: value('LayoutDuration'),
    style: value('RecalcStyleDuration'),
  };
}

function percentile(values: readonly number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];
}
