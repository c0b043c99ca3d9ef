import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type DashboardStack, startDashboard } from '../harness/dashboard.ts';
import { soon } from '../harness/eventually.ts';
import { testAudit } from './audit-cases.ts';
import { browserTest } from './in-browser.ts';
import { testKeys } from './keys-cases.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { testModels } from './models-cases.ts';
import { testPlayground } from './playground-cases.ts';
import { testRequests } from './requests-cases.ts';
import { testUsage } from './usage-cases.ts';
import { BROWSER_TEST_MS, findChromium, launchChromium, newPage, openPage, type WatchedPage } from './watched-page.ts';

const executable = findChromium();
/** Without a Chromium these are skipped, by name. */
const inBrowser = browserTest(() => browser);
const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];

let dashboard: DashboardStack;
let browser: Browser;
let cookie: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  cookie = await dashboard.signIn();
  if (executable !== undefined) browser = await launchChromium(executable);
}, BROWSER_TEST_MS);

afterAll(async () => {
  await browser?.close();
  await dashboard?.stack.stop();
});

async function openSignedIn(path: string): Promise<WatchedPage> {
  const watched = await openPage(browser, dashboard.url, cookie);
  await watched.page.goto(dashboard.url + path);
  return watched;
}

/** Closes a page on which nothing went wrong. */
async function closeSound(watched: WatchedPage, ...expected: Parameters<WatchedPage['problems']>): Promise<void> {
  expect(watched.problems(...expected)).toEqual([]);
  await watched.context.close();
}

inBrowser('pages have addresses, are fetched when they are opened, and go back', async () => {
  const watched = await openSignedIn('/?outcome=timeout');
  const { page } = watched;
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await page.getByRole('link', { name: 'Overview', exact: true }).waitFor();
  const current = () => page.locator('.pages [aria-current=page]').innerText();
  expect([await current(), fetched.some((path) => path.includes('keys'))]).toEqual(['Overview', false]);

  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByText('No key yet').waitFor();
  // Filters of the first page stay with it.
  expect(page.url()).toBe(`${dashboard.url}/#/keys`);
  expect(await current()).toBe('Keys');
  // What is wrong with the service may stand in front.
  await soon(async () => expect(await page.title()).toMatch(/(?:^| · )Keys · Lontar$/));
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  expect(fetched).toContain('/admin/v1/keys');
  await lookAt(watched, 'keys-none', SCREENSHOTS, TWO_LOOKS);

  await page.goBack();
  await page.locator('.tiles').waitFor();
  expect(await page.getByLabel('Outcome', { exact: true }).inputValue()).toBe('timeout');
  await page.goForward();
  await page.getByText('No key yet').waitFor();
  await page.goto(`${dashboard.url}/#/nothing-here`);
  await page.getByText('There is no such page').waitFor();
  await page.getByRole('button', { name: 'To the overview' }).click();
  await page.locator('.tiles').waitFor();
  expect(page.url()).toBe(`${dashboard.url}/`);
  await closeSound(watched);
});

inBrowser('the browser says which language, the reader may choose another, and it is kept', async () => {
  const context = await browser.newContext({ locale: 'id-ID' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: dashboard.url }]);
  const page = await newPage(context);
  await page.goto(`${dashboard.url}/#/keys`);
  await page.getByText('Belum ada kunci').waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('id');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByText('No key yet').waitFor();
  await page.reload();
  await page.getByText('No key yet').waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
  await context.close();
});

inBrowser('a page that cannot be had says why, and is there again when it can', async () => {
  const watched = await openPage(browser, dashboard.url, cookie);
  const { page } = watched;
  const refuse = (status: number, message: string) =>
    page.route('**/admin/v1/keys*', (route) => route.fulfill({ status, json: { status: false, message } }));
  await page.route('**/assets/keys-page-*.js', (route) => route.abort());
  await page.goto(`${dashboard.url}/#/keys`);
  await page.getByText('This part could not be loaded').waitFor();
  await lookAt(watched, 'page-unloaded', SCREENSHOTS, TWO_LOOKS);
  await page.unroute('**/assets/keys-page-*.js');
  await refuse(404, 'Not Found');
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByText('The admin API is off here').waitFor();
  await lookAt(watched, 'page-off', SCREENSHOTS, TWO_LOOKS);
  for (const [status, title] of [
    [403, 'This is not allowed'],
    [429, 'Too many requests'],
    [503, 'Something is wrong on the server'],
  ] as const) {
    await page.unroute('**/admin/v1/keys*');
    await refuse(status, 'In its own words.');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.locator('.state', { hasText: title }).getByText('In its own words.').waitFor();
  }
  await page.unroute('**/admin/v1/keys*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('No key yet').waitFor();
  await refuse(401, 'Send Authorization');
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
  await closeSound(watched, { serverDown: true });
});

const running = () => ({ dashboard, browser, open: openSignedIn, closeSound });
testPlayground(inBrowser, running);
testUsage(inBrowser, running);
testModels(inBrowser, running);
testRequests(inBrowser, running);
testKeys(inBrowser, running);
testAudit(inBrowser, running);

inBrowser('DASHBOARD_PUBLIC opens none of the pages but the playground, and no part of the admin API', async () => {
  await dashboard.stats().end('SIGKILL');
  await dashboard.stack.startStats({ DASHBOARD_PUBLIC: 'true' });
  const watched = await openPage(browser, dashboard.url);
  const { page } = watched;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${dashboard.url}/#/keys`);
  await page.getByText('This page is for the operator').waitFor();
  await lookAt(watched, 'page-public', SCREENSHOTS, TWO_LOOKS);
  expect(await page.locator('.pages a').allInnerTexts()).toEqual(['Overview', 'Playground']);
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { name: 'Conversation' }).waitFor();
  await page.goto(`${dashboard.url}/#/keys`);
  await page.getByText('This page is for the operator').waitFor();
  expect(asked.filter((url) => url.includes('/admin/'))).toEqual([]);
  for (const path of ['/keys', '/usage', '/models', '/audit']) {
    expect((await fetch(`${dashboard.url}/admin/v1${path}`)).status).toBe(401);
  }
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
  await closeSound(watched);
});
