import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { OWN_KEY_OPERATION } from '../../gateway/src/reference/own-key-operation.ts';
import { type DashboardStack, startDashboard } from '../harness/dashboard.ts';
import { browserTest } from './in-browser.ts';
import { STATES } from './states/console-states.ts';
import { emptySnapshot, stream } from './states/live-words.ts';
import { ALL_LOOKS, type Look, lookEverywhere } from './states/look-everywhere.ts';
import type { PlaygroundState } from './states/playground-states.ts';
import type { Reply } from './states/state.ts';
import { BROWSER_TEST_MS, COMES_WITHIN_MS, findChromium, launchChromium, newPage } from './watched-page.ts';

/**
 * Every state of every page. With EVERY_LOOK=1 (`npm run looks`) in both languages, at each width and in each theme; else in the
 * look in which most can go wrong. DASHBOARD_SCREENSHOTS=FOLDER takes pictures, LOOK_AT=keys-full looks at states of such names alone.
 */

const executable = findChromium();
const inBrowser = browserTest(() => browser);
const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const isEveryLook = process.env['EVERY_LOOK'] === '1';
const ONLY = new RegExp(process.env['LOOK_AT'] ?? '');
const LANGUAGES = { en: 'en-US', id: 'id-ID' } as const;
const LOOKS: Readonly<Record<keyof typeof LANGUAGES, readonly Look[]>> = isEveryLook
  ? { en: ALL_LOOKS, id: ALL_LOOKS }
  : { en: [], id: [{ width: 390, theme: 'dark' }] };
const AT_ONCE = 2;

let dashboard: DashboardStack;
let browser: Browser;
let cookie: string;

beforeAll(async () => {
  if (executable === undefined) return;
  dashboard = await startDashboard();
  cookie = await dashboard.signIn();
  browser = await launchChromium(executable);
}, BROWSER_TEST_MS);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stack.stop();
});

async function openContext(language: keyof typeof LANGUAGES, isSignedOut: boolean): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: LANGUAGES[language] });
  const [name = '', value = ''] = cookie.split('=');
  if (!isSignedOut) await context.addCookies([{ name, value, url: dashboard.url }]);
  return context;
}

/** Answers in the server's place what the state says; everything else the server does. */
async function answerAs(page: Page, { reply, answers }: PlaygroundState): Promise<void> {
  const counted = new Map<string, number>();
  await page.route(/\/(?:admin|dashboard|v1)\//, async (route) => {
    const request = route.request();
    const { pathname: path } = new URL(request.url());
    const method = request.method();
    if (path === '/v1/models') return route.fulfill({ json: { data: [] } });
    if (path === '/v1/chat/completions' && answers !== undefined) {
      const type = answers.status === 200 ? 'text/event-stream' : 'application/json';
      return route.fulfill({ ...answers, headers: { 'content-type': type, 'x-request-id': 'req_x' } });
    }
    const named = `${method} ${path}`;
    const nth = counted.get(named) ?? 0;
    counted.set(named, nth + 1);
    return say(reply?.({ method, path, nth }));

    async function say(what: Reply | undefined): Promise<void> {
      if (what === undefined) return route.continue();
      if (what === 'away') return route.abort();
      if (what !== 'never') await route.fulfill(what);
    }
  });
}

async function reach(page: Page, state: PlaygroundState): Promise<void> {
  const { path, sent = emptySnapshot(), isOffline, waitsMs, reach: act, shows } = state;
  await stream(page, sent);
  if (isOffline) {
    await page.addInitScript(() => Object.defineProperty(navigator, 'onLine', { get: () => false }));
  }
  const now = Date.now();
  if (waitsMs !== undefined) await page.clock.setFixedTime(now);
  await answerAs(page, state);
  await page.goto(dashboard.url + path);
  if (waitsMs !== undefined) {
    await page.locator('.pill.live').waitFor();
    // It stays at this time, however long the looking takes.
    await page.clock.setFixedTime(now + waitsMs);
    await page.clock.fastForward(1_000);
  }
  await act?.(page);
  await page.locator(shows).first().waitFor();
}

async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

