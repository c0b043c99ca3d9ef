import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { Browser, Locator, Page } from 'playwright-core';
import { answered, answeredMix, type DashboardStack, startDashboard } from '../harness/dashboard.ts';
import { soon, until } from '../harness/eventually.ts';
import { browserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { BROWSER_TEST_MS, findChromium, launchChromium, openPage, type WatchedPage } from './watched-page.ts';

const executable = findChromium();
/** Without a Chromium these are skipped, by name. */
const inBrowser = browserTest(() => browser);
const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const ASSETS = new URL('../../dashboard/dist/assets/', import.meta.url);

let dashboard: DashboardStack;
let browser: Browser;

beforeAll(async () => {
  dashboard = await startDashboard();
  if (executable !== undefined) browser = await launchChromium(executable);
}, BROWSER_TEST_MS);

afterAll(async () => {
  await browser?.close();
  await dashboard?.stack.stop();
});

async function openSignedIn(path = '/'): Promise<WatchedPage> {
  const watched = await openPage(browser, dashboard.url, await dashboard.signIn());
  await watched.page.goto(dashboard.url + path);
  return watched;
}

/** A live page whose time of day moves by hand alone from now on, so that a state holds while it is looked at. */
async function openStopped(): Promise<WatchedPage> {
  const watched = await openPage(browser, dashboard.url, await dashboard.signIn());
  await watched.page.clock.setFixedTime(Date.now());
  await watched.page.goto(dashboard.url);
  await pill(watched.page, 'Live');
  return watched;
}

/** Lets a page with such a clock grow old until its pill says this word, a second at a time: what still comes makes its numbers young again. */
async function grow(page: Page, word: string): Promise<void> {
  let now = await page.evaluate(() => Date.now());
  await until(async () => {
    if ((await page.locator('.pill').innerText()).includes(word)) return true;
    now += 1_000;
    await page.clock.setFixedTime(now);
    await page.clock.fastForward(1_000);
    return false;
  });
}

/** Closes a page on which nothing went wrong. */
async function closeSound(watched: WatchedPage, ...expected: Parameters<WatchedPage['problems']>): Promise<void> {
  expect(watched.problems(...expected)).toEqual([]);
  await watched.context.close();
}

const pill = (page: Page, word: string) => page.locator('.pill', { hasText: word }).waitFor();
const tile = (page: Page, name: string) =>
  page
    .locator('.tile', { has: page.getByRole('heading', { name, exact: true }) })
    .locator('.number')
    .innerText();

test('the page stays within its budget of bytes', () => {
  const sizes = new Map(
    readdirSync(ASSETS).map((file) => [file, gzipSync(readFileSync(new URL(file, ASSETS)), { level: 9 }).length]),
  );
  const sum = (ending: string, some: (file: string) => boolean = () => true) =>
    [...sizes].reduce((bytes, [file, size]) => bytes + (file.endsWith(ending) && some(file) ? size : 0), 0);
  const page = readFileSync(new URL('../index.html', ASSETS), 'utf8');
  const entry = /src="\/assets\/(index-[^"]+\.js)"/.exec(page)?.[1] ?? '';
  const first = new Set([entry, ...staticImports(entry)]);
  const firstCss = sum('.css', (file) => page.includes(`/assets/${file}`));
  expect(sum('.js', (file) => first.has(file)) + firstCss).toBeLessThanOrEqual(60 * 1024);
  expect(sum('.js') + sum('.css')).toBeLessThanOrEqual(110 * 1024);
  // What has to be there before the reader can do anything, and the looks of everything.
  expect(sum('.js', (file) => first.has(file))).toBeLessThanOrEqual(35 * 1024);
  expect(sum('.css')).toBeLessThanOrEqual(12 * 1024);
});

/** Modules that a module needs before it runs, and they in turn. */
function staticImports(file: string): string[] {
  const source = readFileSync(new URL(file, ASSETS), 'utf8');
  const direct = [...source.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, name = '']) => name);
  return [...direct, ...direct.flatMap(staticImports)];
}

