import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { lastDays } from '@lontar/shared/usage/read-usage.ts';
import type { Page } from 'playwright-core';
import { answered, type DashboardStack } from '../harness/dashboard.ts';
import { until } from '../harness/eventually.ts';
import type { BrowserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { expectNothingCut } from './nothing-cut.ts';
import type { RunningConsole } from './playground-cases.ts';

const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const DAY_MS = 86_400_000;
/** A day that no other test counts anything on. */
const DAYS_AGO = 20;
const NAME = '=HYPERLINK("http://evil.example") <img src=x onerror=alert(1)>';

const FAILURES = [
  { status: 400, outcome: 'client_error', error: 'invalid_parameter' },
  { status: 429, outcome: 'rate_limited', error: 'too_many_requests' },
  { status: 502, outcome: 'server_error', error: 'upstream_error' },
  { status: 504, outcome: 'timeout', error: 'timed_out' },
] as const;

/** A small load: three keys and none, two models, every kind of end. */
function loadOf(keys: readonly string[], at: number): RequestEvent[] {
  return Array.from({ length: 60 }, (_, index) => {
    const { keyId: _key, ...event } = answered({ at: at + index });
    const failure = index % 5 === 4 ? FAILURES[((index / 5) % 4) | 0] : {};
    const model = index % 3 === 0 ? 'ai-2.5-pro' : 'ai-2.5-flash';
    const usage = { input: 10 + index, output: 100 + index, isEstimated: index % 7 === 0 };
    const generation = { ...event.generation, model, usage } as NonNullable<RequestEvent['generation']>;
    const keyId = keys[index % 4];
    return { ...event, ...failure, generation, ...(keyId === undefined ? {} : { keyId }) };
  });
}

const COUNTS = ['requests', 'successes', 'masked', 'promptTokens', 'completionTokens'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

function sum(rows: readonly Partial<Counts>[]): Counts {
  return Object.fromEntries(
    COUNTS.map((name) => [name, rows.reduce((all, row) => all + (row[name] ?? 0), 0)]),
  ) as Counts;
}

/** What a table in the form of CSV adds up to; its names hold commas, and no line ends. */
function sumOfCsv(csv: string): Counts {
  const [head = '', ...lines] = csv.replace('\uFEFF', '').trimEnd().split('\r\n');
  const names = head.split(',');
  const cells = (line: string) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return sum(
    lines.map((line) =>
      Object.fromEntries(COUNTS.map((name) => [name, Number(cells(line)[names.indexOf(snake(name))])])),
    ),
  );
}

/** The last line of the page's table. */
async function sumOfPage(page: Page): Promise<Counts> {
  const [requests, successes, , , , masked, promptTokens, completionTokens] = (
    await page.locator('table.usage tfoot td').allInnerTexts()
  ).map((text) => Number(text.replaceAll(',', '')));
  return { requests, successes, masked, promptTokens, completionTokens } as Counts;
}

async function usageOf(dashboard: DashboardStack, day: string): Promise<Partial<Counts>> {
  const { result } = (await (await fetch(`${dashboard.url}/api/usage`)).json()) as {
    result: { days: ({ date: string } & Counts)[] };
  };
  return result.days.find(({ date }) => date === day) ?? {};
}

async function saved(page: Page): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

/** The page of usage, on the service that runs. */
export function testUsage(inBrowser: BrowserTest, running: () => RunningConsole): void {
  inBrowser(
    'usage: what page, CSV, command and API say adds up to the same, by whatever it is put together',
    async () => {
      const { dashboard, open, closeSound } = running();
      const at = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS_AGO * DAY_MS + 3_600_000;
      const day = lastDays(1, at).to;
      const keys = [
        await dashboard.stack.createKey('--name', NAME, '--owner', 'anna@example.com'),
        await dashboard.stack.createKey('--name', 'bot', '--owner', 'anna@example.com'),
        await dashboard.stack.createKey('--name', 'alone'),
      ].map(({ id }) => id);
      await dashboard.answer(loadOf(keys, at));
      await until(async () => (await usageOf(dashboard, day)).requests === 60);

      const watched = await open(`/#/usage?from=${day}&to=${day}`);
      const { page } = watched;
      await page.getByRole('row', { name: 'All together' }).waitFor();
      const { stdout } = await dashboard.stack.lontar('usage', '--json', '--from', day, '--to', day);
      const told = sum(JSON.parse(stdout) as Partial<Counts>[]);
      expect(told.requests).toBe(60);
      expect(await usageOf(dashboard, day)).toMatchObject({
        requests: told.requests,
        successes: told.successes,
        masked: told.masked,
      });
      for (const [by, lines] of [
        ['Day', 1],
        ['Key', 4],
        ['Model', 2],
        ['Owner', 2],
      ] as const) {
        await page.getByRole('group', { name: 'By' }).getByRole('button', { name: by }).click();
        await page.waitForFunction(
          ([name, count]) =>
            document.querySelector('table.usage thead th')?.textContent === name &&
            document.querySelectorAll('table.usage tbody tr').length === count,
          [by, lines] as const,
        );
        expect({ by, ...(await sumOfPage(page)) }).toEqual({ by, ...told });
        expect({ by, ...sumOfCsv(await saved(page)) }).toEqual({ by, ...told });
      }
      expect(await page.locator('[data-sum=requests] .number').innerText()).toBe('60');
      const csv = await (async () => {
        await page.goto(`${dashboard.url}/#/usage?from=${day}&to=${day}&by=key`);
        await page.getByRole('button', { name: `Show ${NAME} alone` }).waitFor();
        return saved(page);
      })();
      // Quoted, and a text to spreadsheets.
      expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"") <img`);
      await lookAt(watched, 'usage-key', SCREENSHOTS, TWO_LOOKS);
      await expectNothingCut(page, 'usage-key', SCREENSHOTS);

      // A line leads to itself alone; the address says so, and the way back is one step.
      await page.getByRole('button', { name: `Show ${NAME} alone` }).click();
      await page.locator('[data-sum=requests] .number', { hasText: /^15$/ }).waitFor();
      expect(page.url()).toContain(`key=${keys[0]}`);
      await page.reload();
      await page.locator('[data-sum=requests] .number', { hasText: /^15$/ }).waitFor();
      await page.getByRole('button', { name: `Key: ${NAME}: show all again` }).click();
      await page.locator('[data-sum=requests] .number', { hasText: /^60$/ }).waitFor();
      await page.goBack();
      await page.locator('[data-sum=requests] .number', { hasText: /^15$/ }).waitFor();
      await page.goto(
        `${dashboard.url}/#/usage?from=${day}&to=${day}&owner=anna%40example.com&model=ai-2.5-pro&chart=tokens`,
      );
      await page.locator('[data-sum=requests] .number', { hasText: /^10$/ }).waitFor();
      await page.getByRole('slider', { name: 'Tokens by day' }).waitFor();
      await closeSound(watched);
    },
  );

  inBrowser('usage: ranges, keyboard, an empty time, a failure that keeps what was shown, and Indonesian', async () => {
    const { dashboard, open, closeSound } = running();
    const watched = await open('/#/usage?range=90');
    const { page } = watched;
    await page.getByRole('row', { name: 'All together' }).waitFor();
    const slider = page.getByRole('slider', { name: 'Requests by day' });
    await slider.press('Home');
    expect([await slider.getAttribute('aria-valuenow'), await slider.getAttribute('aria-valuemax')]).toEqual([
      '0',
      '89',
    ]);
    await lookAt(watched, 'usage', SCREENSHOTS, TWO_LOOKS);
    await page.getByRole('button', { name: 'Custom' }).click();
    const [from, to] = [page.getByLabel('From'), page.getByLabel('To')];
    const oldest = lastDays(300, Date.now()).from;
    await from.fill(oldest);
    await to.fill(oldest);
    await page.getByText('No requests on these days').waitFor();
    expect(page.url()).toContain(`from=${oldest}&to=${oldest}`);
    await lookAt(watched, 'usage-none', SCREENSHOTS, TWO_LOOKS);
    await page.getByRole('button', { name: '30 days' }).click();
    await page.getByRole('row', { name: 'All together' }).waitFor();
    expect(watched.problems()).toEqual([]);

    await page.route('**/admin/v1/usage*', (route) => route.fulfill({ status: 503, json: { message: 'Away.' } }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('.trouble', { hasText: 'Away.' }).waitFor();
    await page.getByRole('row', { name: 'All together' }).waitFor();
    await page.unroute('**/admin/v1/usage*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.locator('.trouble', { hasText: 'Away.' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
    await page.getByRole('row', { name: 'Semuanya' }).waitFor();
    await lookAt(watched, 'usage-id', SCREENSHOTS, TWO_LOOKS);
    await page.goto(`${dashboard.url}/#/usage?by=model`);
    await expectNothingCut(page, 'usage-id', SCREENSHOTS);
    await closeSound(watched, { serverDown: true });
  });
}
