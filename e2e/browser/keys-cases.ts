import { expect } from '@jest/globals';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import { findKey } from '@lontar/shared/keys/read-key.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { lastDays } from '@lontar/shared/usage/read-usage.ts';
import type { Page } from 'playwright-core';
import { soon } from '../harness/eventually.ts';
import type { BrowserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { expectNothingCut } from './nothing-cut.ts';
import type { RunningConsole } from './playground-cases.ts';

const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
/** More pages than a reader turns; 50,000, as many as an operator may have, take half a minute to make. */
const STORE = Number(process.env['CONSOLE_KEYS'] ?? 3_000);
const AT_ONCE = 1_000;
/** The budget is 200 ms, on a machine that has nothing else to do: judged where it is given. */
const INTERACTION_MS = Number(process.env['CONSOLE_INTERACTION_MS'] ?? Number.POSITIVE_INFINITY);
const HOSTILE = '<img src=x onerror="globalThis.pwned=1"> =cmd|calc';
const RIGHT_TO_LEFT = 'متجر ١ اختبار';

const dialog = (page: Page) => page.locator('dialog[open]');
const row = (page: Page, name: string) => page.locator('table.keys tbody tr', { hasText: name });

/** Opens what is folded away. */
async function openChange(page: Page): Promise<void> {
  await dialog(page).getByText('Change it', { exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Save the changes' }).waitFor();
}

/** The keys page on a running console. */
export function testKeys(inBrowser: BrowserTest, running: () => RunningConsole): void {
  inBrowser('a key is made once however often it is asked for, and shown once', async () => {
    const { dashboard, open, closeSound } = running();
    const watched = await open('/#/keys');
    const { page } = watched;
    await page.getByRole('button', { name: 'New key' }).first().click();
    expect(new URL(page.url()).hash).toBe('#/keys?new=1');
    await lookAt(watched, 'key-new', SCREENSHOTS, TWO_LOOKS);
    await expectNothingCut(page, 'key-new', SCREENSHOTS);
    const field = (name: string) => dialog(page).getByLabel(name, { exact: false });
    // The rules are the server's, in its words, beside the fields that break them.
    await field('Requests an hour').fill('1000');
    await field('Requests a day').fill('many');
    await field('Addresses and networks').fill('10.0.0.0/8, nowhere');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const problem = (name: string) => dialog(page).locator('label', { hasText: name }).locator('.fault');
    expect(await problem('Requests a day').innerText()).toContain('must be a whole number from 1 to 1000000000');
    expect(await problem('Name').first().innerText()).toContain('must have 1 to 100 characters');
    expect(await problem('Addresses').innerText()).toContain('which "nowhere" is not');
    await dialog(page).getByText('Check: Name, Requests a day, Addresses and networks.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('key-name');
    await lookAt(watched, 'key-refused', SCREENSHOTS, TWO_LOOKS);
    watched.problems({ serverDown: true });

    await field('Requests a day').fill('500');
    await dialog(page)
      .getByText('1,000 requests an hour can never be reached: the limit of 500 a day is reached first.')
      .waitFor();
    await field('Requests an hour').fill('100');
    await field('Addresses and networks').fill('10.0.0.0/8');
    await field('Name').first().fill('x'.repeat(10_000));
    expect((await field('Name').first().inputValue()).length).toBe(600);
    await field('Name').first().fill(HOSTILE);
    await field('Owner').fill('=HYPERLINK("x")');
    await field('Credits').fill('1 000');
    // The answer to the first click is lost on its way.
    let posted = 0;
    await page.route('**/admin/v1/keys', async (route) => {
      posted += 1;
      if (posted > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Create the key' }).click();
    await dialog(page).getByText('The server does not answer').first().waitFor();
    await page.getByRole('button', { name: 'Create the key' }).dblclick();
    await page.getByRole('heading', { name: 'The key is made' }).waitFor();
    expect(posted).toBe(2);
    await page.unroute('**/admin/v1/keys');
    await lookAt(watched, 'key-issued', SCREENSHOTS, TWO_LOOKS);
    const secret = await dialog(page).locator('.issued').innerText();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await soon(async () => expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret));
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await row(page, HOSTILE).waitFor();
    expect(await row(page, HOSTILE).count()).toBe(1);
    expect(await page.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
    // It is a genuine key, and bound to addresses that this one is not among.
    const asked = await fetch(`${dashboard.url}/api/key`, { headers: { 'x-api-key': secret } });
    expect(asked.status).toBe(403);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await (await download).createReadStream();
    let csv = '';
    for await (const piece of file) csv += String(piece);
    expect(csv).toContain(`"'=HYPERLINK(""x"")"`);
    await closeSound(watched, { serverDown: true });
  });

  inBrowser('two operators change one key: nothing typed is lost, nothing is overwritten unseen', async () => {
    const { dashboard, open, closeSound } = running();
    const { client } = dashboard.stack.redis;
    const { id } = await dashboard.stack.createKey('--name', RIGHT_TO_LEFT, '--per-hour', '50', '--credits', '10');
    const { to } = lastDays(1, Date.now());
    await client.hset(redisKeys.keyUsage(id, to.slice(0, 7)), `${to.slice(8)} ai-2.5-pro`, '1234,1200,99000');
    const [first, second] = [await open(`/#/keys?key=${id}`), await open(`/#/keys?key=${id}`)];
    for (const { page } of [first, second]) await openChange(page);
    const field = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: false }).first();
    await field(first.page, 'Credits').fill('777');
    await field(first.page, 'Note').fill('from the first');
    await first.page.getByRole('button', { name: 'Save the changes' }).click();
    await dialog(first.page).getByText('Saved', { exact: true }).waitFor();

    await field(second.page, 'Credits').fill('888');
    await field(second.page, 'Owner').fill('the second');
    await second.page.getByRole('button', { name: 'Save the changes' }).click();
    await second.page.getByText('Changed by others: Credits, Note.').waitFor();
    await second.page.getByText('now: 777').waitFor();
    const kept = ['Credits', 'Owner', 'Note'].map((name) => field(second.page, name).inputValue());
    expect(await Promise.all(kept)).toEqual(['888', 'the second', 'from the first']);
    await lookAt(second, 'key-changed', SCREENSHOTS, TWO_LOOKS);
    await second.page.getByRole('button', { name: 'Save my values instead' }).click();
    await dialog(second.page).getByText('Saved', { exact: true }).waitFor();
    expect(await findKey(client, id)).toMatchObject({ credits: 888, owner: 'the second', note: 'from the first' });
    await closeSound(second, { serverDown: true });

    // Ending it takes its name.
    const { page } = first;
    await page.reload();
    await dialog(page).getByRole('heading', { name: RIGHT_TO_LEFT }).waitFor();
    await dialog(page).locator('.days-chart').waitFor();
    await lookAt(first, 'key-sheet', SCREENSHOTS);
    await expectNothingCut(page, 'key-sheet', SCREENSHOTS);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('row', { name: to }).getByText('1,200').waitFor();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const confirm = page.locator('.confirm');
    expect(await confirm.getByRole('button', { name: 'Rotate' }).isDisabled()).toBe(true);
    await confirm.getByRole('textbox').fill(RIGHT_TO_LEFT);
    await lookAt(first, 'key-rotate', SCREENSHOTS, TWO_LOOKS);
    await confirm.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('heading', { name: 'The key has a new secret' }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await confirm.getByRole('textbox').fill(RIGHT_TO_LEFT);
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await row(page, RIGHT_TO_LEFT).waitFor({ state: 'detached' });
    expect(await findKey(client, id)).toBeUndefined();
    await closeSound(first, { serverDown: true });
  });

  inBrowser('among many keys the page stays quick, and nothing of it is cut off', async () => {
    const { dashboard, open, closeSound } = running();
    await fillStore(dashboard.stack.redis.client, STORE);
    const watched = await open('/#/keys');
    const { page } = watched;
    await page.locator('table.keys tbody tr').nth(49).waitFor();
    await watchInteractions(page);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'First page', disabled: true }).waitFor();
    await page.getByLabel('Order').selectOption('name.up');
    await page.waitForFunction(() => document.querySelector('.shown')?.getAttribute('aria-busy') === 'false');
    await page.getByLabel('Name, owner or id').pressSequentially('number 242', { delay: 20 });
    const found = page.locator('table.keys').getByRole('button', { name: 'number 2421', exact: true });
    await found.waitFor();
    await page.getByLabel('State').selectOption('active');
    await found.click();
    await dialog(page).getByText('Change it', { exact: true }).click();
    await dialog(page).getByLabel('Note').pressSequentially('a note', { delay: 20 });
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    // The browser tells of a closed dialog a moment after it is gone.
    await page.waitForFunction(() => !location.hash.includes('key='));
    const interactions = await interactionsOf(page);
    expect(interactions.length).toBeGreaterThan(0);
    const slowest = Math.max(...interactions.map(({ ms }) => ms));
    process.stdout.write(`${interactions.length} interactions among ${STORE} keys, the slowest ${slowest} ms\n`);
    expect(interactions.filter(({ ms }) => ms > INTERACTION_MS)).toEqual([]);
    expect(await page.locator('table.keys tbody tr').count()).toBeLessThanOrEqual(50);
    await soon(async () => expect(new URL(page.url()).hash).toBe('#/keys?sort=name.up&q=number+242&state=active'));
    await page.getByLabel('Name, owner or id').fill('no such key');
    await page.getByText('No key found').waitFor();
    await lookAt(watched, 'keys-not-found', SCREENSHOTS, TWO_LOOKS);
    await page.getByRole('button', { name: 'Show all keys' }).click();
    await page.locator('table.keys tbody tr').nth(49).waitFor();
    await lookAt(watched, 'keys', SCREENSHOTS);
    await expectNothingCut(page, 'keys', SCREENSHOTS);
    await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
    await page.getByRole('button', { name: 'Kunci baru' }).waitFor();
    await lookAt(watched, 'keys-id', SCREENSHOTS, TWO_LOOKS);
    await expectNothingCut(page, 'keys-id', SCREENSHOTS);
    await page.getByRole('button', { name: 'Kunci baru' }).click();
    await page.getByRole('button', { name: 'Buat kunci' }).click();
    await dialog(page).getByText('harus punya 1 sampai 100 karakter yang terlihat').waitFor();
    await lookAt(watched, 'key-refused-id', SCREENSHOTS, TWO_LOOKS);
    await expectNothingCut(page, 'key-refused-id', SCREENSHOTS);
    await closeSound(watched, { serverDown: true });
  });
}

async function fillStore(redis: Parameters<typeof findKey>[0], count: number): Promise<void> {
  const place = { redis, pepper: 'p'.repeat(40) };
  const actor = { by: 'service', id: 'test' } as const;
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const number = from + index;
        const name = `number ${number} ${number % 7 === 0 ? 'of a customer whose name is as long as that of a customer may be' : ''}`;
        const terms = {
          name: name.trim(),
          owner: `customer${number % 5_000}@example.org`,
          perHour: 100,
          credits: 1_000,
        };
        return createKey(place, terms, { actor });
      }),
    );
  }
}

/** Notes, in the page, how long each interaction takes until the next frame is on the screen. */
function watchInteractions(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen = Object.assign(globalThis, { interactions: [] as { name: string; ms: number }[] }).interactions;
    new PerformanceObserver((list) => {
      for (const { name, duration, interactionId } of list.getEntries() as (PerformanceEventTiming & {
        interactionId: number;
      })[]) {
        if (interactionId > 0) seen.push({ name, ms: duration });
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
}

function interactionsOf(page: Page): Promise<{ name: string; ms: number }[]> {
  return page.evaluate(() => (globalThis as unknown as { interactions: { name: string; ms: number }[] }).interactions);
}