inBrowser('signed out: a form, a refused token, and in', async () => {
  const watched = await openPage(browser, dashboard.url);
  const { page } = watched;
  await page.goto(dashboard.url);
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
  const links = await page.locator('.sign-in a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links).toEqual(['/docs/quick-start', '/docs']);
  await lookAt(watched, 'signed-out', SCREENSHOTS);
  expect(watched.problems()).toEqual([]);
  await page.getByLabel('Dashboard token').fill('not-the-token-at-all');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This is not the dashboard token.').waitFor();
  // The browser itself notes the 401 that was asked for.
  watched.problems({ serverDown: true });
  await page.getByLabel('Dashboard token').fill(dashboard.stack.secrets.dashboardToken);
  await page.keyboard.press('Enter');
  await pill(page, 'Live');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
  await closeSound(watched);
});

inBrowser('the link of `lontar dashboard` signs in, once', async () => {
  const { stdout } = await dashboard.stack.lontar('dashboard', '--json', '--url', dashboard.url);
  const signIn = (JSON.parse(stdout) as { url: string }).url;
  const watched = await openPage(browser, dashboard.url);
  await watched.page.goto(signIn);
  await pill(watched.page, 'Live');
  expect(watched.page.url()).toBe(`${dashboard.url}/`);
  await closeSound(watched);

  const late = await openPage(browser, dashboard.url);
  await late.page.goto(signIn);
  await late.page.getByText('This sign-in link was used already').waitFor();
  expect(late.page.url()).not.toContain('code=');
  expect(late.problems()).toEqual([]);
  await late.context.close();
});

inBrowser('loading: the page stands before its first number', async () => {
  const watched = await openPage(browser, dashboard.url, await dashboard.signIn());
  await watched.page.route('**/dashboard/events*', () => undefined);
  await watched.page.goto(dashboard.url);
  await pill(watched.page, 'Connecting');
  await lookAt(watched, 'loading', SCREENSHOTS);
  await closeSound(watched);
});

inBrowser('empty: the line for a first request turns into its row', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  await page.getByText('No request yet.').waitFor();
  await lookAt(watched, 'empty', SCREENSHOTS);
  const first = answered();
  await dashboard.answer([first]);
  await page.getByRole('button', { name: first.id }).waitFor();
  expect(await page.getByText('No request yet.').count()).toBe(0);
  await closeSound(watched);
});

