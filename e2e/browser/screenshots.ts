/**
 * Takes the pictures of the README: the live page in a real Chromium on the real service, light and dark.
 * `node e2e/browser/screenshots.ts`
 *
 * What it shows was answered by the built-in demo model just now, and, for the hour that a fresh service has not had, by
 * events as gateways write them.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { answered, startDashboard } from '../harness/dashboard.ts';
import { findChromium, launchChromium, openPage } from './watched-page.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const SIZE = { width: 1366, height: 860 };
/** What the charts show, in steps of theirs. */
const STEPS = 118;
const STEP_MS = 30_000;
const KEYS = ['shop', 'support bot', 'research'];
const PROMPTS = [
  'How do I connect to my database?',
  'Show me a deployment with every secret it needs.',
  'Write a client for the payment API.',
  'Explain sliding windows in two sentences.',
  'Why does my server refuse the connection?',
  'Draft an answer to the customer who lost an order.',
];

const chromium = findChromium();
if (chromium === undefined) {
  process.stderr.write('There is no Chromium here. Debian: apt-get install chromium\n');
  process.exit(1);
}
const dashboard = await startDashboard();
const browser = await launchChromium(chromium);
try {
  await fillTheHour();
  await sendRequests();
  mkdirSync(FOLDER, { recursive: true });
  const { page } = await openPage(browser, dashboard.url, await dashboard.signIn());
  await page.setViewportSize(SIZE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(dashboard.url);
    await page.locator('.pill', { hasText: 'Live' }).waitFor();
    // All of it: the last request, and the charts.
    await page
      .locator('.log')
      .getByText('/api/ai3')
      .first()
      .waitFor({ timeout: 10_000 })
      .catch(() => undefined);
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: `${FOLDER}dashboard-${colorScheme}.png` });
  }
} finally {
  await browser.close();
  await dashboard.stack.stop();
}

/** An hour with more and less to do, and a few refusals. */
async function fillTheHour(): Promise<void> {
  const events = Array.from({ length: STEPS }, (_, index) => {
    const at = Date.now() - (index + 2) * STEP_MS;
    const busy = 5 + Math.round(3 * Math.sin(index / 12)) + (index % 3);
    return Array.from({ length: busy }, (_unused, nth) =>
      index % 17 === 5 && nth === 0
        ? answered({ at: at + nth, status: 429, outcome: 'rate_limited', error: 'too_many_requests' })
        : answered({ at: at + nth }),
    );
  }).flat();
  await dashboard.answer(events.toReversed());
}

async function sendRequests(): Promise<void> {
  const keys: string[] = [];
  for (const name of KEYS) {
    const { stdout } = await dashboard.stack.lontar('keys', 'create', '--name', name, '--json');
    keys.push((JSON.parse(stdout) as { key: string }).key);
  }
  const ask = (prompt: string, path: string, apiKey = keys[0] ?? '') =>
    fetch(`${dashboard.url}${path}?${new URLSearchParams({ prompt }).toString()}`, {
      headers: { 'x-api-key': apiKey },
    });
  for (const [index, prompt] of [...PROMPTS, ...PROMPTS].entries()) {
    await (await ask(prompt, ['/api/ai', '/api/ai2', '/api/ai3'][index % 3] ?? '/api/ai', keys[index % 2])).text();
  }
  await (await ask('Who am I?', '/api/ai', 'lt_live_not_a_key')).text();
  await (await ask(PROMPTS[0] ?? '', '/api/ai3', keys[2])).text();
}
