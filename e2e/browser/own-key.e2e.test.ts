import { afterAll, beforeAll, expect } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { lastDays } from '@lontar/shared/usage/read-usage.ts';
import type { Browser } from 'playwright-core';
import { buildPage } from '../../cli/src/page/build-page.ts';
import { ROOT } from '../harness/launch.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { browserTest } from './in-browser.ts';
import { ALL_LOOKS, LONG_PAGE_LOOKS, lookAt, TWO_LOOKS } from './look-at.ts';
import { BROWSER_TEST_MS, findChromium, launchChromium, newPage, openPage } from './watched-page.ts';

const executable = findChromium();
/** Without a Chromium these are skipped, by name. */
const inBrowser = browserTest(() => browser);
const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];

let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  stack = await startStack();
  if (executable !== undefined) browser = await launchChromium(executable);
}, BROWSER_TEST_MS);
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const NAME = '<img src=x onerror=alert(1)> shop';

const makeKey = () => stack.createKey('--name', NAME, '--credits', '1000', '--per-hour', '60', '--mask', 'key,ip');

/** Lets a key have been used today. */
async function noteUse(id: string): Promise<void> {
  const { to } = lastDays(1, Date.now());
  await stack.redis.client.hset(redisKeys.keyUsage(id, to.slice(0, 7)), `${to.slice(8)} ai-2.5-pro`, '1234,1200,99000');
}

inBrowser('a caller sees what is left of a key, in both languages, and the page keeps nothing of it', async () => {
  const { id, key } = await makeKey();
  const watched = await openPage(browser, stack.url);
  const { page, context } = watched;
  await page.goto(`${stack.url}/me`);
  await lookAt(watched, 'me-empty', SCREENSHOTS, TWO_LOOKS);
  await page.getByRole('button', { name: 'Show my key' }).click();
  await page.getByText('Enter your API key first.').waitFor();

  await page.getByLabel('API key').fill(`${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`);
  await page.keyboard.press('Enter');
  await page.getByText('does not know that key').waitFor();
  expect(await page.locator('#shown').isHidden()).toBe(true);
  // The browser says of a 401 that it failed.
  expect(watched.problems({ serverDown: true })).toEqual([]);

  await page.getByLabel('API key').fill(key);
  // No sooner: after midnight it would be of yesterday.
  await noteUse(id);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The key' }).waitFor();
  // A name is text, whatever is in it.
  await page.getByText(NAME, { exact: true }).waitFor();
  const row = (name: string) => page.getByRole('row', { name }).innerText();
  expect(await row('Credits')).toMatch(/0\s+1,000\s+1,000/);
  expect(await row('Requests in a day')).toContain('no limit');
  expect(await row('Successful')).toMatch(/1,200\s+1,200/);
  expect(await page.getByText('keys, IP addresses').count()).toBe(1);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('heading');
  await lookAt(watched, 'me', SCREENSHOTS);
  const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie, location.href]);
  expect(kept).toEqual([0, 0, '', `${stack.url}/me`]);

  await page.getByRole('button', { name: 'Forget the key' }).click();
  expect(await page.locator('#shown').isHidden()).toBe(true);
  expect(await page.content()).not.toContain('onerror');
  expect(await page.getByLabel('API key').inputValue()).toBe('');

  await page.getByRole('link', { name: 'Bahasa Indonesia' }).click();
  await page.getByLabel('Kunci API').fill(key);
  await page.getByRole('button', { name: 'Tampilkan kunci saya' }).click();
  await page.getByRole('heading', { name: 'Kunci', exact: true }).waitFor();
  expect(await row('Kredit')).toMatch(/1\.000/);
  await lookAt(watched, 'me-id', SCREENSHOTS, TWO_LOOKS);
  // Going away and back finds nothing.
  await page.getByRole('link', { name: 'English' }).click();
  await page.goBack();
  expect(await page.locator('#shown').isHidden()).toBe(true);
  expect(await page.getByLabel('Kunci API').inputValue()).toBe('');
  expect(watched.problems()).toEqual([]);
  await context.close();
});

inBrowser(
  'an Indonesian browser gets the Indonesian page, and a reader who has chosen gets the other one',
  async () => {
    const context = await browser.newContext({ locale: 'id-ID' });
    const page = await newPage(context);
    await page.goto(`${stack.url}/me`);
    await page.waitForURL(`${stack.url}/me/id`);
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Show my key' }).waitFor();
    expect(page.url()).toBe(`${stack.url}/me#chosen`);
    await context.close();
  },
);

inBrowser('what the gateway says about itself can be read by all, at each width and in both themes', async () => {
  const watched = await openPage(browser, stack.url);
  const { page, context } = watched;
  for (const path of ['/docs/quick-start', '/docs/runbooks', '/docs/runbooks/model-down']) {
    await page.goto(stack.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await lookAt(watched, path.slice(1).replaceAll('/', '-'), SCREENSHOTS, ALL_LOOKS);
  }
  await page.getByRole('link', { name: 'all runbooks' }).click();
  await page.getByRole('link', { name: 'NoWorkers' }).click();
  await page.getByRole('heading', { name: 'NoWorkers' }).waitFor();
  await page.goto(`${stack.url}/docs`);
  await page.locator('details > summary').first().click();
  // The others at once: the page is laid out anew after each, and it is long.
  await page.locator('details:not([open])').evaluateAll((all) => {
    for (const details of all) details.setAttribute('open', '');
  });
  await page.locator('details:not([open])').waitFor({ state: 'detached' });
  await lookAt(watched, 'docs', SCREENSHOTS, LONG_PAGE_LOOKS);
  expect(watched.problems()).toEqual([]);
  await context.close();
});

inBrowser('with stats-service away a person reads a page that leads on', async () => {
  const watched = await openPage(browser, stack.url);
  const { page, context } = watched;
  // None was started yet.
  expect(await buildPage(ROOT)).toBeUndefined();
  await page.goto(stack.url);
  await page.getByRole('heading', { name: 'The dashboard cannot be shown now' }).waitFor();
  await lookAt(watched, 'stats-away', SCREENSHOTS, ALL_LOOKS);
  await page.getByRole('link', { name: 'What to do' }).click();
  await page.getByRole('heading', { name: 'StatsPipelineLag' }).waitFor();
  await page.goBack();
  // It becomes the dashboard by itself.
  await stack.startStats();
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
  // The 503 of the page itself.
  expect(watched.problems({ serverDown: true })).toEqual([]);
  await context.close();
});