inBrowser('live: numbers, definitions, table, blocked addresses, fleet', async () => {
  await dashboard.answer(answeredMix());
  await dashboard.stack.redis.client.zadd(redisKeys.blockedAddresses, Date.now() + 3_600_000, '198.51.100.7');
  const watched = await openSignedIn();
  const { page } = watched;
  await pill(page, 'Live');
  await page.locator('.row .id').nth(10).waitFor();
  await soon(async () => {
    const usage = (await (await fetch(`${dashboard.url}/api/usage`)).json()) as {
      result: { today: { requests: number; server_errors: number; unique_users: number } };
    };
    const { requests, server_errors, unique_users } = usage.result.today;
    expect(await tile(page, "Today's requests")).toBe(String(requests));
    expect(await tile(page, 'Errors today')).toBe(String(server_errors));
    expect(await tile(page, 'Unique users')).toBe(String(unique_users));
  });
  await page.locator('.members').getByText('Gateway', { exact: true }).waitFor();
  await lookAt(watched, 'live', SCREENSHOTS);

  await page.getByRole('button', { name: 'What is: Success rate' }).click();
  await page.getByText("Today's successes divided by").waitFor();
  await lookAt(watched, 'definition', SCREENSHOTS, TWO_LOOKS);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('region', { name: 'Last 60 minutes as a table' }).waitFor();
  await lookAt(watched, 'table', SCREENSHOTS, TWO_LOOKS);
  await page.getByRole('button', { name: 'show the list' }).click();
  await page.getByText('198.51.100.7').waitFor();
  await page.keyboard.press('Escape');
  await dashboard.stack.lontar('ips', 'block', '198.51.100.8');
  await page.getByRole('button', { name: 'show the list' }).click();
  await page.locator('tr', { hasText: '198.51.100.8' }).getByText('until lifted').waitFor();
  await lookAt(watched, 'blocked', SCREENSHOTS, TWO_LOOKS);
  await page.getByRole('button', { name: 'Lift the block of 198.51.100.8' }).click();
  await page.locator('tr', { hasText: '198.51.100.8' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Reset total requests' }).click();
  await page.getByRole('heading', { name: 'Reset total requests?' }).waitFor();
  await lookAt(watched, 'reset', SCREENSHOTS, TWO_LOOKS);
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.body.innerText.includes('since 20'));
  await soon(async () => expect(await tile(page, 'Total requests')).toBe('0'));
  await closeSound(watched);
});

inBrowser('the log: filters in the address, rows that wait, a detail sheet with its own address', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  const rows = page.locator('.rows [role=row]:not(.row-head *)');
  await rows.nth(10).waitFor();
  await page.getByLabel('Outcome', { exact: true }).selectOption('server_error');
  await page.waitForFunction(() => document.querySelectorAll('.rows .id').length === 1);
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('server_error');
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.rows .id').length === 1);
  await page.getByLabel('Text in request id, key id, key name or address').fill('no such id');
  await page.getByText('No row here matches the filter.').waitFor();
  await lookAt(watched, 'filtered', SCREENSHOTS, TWO_LOOKS);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await rows.nth(10).waitFor();

  // While the reader is further down, new rows wait.
  await page.locator('.rows').evaluate(async (list) => {
    const isScrolled = new Promise((resolve) => list.addEventListener('scroll', resolve, { once: true }));
    list.scrollTo({ top: 60 });
    await isScrolled;
  });
  const top = await page.locator('.rows .id').first().innerText();
  const late = [answered(), answered(), answered()];
  await dashboard.answer(late);
  await page.getByRole('button', { name: '3 new' }).waitFor();
  expect(await page.locator('.rows .id').first().innerText()).toBe(top);
  await lookAt(watched, 'waiting-rows', SCREENSHOTS, TWO_LOOKS);
  await page.getByRole('button', { name: '3 new' }).click();
  await page.getByRole('button', { name: late[2]?.id ?? '' }).click();

  await page.getByRole('heading', { name: 'Where the time went' }).waitFor();
  await lookAt(watched, 'detail', SCREENSHOTS);
  const address = page.url();
  expect(address).toContain('row=');
  await page.getByRole('button', { name: 'Copy the answer' }).click();
  await page.getByText('Copied; 2 secrets stay masked').waitFor();
  await soon(async () =>
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(late[2]?.generation?.answerPreview),
  );
  // By mouse: what is selected over the chips is the real text, and not what the chips are called.
  await selectByMouse(page, page.locator('dialog pre', { has: page.locator('.chip') }).last());
  await page.keyboard.press('Control+C');
  await soon(async () =>
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('https://***API_SERVER***/v1'),
  );
  await page.goBack();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.goto(address);
  await page.getByRole('heading', { name: 'Where the time went' }).waitFor();
  await closeSound(watched);
});

