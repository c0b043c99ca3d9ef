import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { Page } from 'playwright-core';
import type { BrowserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { expectNothingCut } from './nothing-cut.ts';
import type { RunningConsole } from './playground-cases.ts';

const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const HOSTILE = '=1+1 <img src=x onerror="globalThis.pwned=1">';
const LONG = 'x'.repeat(10_000);
/** More than one page has. */
const MANY = 60;

const rows = (page: Page) => page.locator('table.audit tbody tr');
const shows = (page: Page, count: number) =>
  page.waitForFunction((count) => document.querySelectorAll('table.audit tbody tr').length === count, count);

/** The page of the audit log, on the service that runs. */
export function testAudit(inBrowser: BrowserTest, running: () => RunningConsole): void {
  inBrowser('audit: who changed what, found by who, action and target, whatever the names are', async () => {
    const { dashboard, open, closeSound } = running();
    const { stack } = dashboard;
    const { id } = await stack.createKey('--name', HOSTILE, '--per-hour', '50');
    await stack.lontar('keys', 'update', id, '--per-hour', '60');
    const note = (actor: object, target: string, after: object) =>
      [
        'head',
        JSON.stringify({ actor, action: 'key.update', target, outcome: 'done' }),
        'before',
        JSON.stringify({ note: LONG }),
        'after',
        JSON.stringify(after),
      ] as const;
    const robot = { by: 'token', id: 'robot00001', name: LONG, from: 'متجر\u202egnp' };
    const pipeline = stack.redis.client.pipeline();
    for (let made = 0; made < MANY; made += 1) {
      pipeline.xadd(redisKeys.audit, '*', ...note(robot, `Made${made}`, { perHour: String(made) }));
    }
    await pipeline.exec();
    const created = await stack.lontar('admin-tokens', 'create', '--name', 'e2e', '--role', 'support', '--json');
    const support = JSON.parse(created.stdout) as { id: string; token: string };
    const refused = await fetch(`${dashboard.url}/admin/v1/audit`, {
      headers: { authorization: `Bearer ${support.token}` },
    });
    expect(refused.status).toBe(403);
    const refusal = await refused.text();

    const watched = await open('/#/keys');
    const { page } = watched;
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await shows(page, 50);
    await rows(page).first().getByText('Audit log read').waitFor();
    expect(await rows(page).first().innerText()).toMatch(/refused[\s\S]*role: support[\s\S]*role it takes: operator/);
    await rows(page).last().getByText('متجر<U+202E>gnp').waitFor();
    await expectNothingCut(page, 'audit', SCREENSHOTS);
    await page.getByRole('button', { name: 'Show older' }).click();
    await rows(page).nth(MANY).waitFor();

    // By who, and back.
    await page.getByLabel('Id of who did it').fill('robot00001');
    await page.getByLabel('Id of who did it').press('Enter');
    await page.waitForURL(/by=robot00001/);
    await shows(page, 50);
    await page.getByRole('button', { name: 'Show older' }).click();
    await shows(page, MANY);
    await page.goBack();
    await rows(page).first().getByText('Audit log read').waitFor();
    expect(await page.getByLabel('Id of who did it').inputValue()).toBe('');

    // A few rows are enough to be looked at: each costs time.
    await page.goto(`${dashboard.url}/#/audit?target=Made3`);
    await shows(page, 1);
    await lookAt(watched, 'audit-hostile', SCREENSHOTS, TWO_LOOKS);
    expect((await rows(page).innerText()).length).toBeLessThan(500);
    await rows(page).locator('td.change summary').click();
    await rows(page).locator('td.change details > bdi').waitFor();
    expect((await rows(page).innerText()).length).toBeGreaterThan(LONG.length);
    await expectNothingCut(page, 'audit-hostile', SCREENSHOTS);

    // One key: made, then changed; its sheet is one step away, and leads back.
    await page.goto(`${dashboard.url}/#/audit?target=${id}`);
    await shows(page, 2);
    expect(await rows(page).first().innerText()).toMatch(/Key changed[\s\S]*requests an hour: 50 → 60/);
    expect(await rows(page).last().innerText()).toContain(HOSTILE);
    expect(await page.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
    await lookAt(watched, 'audit-key', SCREENSHOTS, TWO_LOOKS);
    await page.getByLabel('What was done').selectOption('key.create');
    await shows(page, 1);
    await page.reload();
    await shows(page, 1);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = readFileSync(await (await download).path(), 'utf8');
    expect(csv.trimEnd().split('\r\n')).toHaveLength(2);
    expect(csv).toContain(`,key.create,done,${id},`);
    await page.getByRole('link', { name: id }).click();
    await page.locator('dialog[open]').getByRole('link', { name: 'Its changes' }).click();
    await shows(page, 2);

    await page.goto(`${dashboard.url}/#/audit?target=nothing`);
    await page.getByText('No entry found').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows(page, 50);
    await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
    await page.getByRole('heading', { name: 'Log audit' }).waitFor();
    await expectNothingCut(page, 'audit-id', SCREENSHOTS);
    await page.getByRole('button', { name: 'English' }).click();
    expect(watched.problems()).toEqual([]);

    // What the server says to a role that may not; what stood there stays, with its time.
    await page.route('**/admin/v1/audit*', (route) =>
      route.fulfill({ status: 403, contentType: 'application/json', body: refusal }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('.trouble', { hasText: 'This is not allowed' }).waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.reload();
    await page.locator('.state', { hasText: 'this takes operator' }).waitFor();
    await lookAt(watched, 'audit-forbidden', SCREENSHOTS, TWO_LOOKS);
    await page.unroute('**/admin/v1/audit*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await shows(page, 50);
    await closeSound(watched, { serverDown: true });
  });
}
