import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { answered } from '../harness/dashboard.ts';
import type { BrowserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { expectNothingCut } from './nothing-cut.ts';
import type { RunningConsole } from './playground-cases.ts';

const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const ADDRESS = '198.51.100.77';
/** More than the page that is open live was ever sent: these are found by the server alone. */
const MANY = 600;

const rows = (page: Page) => page.locator('.requests .rows [role=row]:not(.row-head *)');
const found = (page: Page, count: number) =>
  page.waitForFunction((count) => document.querySelectorAll('.requests .rows .id').length === count, count);

/** The page of requests, on the service that runs. */
export function testRequests(inBrowser: BrowserTest, running: () => RunningConsole): void {
  inBrowser(
    'requests: found by id, key and address however old; the address of the page says what is shown',
    async () => {
      const { dashboard, open, closeSound } = running();
      const { id: keyId } = await dashboard.stack.createKey('--name', 'Needle & thread');
      const old = answered({ address: ADDRESS, keyId });
      const yesterday = Date.now() - 86_400_000;
      const failed = answered({
        at: yesterday,
        address: ADDRESS,
        status: 502,
        outcome: 'server_error',
        error: 'upstream_error',
      });
      await dashboard.answer([old, failed]);
      await dashboard.answer(Array.from({ length: MANY }, () => answered({ keyId: 'Hay0000000' })));
      const watched = await open('/#/requests');
      const { page } = watched;
      await rows(page).nth(49).waitFor();
      await expectNothingCut(page, 'requests', SCREENSHOTS);
      await page.getByRole('button', { name: 'Show older' }).click();
      await rows(page).nth(120).waitFor();

      const search = page.getByLabel('Text in request id, key id, key name or address');
      for (const [text, count] of [
        [old.id.slice(4), 1],
        [keyId, 1],
        ['needle & thread', 1],
        [ADDRESS, 2],
      ] as const) {
        await search.fill('');
        await search.pressSequentially(text);
        await page.waitForURL((url) => new URLSearchParams(url.hash.split('?')[1]).get('q') === text);
        await found(page, count);
      }
      // A few rows are enough to be looked at: each costs time.
      await lookAt(watched, 'requests', SCREENSHOTS, TWO_LOOKS);
      await page.getByLabel('Outcome', { exact: true }).selectOption('server_error');
      await found(page, 1);
      await page.reload();
      await found(page, 1);
      expect(await search.inputValue()).toBe(ADDRESS);
      expect(await page.locator('.requests .rows .time').innerText()).toMatch(/^\d\d-\d\d \d\d:\d\d$/);
      await page.getByRole('button', { name: failed.id }).click();
      await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
      expect(page.url()).toContain('row=');
      await page.goBack();
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect(page.url()).toContain('outcome=server_error');

      // From a request to the end of its address, and back.
      await page.getByRole('button', { name: failed.id }).click();
      await page.getByRole('button', { name: 'Block this address' }).click();
      const address = page.getByLabel('Address', { exact: true });
      expect(await address.inputValue()).toBe(ADDRESS);
      await address.fill('nowhere');
      await page.getByRole('button', { name: 'Block', exact: true }).click();
      await page.getByText('address must be an address').waitFor();
      await address.fill(ADDRESS);
      await page.getByLabel('How long').selectOption('1 day');
      await page.getByRole('button', { name: 'Block', exact: true }).click();
      await page.locator('tr', { hasText: ADDRESS }).getByText('blocked by the operator').waitFor();
      await page.getByRole('button', { name: `Lift the block of ${ADDRESS}` }).click();
      await page.locator('tr', { hasText: ADDRESS }).waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect(watched.problems({ serverDown: true })).toEqual([]);

      await search.fill('no such thing');
      await page.getByText('No request found').waitFor();
      await lookAt(watched, 'requests-none', SCREENSHOTS, TWO_LOOKS);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await rows(page).nth(40).waitFor();
      expect(new URL(page.url()).hash).toBe('#/requests');

      // What comes meanwhile waits behind a button; a row that is looked for shows when it comes.
      const late = answered({ keyId });
      await dashboard.answer([late]);
      await page.getByRole('button', { name: '1 new' }).click();
      await page.getByRole('button', { name: late.id }).click();
      await page.getByRole('link', { name: 'Its key' }).click();
      await page.getByRole('heading', { name: 'Needle & thread' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
      await page.keyboard.press('Escape');
      const later = answered();
      await page.goto(`${dashboard.url}/#/requests?q=${later.id}`);
      await page.getByText('No request found').waitFor();
      await dashboard.answer([later]);
      await page.getByRole('button', { name: later.id }).waitFor();

      await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
      await page.getByRole('heading', { name: 'Permintaan', exact: true }).waitFor();
      await page.getByRole('button', { name: later.id }).press('Enter');
      await page.getByRole('heading', { name: 'Ke mana waktunya' }).waitFor();
      await lookAt(watched, 'requests-detail-id', SCREENSHOTS, TWO_LOOKS);
      await page.keyboard.press('Escape');
      await page.goto(`${dashboard.url}/#/requests`);
      await rows(page).nth(40).waitFor();
      await expectNothingCut(page, 'requests-id', SCREENSHOTS);
      expect(watched.problems()).toEqual([]);

      await page.route('**/dashboard/log?*', (route) => route.fulfill({ status: 503, json: { message: 'Away.' } }));
      await page.getByRole('button', { name: 'Segarkan' }).click();
      await page.locator('.trouble', { hasText: 'Layanan tidak dapat menjawab sekarang.' }).waitFor();
      expect(await rows(page).count()).toBeGreaterThan(40);
      await page.unroute('**/dashboard/log?*');
      await page.route('**/dashboard/log?*', (route) => route.fulfill({ status: 401, json: { message: 'Sign in.' } }));
      await page.getByRole('button', { name: 'Coba lagi' }).click();
      await page.getByLabel('Token dasbor').waitFor();
      await closeSound(watched, { serverDown: true });
    },
  );
}