inBrowser('cut off: the pill says how badly, numbers stay, and the page comes back by itself', async () => {
  const watched = await openStopped();
  const { page } = watched;
  // Unlike those of a day it also grows over midnight.
  const total = Number(await tile(page, 'Total requests'));
  expect(total).toBeGreaterThan(0);

  await dashboard.stats().end('SIGKILL');
  await pill(page, 'Reconnecting');
  const today = await tile(page, "Today's requests");
  await lookAt(watched, 'reconnecting', SCREENSHOTS);
  await grow(page, 'Disconnected');
  await page.getByText('the statistics service does not').waitFor();
  await page.getByText(/as of \d\d:\d\d:\d\d/).waitFor();
  expect(await tile(page, "Today's requests")).toBe(today);
  expect(await tile(page, 'Total requests')).toBe(String(total));
  await lookAt(watched, 'disconnected', SCREENSHOTS);
  expect(watched.problems({ serverDown: true })).toEqual([]);

  const meanwhile = answered();
  await dashboard.answer([meanwhile]);
  await dashboard.stack.startStats();
  await page.clock.fastForward(11_000);
  await pill(page, 'Live');
  await page.getByRole('button', { name: meanwhile.id }).waitFor();
  await soon(async () => expect(await tile(page, 'Total requests')).toBe(String(total + 1)));
  watched.problems({ serverDown: true });

  // The process hangs: the socket stays open, and nothing comes.
  dashboard.stats().process.kill('SIGSTOP');
  await grow(page, 'Stale');
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/stale-light-1366.png` });
  expect(await tile(page, 'Total requests')).toBe(String(total + 1));
  await grow(page, 'Disconnected');
  // While it still hangs: a page that is live again by itself has no such button.
  const asked = page.waitForRequest('**/dashboard/events*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await asked;
  dashboard.stats().process.kill('SIGCONT');
  await pill(page, 'Live');
  await closeSound(watched, { serverDown: true });
});

inBrowser('stale: looked at in every theme and width', async () => {
  const watched = await openStopped();
  const { page } = watched;
  dashboard.stats().process.kill('SIGSTOP');
  try {
    await grow(page, 'Stale');
    await lookAt(watched, 'stale', SCREENSHOTS);
  } finally {
    dashboard.stats().process.kill('SIGCONT');
  }
  await closeSound(watched, { serverDown: true });
});

inBrowser('one part fails inside its own card, and the rest stays live', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  const { client } = dashboard.stack.redis;
  await pill(page, 'Live');
  await page.locator('.members').waitFor();
  await client.rename(redisKeys.instances, 'kept');
  await client.set(redisKeys.instances, 'not a hash');
  await page.locator('.fleet .fault', { hasText: 'Not up to date' }).waitFor();
  await lookAt(watched, 'part-failing', SCREENSHOTS);
  const late = answered();
  await dashboard.answer([late]);
  await page.getByRole('button', { name: late.id }).waitFor();
  await pill(page, 'Live');
  await client.del(redisKeys.instances);
  await client.rename('kept', redisKeys.instances);
  await page.locator('.fleet .fault', { hasText: 'Not up to date' }).waitFor({ state: 'detached' });
  await closeSound(watched);
});

inBrowser('what is wrong stands on top of the page and in the tab, until it is mended', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  await pill(page, 'Live');
  await page.waitForFunction(() => document.title === 'Lontar');
  const icon = () => page.locator('link[rel="icon"]').getAttribute('href');
  const usual = await icon();
  await dashboard.stack.lontar('queue', 'pause');
  const banner = page.getByRole('alert');
  await banner.getByText(/Down since \d\d:\d\d:\d\d, for all callers:/).waitFor();
  const runbook = banner.getByRole('link', { name: 'queue-stuck' });
  expect(await runbook.getAttribute('href')).toBe('/docs/runbooks/queue-stuck');
  await soon(async () => expect([await page.title(), (await icon()) === usual]).toEqual(['✕ Down · Lontar', false]));
  await lookAt(watched, 'trouble', SCREENSHOTS);
  await dashboard.stack.lontar('queue', 'resume');
  await page.waitForFunction(() => document.title === 'Lontar');
  await page.locator('.troubles .trouble').waitFor({ state: 'detached' });
  await soon(async () => expect([await page.locator('.troubles .trouble').count(), await icon()]).toEqual([0, usual]));
  await closeSound(watched);
});

const CAUSE = {
  reason: 'unauthorized',
  upstreamHost: 'api.example.com',
  upstreamStatus: 401,
  upstreamCode: 'invalid_api_key',
  upstreamRequestId: 'req-of-theirs-7',
  upstreamMessage:
    'Incorrect API key provided: ***API_KEY***. You can find your API key in the settings of your account.',
  advice: 'The upstream does not accept the key, or its account has no money left: set OPENAI_API_KEY.',
};

inBrowser('nothing is cut off or covered at the usual widths, and a row says why its model call failed', async () => {
  const masked = { url: 1, key: 12, ip: 1, connection: 1 };
  const many = answered({ generation: { ...answered().generation, masked } } as Parameters<typeof answered>[0]);
  const generation = { endpoint: '/api/ai', model: 'ai-2.5-flash', charged: false, cause: CAUSE, attempts: 5 };
  const work = { queuedMs: 4_100, modelMs: 380, maskMs: 0 };
  const failed = answered({
    status: 502,
    outcome: 'server_error',
    error: 'upstream_error',
    message: 'The model did not give an answer. Try again later. The request was not charged.',
    generation: { ...generation, ...work },
  } as Parameters<typeof answered>[0]);
  await dashboard.answer([many, failed]);
  const watched = await openSignedIn();
  const { page } = watched;
  const looks = [390, 768, 1280, 1920].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, height: 900, colorScheme })),
  );
  await page.getByRole('button', { name: many.id }).waitFor();
  await lookAt(watched, 'widths', SCREENSHOTS, looks);
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const badge = page.locator('.row', { hasText: many.id }).locator('.badge');
    expect(
      await badge.evaluate((element) => {
        const cell = element.closest('[role="cell"]') as HTMLElement;
        const list = element.closest('.rows') as HTMLElement;
        return [cell.scrollWidth <= cell.clientWidth, list.scrollWidth <= list.clientWidth];
      }),
    ).toEqual([true, true]);
  }
  await page.getByRole('button', { name: many.id }).click();
  await page.getByText('1 API URL, 12 keys, 1 IP address, 1 connection string').waitFor();
  const covered = await page.locator('dialog .facts div').evaluateAll((pairs) =>
    pairs.flatMap((pair) => {
      const range = document.createRange();
      const [term, value] = [...pair.children].map((child) => {
        range.selectNodeContents(child);
        return range.getBoundingClientRect();
      });
      return term && value && term.right > value.left + 1 ? [pair.textContent] : [];
    }),
  );
  expect(covered).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: failed.id }).click();
  await page.getByRole('heading', { name: 'Why the model call failed' }).waitFor();
  for (const words of [CAUSE.advice, CAUSE.upstreamMessage, failed.message ?? '', 'Model, attempt 5']) {
    await page.getByText(words).first().waitFor();
  }
  expect(await page.getByText('without a worker').count()).toBe(0);
  await lookAt(watched, 'cause', SCREENSHOTS, looks);
  await closeSound(watched);
});

/** Drags from the first character of an element to its last one. */
async function selectByMouse(page: Page, element: Locator): Promise<void> {
  await element.scrollIntoViewIfNeeded();
  const [begin, end] = await element.evaluate((text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
    const [first, last] = [lines[0], lines.at(-1)];
    return [
      { x: first?.left ?? 0, y: ((first?.top ?? 0) + (first?.bottom ?? 0)) / 2 },
      { x: last?.right ?? 0, y: ((last?.top ?? 0) + (last?.bottom ?? 0)) / 2 },
    ] as const;
  });
  await page.mouse.move(begin.x + 1, begin.y);
  await page.mouse.down();
  await page.mouse.move(end.x + 4, end.y, { steps: 8 });
  await page.mouse.up();
}

inBrowser('the first click on a row while the device is offline says so', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  await page.locator('.row .id').first().waitFor();
  await page.context().setOffline(true);
  await page.locator('.row .id button').first().click();
  await page.getByRole('heading', { name: 'This part could not be loaded' }).waitFor();
  await page.getByText('This device is offline.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
  await closeSound(watched, { serverDown: true });
});

inBrowser('a part that cannot be loaded says so, and offers to load the page anew', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  await page.locator('.row .id').first().waitFor();
  await page.route('**/assets/detail-sheet-*.js', (route) => route.abort());
  await page.locator('.row .id button').first().click();
  await page.getByRole('heading', { name: 'This part could not be loaded' }).waitFor();
  await page.getByText('The service may have been upgraded since this page was loaded.').waitFor();
  await lookAt(watched, 'unloaded', SCREENSHOTS, TWO_LOOKS);
  await page.unroute('**/assets/detail-sheet-*.js');
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
  await closeSound(watched, { serverDown: true });
});

inBrowser('everything works by keyboard alone', async () => {
  const watched = await openSignedIn();
  const { page } = watched;
  await page.locator('.row .id').first().waitFor();
  const tabTo = async (selector: string) => {
    for (let presses = 0; presses < 80; presses += 1) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`${selector} cannot be reached by keyboard`);
  };
  await tabTo('.tile .about');
  await page.keyboard.press('Enter');
  await page.getByText('Generation requests answered since 00:00 UTC').waitFor();
  await page.keyboard.press('Escape');
  await tabTo('.canvas');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
  expect(await page.locator('.canvas').first().getAttribute('aria-valuenow')).toBe('0');
  await tabTo('.row .id button');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.closest('.row') !== null)).toBe(true);
  await closeSound(watched);
});

inBrowser('DASHBOARD_PUBLIC shows the counters alone', async () => {
  await dashboard.stats().end('SIGKILL');
  await dashboard.stack.startStats({ DASHBOARD_PUBLIC: 'true' });
  const watched = await openPage(browser, dashboard.url);
  await watched.page.goto(dashboard.url);
  await pill(watched.page, 'Live');
  await watched.page.getByText('The counters are public.').waitFor();
  expect(await watched.page.locator('.log, .fleet').count()).toBe(0);
  await lookAt(watched, 'public', SCREENSHOTS, TWO_LOOKS);
  await closeSound(watched);
});

test('the page is served under a policy without unsafe sources and with Trusted Types', async () => {
  const { headers } = await fetch(dashboard.url);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
