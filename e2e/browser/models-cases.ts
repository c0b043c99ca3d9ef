import { expect } from '@jest/globals';
import type { ModelsView, ModelView } from '@lontar/shared/admin/models-schemas.ts';
import type { BrowserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { expectNothingCut } from './nothing-cut.ts';
import type { RunningConsole } from './playground-cases.ts';

const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const CALLS = { answered: 120, failed: 0, stalled: 0, limited: 1, unauthorized: 0, unknown: 0 };
const LATELY = { calls: CALLS, errorShare: 0, p50Ms: 800, p95Ms: 2100, firstTokenP50Ms: 210, firstTokenP95Ms: 600 };
const NEVER = {
  calls: { ...CALLS, answered: 0, limited: 0 },
  errorShare: null,
  p50Ms: null,
  p95Ms: null,
  firstTokenP50Ms: null,
  firstTokenP95Ms: null,
};
const model = (part: Partial<ModelView>): ModelView => ({
  name: 'ai-2.5-flash',
  inCatalog: true,
  aliases: [],
  requests: 38_001,
  serverErrors: 0,
  timeouts: 0,
  routesUp: 1,
  deadlines: null,
  price: null,
  hedgeAfter: null,
  routes: [],
  ...part,
});
const upstream = {
  name: 'gemini',
  provider: 'gemini',
  state: 'closed',
  reason: null,
  openUntil: null,
  leftAloneUntil: null,
  inFlight: 12,
  placesUsed: 12,
  maxInFlight: 300,
  adaptiveLimit: null,
  requestsPerMinute: 1000,
  tokensPerMinute: null,
  context: null,
} as const;

/** A catalog in which everything is that can be. */
const MODELS: ModelsView = {
  catalog: { source: 'file', digest: '0123456789abcdef', agreed: false, broken: true, modelsLeftOut: 3 },
  models: [
    model({
      aliases: ['fast', 'gpt-4.1-mini'],
      serverErrors: 12,
      timeouts: 3,
      price: { input: 0.3, cachedInput: 0.03, output: 2.5 },
      hedgeAfter: 'p95',
      routes: [
        { upstream: 'gemini', model: 'gemini-2.5-flash', weight: 3, order: 1, up: true, lately: LATELY },
        {
          upstream: 'anthropic',
          model: 'claude-haiku-4-5-with-a-long-name',
          weight: 1,
          order: 1,
          up: false,
          lately: { ...LATELY, errorShare: 0.0164, calls: { ...CALLS, failed: 2 } },
        },
        { upstream: 'local', model: 'qwen3-32b', weight: 1, order: 2, up: true, lately: NEVER },
      ],
      routesUp: 2,
    }),
    model({
      name: 'ai-2.5-pro',
      requests: 12,
      routesUp: 0,
      routes: [{ upstream: 'anthropic', model: 'claude-opus', weight: 1, order: 1, up: false, lately: NEVER }],
    }),
    model({ name: 'was-there-once', inCatalog: false, routesUp: 0 }),
  ],
  upstreams: [
    upstream,
    {
      ...upstream,
      name: 'anthropic',
      provider: 'anthropic',
      state: 'open',
      reason: 'server_error',
      openUntil: '2999-01-01T00:00:00.000Z',
      maxInFlight: null,
      adaptiveLimit: 7,
      placesUsed: 7,
      tokensPerMinute: 90_000,
    },
    {
      ...upstream,
      name: 'local',
      provider: 'openai',
      state: 'half-open',
      reason: 'connection',
      maxInFlight: null,
      requestsPerMinute: null,
    },
  ],
  workers: [],
  calls: { total: 0, errors: 0, retries: 0 },
};

/** The page of models, on the service that runs. */
export function testModels(inBrowser: BrowserTest, running: () => RunningConsole): void {
  inBrowser('models: routes with their breakers, and the way to test one and to see what it was used for', async () => {
    const { open, closeSound } = running();
    const watched = await open('/#/models');
    const { page } = watched;
    const real = page.getByRole('region', { name: 'ai-2.5-pro', exact: true });
    await real.getByText('1 of 1 routes up').waitFor();
    await real.getByRole('row', { name: 'demo' }).getByText('Closed').waitFor();
    await real.getByRole('link', { name: 'Test ai-2.5-pro in the playground' }).click();
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('ai-2.5-pro');
    await page.goBack();
    await real.getByRole('link', { name: 'Usage of ai-2.5-pro' }).click();
    await page.getByRole('button', { name: 'Model: ai-2.5-pro: show all again' }).waitFor();

    let answer: object = { json: { status: true, code: 200, message: 'Sukses', result: MODELS } };
    await page.route('**/admin/v1/models', (route) => route.fulfill(answer));
    await page.goBack();
    const flash = page.getByRole('region', { name: 'ai-2.5-flash', exact: true });
    await flash.getByText('2 of 3 routes up').waitFor();
    const rows = await flash.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^gemini gemini-2\.5-flash ✓ Closed 75 % 121 0\.0 % 800 ms · 2,100 ms 210 ms · 600 ms/),
      expect.stringMatching(/^anthropic claude-haiku\S+ ✕ Open server error another .* 25 % 123 1\.7 %/),
      expect.stringMatching(/^local qwen3-32b ◔ Trying connection else 100 % 0 – – –/),
    ]);
    await page.getByText('No route is up').waitFor();
    await page.getByText('The newest models.yaml has errors').waitFor();
    await lookAt(watched, 'models', SCREENSHOTS);
    await expectNothingCut(page, 'models', SCREENSHOTS);
    await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
    await page.getByText('2 dari 3 rute hidup').waitFor();
    await expectNothingCut(page, 'models-id', SCREENSHOTS);
    await page.getByRole('button', { name: 'English' }).click();
    answer = {
      json: { status: true, code: 200, message: '', result: { ...MODELS, catalog: null, models: [], upstreams: [] } },
    };
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('No model yet').waitFor();
    await lookAt(watched, 'models-none', SCREENSHOTS, TWO_LOOKS);
    await closeSound(watched);
  });
}