inBrowser(
  'every state of every page can be read: nothing is cut, nothing is wider than the screen, nothing is inaccessible',
  async () => {
    const wrong: string[] = [];
    const note = (faults: readonly string[]) => {
      wrong.push(...faults);
      // A run of all looks takes minutes: its faults are said when they are found.
      if (isEveryLook) process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
    };
    let looks = 0;
    for (const language of ['en', 'id'] as const) {
      if (LOOKS[language].length === 0) continue;
      const contexts = { in: await openContext(language, false), out: await openContext(language, true) };
      await inTurn(
        STATES.filter(({ name, isAlike = false }) => ONLY.test(name) && (isEveryLook || !isAlike)),
        async (state) => {
          // The clock is one of a context, and pages are looked at side by side.
          const own = state.waitsMs === undefined ? undefined : await openContext(language, false);
          const page = await newPage(own ?? contexts[state.isSignedOut === true ? 'out' : 'in']);
          page.setDefaultTimeout(COMES_WITHIN_MS);
          page.on('pageerror', ({ message }) => note([`${state.name}-${language}: exception ${message}`]));
          try {
            await reach(page, state);
            note(await lookEverywhere(page, `${state.name}-${language}`, LOOKS[language], SCREENSHOTS));
            looks += LOOKS[language].length;
          } catch (error) {
            const stood = await page.innerText('body', { timeout: 1_000 }).catch(() => '');
            note([
              `${state.name}-${language}: ${String(error).slice(0, 300)}\nOn the page stood: ${stood.slice(0, 500)}`,
            ]);
          }
          await page.close({ runBeforeUnload: false });
          await own?.close();
        },
      );
      await Promise.all([contexts.in.close(), contexts.out.close()]);
    }
    process.stdout.write(`${STATES.length} states, ${looks} looks, ${wrong.length} faults\n`);
    expect(wrong).toEqual([]);
  },
  isEveryLook ? 1_800_000 : 600_000,
);

const OWN_KEY = (OWN_KEY_OPERATION.responses[200] as { readonly example?: object }).example ?? {};
const OWN_STATES: readonly (readonly [name: string, reply: Reply | undefined, shows: string])[] = [
  ['me-empty', undefined, 'form'],
  ['me-loading', 'never', '#loading:not([hidden])'],
  ['me-shown', { json: OWN_KEY }, '#shown:not([hidden])'],
  [
    'me-wrong',
    { status: 401, json: { status: false, code: 401, error: 'Invalid API key', message: 'x' } },
    '[data-problem]:not([hidden])',
  ],
  [
    'me-limited',
    { status: 429, json: { status: false, code: 429, error: 'x', message: 'x' } },
    '[data-problem]:not([hidden])',
  ],
  [
    'me-failed',
    { status: 503, json: { status: false, code: 503, error: 'x', message: 'x' } },
    '[data-problem]:not([hidden])',
  ],
  ['me-offline', 'away', '[data-problem]:not([hidden])'],
];

inBrowser(
  "so can every state of the caller's own page",
  async () => {
    const wrong: string[] = [];
    for (const language of ['en', 'id'] as const) {
      if (LOOKS[language].length === 0) continue;
      const context = await openContext(language, true);
      for (const [name, reply, shows] of OWN_STATES) {
        if (!ONLY.test(name)) continue;
        const page = await newPage(context);
        page.setDefaultTimeout(COMES_WITHIN_MS);
        try {
          await page.route('**/api/key', async (route) => {
            if (reply === 'away') await route.abort();
            else if (reply !== 'never' && reply !== undefined) await route.fulfill(reply);
          });
          await page.goto(`${dashboard.url}/me${language === 'id' ? '/id' : ''}`);
          if (reply !== undefined) {
            await page.locator('form input').first().fill('lt_live_A1b2C3d4E5_x');
            await page.keyboard.press('Enter');
          }
          await page.locator(shows).first().waitFor();
          wrong.push(...(await lookEverywhere(page, `${name}-${language}`, LOOKS[language], SCREENSHOTS)));
        } catch (error) {
          wrong.push(`${name}-${language}: ${String(error).slice(0, 300)}`);
        }
        await page.close();
      }
      await context.close();
    }
    expect(wrong).toEqual([]);
  },
  isEveryLook ? 600_000 : 240_000,
);
