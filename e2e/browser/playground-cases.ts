import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { answered, type DashboardStack } from '../harness/dashboard.ts';
import { soon } from '../harness/eventually.ts';
import type { BrowserTest } from './in-browser.ts';
import { lookAt, TWO_LOOKS } from './look-at.ts';
import { expectNothingCut } from './nothing-cut.ts';
import type { WatchedPage } from './watched-page.ts';

/** The service, and a browser that is signed in to it. */
export interface RunningConsole {
  readonly dashboard: DashboardStack;
  readonly browser: Browser;
  open(path: string): Promise<WatchedPage>;
  /** Closes a page on which nothing went wrong. */
  closeSound(watched: WatchedPage, ...expected: Parameters<WatchedPage['problems']>): Promise<void>;
}

const SCREENSHOTS = process.env['DASHBOARD_SCREENSHOTS'];
const TOOL = JSON.stringify([
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]);

const HOSTILE = [
  '# Heading <script>globalThis.pwned = 1</script>',
  '<img src=x onerror="globalThis.pwned = 2"> ![remote](https://evil.example/pixel.png)',
  '[run](javascript:globalThis.pwned=3) [data](data:text/html,<script>1</script>) [good](https://example.com/a)',
  '<iframe src="https://evil.example"></iframe><style>body{display:none}</style><base href="https://evil.example">',
  '<form action="https://evil.example"><input name="q"></form><svg onload="globalThis.pwned=4"></svg>',
  '\u001B[31mred\u001B[0m \u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007 \u0007bell',
  'abc\u202Edcba\u202C zero\u200Bwidth\uFEFF tag\u{E0041}\u{E0042} soft\u00ADhyphen',
  'The key is ***API_KEY*** and the host ***API_SERVER***.',
  '```html\n<script>globalThis.pwned = 5</script>\n```',
  '| a | b |\n|---|--:|\n| 1 | **2** |',
  '3. three\n4. four &lt;b&gt; &#x202e;fdp',
  `${'> '.repeat(100)}deep`,
  '- [x] done',
].join('\n\n');

const key = (page: Page) => page.getByLabel('API key, kept in memory only');
const prompt = (page: Page) => page.getByLabel('Prompt', { exact: true });
const answers = (page: Page) => page.locator('.turn.model');
const regenerate = (page: Page) => page.getByRole('button', { name: 'Regenerate' });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop' });

/** Asks, once the answer before has ended. */
async function ask(page: Page, text: string): Promise<void> {
  await stop(page).waitFor({ state: 'detached' });
  await prompt(page).fill(text);
  await page.keyboard.press('Control+Enter');
}

/** A stream of this text, in pieces, as the gateway sends it. */
function streamOf(text: string): string {
  const chunk = (choice: object, more: object = {}) => `data: ${JSON.stringify({ choices: [choice], ...more })}\n\n`;
  const pieces = text.match(/[^]{1,4000}/gu) ?? [];
  return [
    ...pieces.map((content) => chunk({ index: 0, delta: { content } })),
    chunk({ delta: {}, finish_reason: 'stop' }, { lontar: { masked: { url: 1, key: 1, ip: 0, connection: 0 } } }),
    'data: [DONE]\n\n',
  ].join('');
}

/** The playground, on the service that runs. */
export function testPlayground(inBrowser: BrowserTest, running: () => RunningConsole): void {
  inBrowser('a conversation streams, is masked, has its figures and its row; the key goes nowhere else', async () => {
    const { dashboard, open, closeSound } = running();
    const made = await dashboard.stack.createKey('--name', 'playground');
    const watched = await open('/?try=1');
    const { page } = watched;
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    await lookAt(watched, 'playground-empty', SCREENSHOTS, TWO_LOOKS);
    await ask(page, 'How do I connect to my database?');
    await page.getByText('Enter an API key first.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('key');
    await key(page).fill(made.key);
    await page.getByLabel('Most output tokens').fill('150');
    await ask(page, 'How do I connect to my database?');
    await page.locator('.turn.model .badge.secured').waitFor();
    await answers(page).locator('.chip').first().waitFor();
    await soon(async () => {
      const facts = await page.locator('.answer-facts').innerText();
      for (const fact of [/first token [\d,.]+ m?s/, /in all [\d,.]+ m?s/, /\d+ tokens in, [\d,]+ out/, /tokens\/s/]) {
        expect(facts).toMatch(fact);
      }
      expect(facts).toContain('cut: the output tokens were used up');
    });
    const row = page.locator('.answer-facts a');
    const id = await row.innerText();
    expect([id.startsWith('req_'), await row.getAttribute('href')]).toEqual([true, `/#/requests?q=${id}`]);

    // What was said before goes along, and nothing of the operator's. A whole answer takes long enough to be stopped.
    await page.getByLabel('Most output tokens').fill('');
    const asked = page.waitForRequest('**/v1/chat/completions');
    await ask(page, 'And then?');
    await stop(page).click();
    await answers(page).last().getByText('Stopped').waitFor();
    const request = await asked;
    const body = request.postDataJSON() as { messages: { role: string }[] };
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect([(await request.allHeaders())['cookie'], request.url().includes(made.key)]).toEqual([undefined, false]);
    await page.getByLabel('Most output tokens').fill('60');
    await regenerate(page).click();
    await answers(page).last().getByText('Stopped').waitFor({ state: 'detached' });
    await regenerate(page).waitFor();
    expect(await answers(page).count()).toBe(2);
    await lookAt(watched, 'playground-answered', SCREENSHOTS);
    await expectNothingCut(page, 'playground', SCREENSHOTS);

    for (const [language, words] of [
      ['Python', 'api_key=os.environ["LONTAR_KEY"]'],
      ['JavaScript', 'apiKey: process.env.LONTAR_KEY'],
      ['curl', 'Bearer $LONTAR_KEY'],
    ] as const) {
      await page.getByRole('button', { name: language, exact: true }).click();
      await page.locator('.samples pre', { hasText: words }).waitFor();
    }
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await soon(async () => {
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe((await page.locator('.samples pre').textContent()) ?? '');
      expect(copied).not.toContain(made.key);
    });
    const kept = await page.evaluate(() => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      location.href,
    ]);
    expect(kept.join(' ')).not.toContain(made.key.slice(8));

    // The page of another language keeps what was said; a reload keeps nothing.
    await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
    await page.getByRole('heading', { name: 'Percakapan', exact: true }).waitFor();
    await lookAt(watched, 'playground-id', SCREENSHOTS, TWO_LOOKS);
    await expectNothingCut(page, 'playground-id', SCREENSHOTS);
    await page.getByRole('button', { name: 'English' }).click();
    await page.reload();
    await page.getByText('Ask a model as your callers do.').waitFor();
    expect(await key(page).inputValue()).toBe('');
    await closeSound(watched);
  });

  inBrowser(
    'tools are called and answered, a persona answers a prompt alone, and errors are said in words',
    async () => {
      const { dashboard, open, closeSound } = running();
      const made = await dashboard.stack.createKey('--name', 'tools', '--credits', '4');
      const watched = await open('/#/playground?model=ai-2.5-pro');
      const { page } = watched;
      await key(page).fill(`${made.key.slice(0, -1)}${made.key.endsWith('x') ? 'y' : 'x'}`);
      await ask(page, 'Hello');
      await page
        .locator('.problem', { hasText: 'The key is not known.' })
        .getByText('HTTP 401, invalid_api_key')
        .waitFor();
      await lookAt(watched, 'playground-failed', SCREENSHOTS, TWO_LOOKS);
      expect(watched.problems({ serverDown: true })).toEqual([]);

      await page.getByRole('button', { name: 'New conversation' }).click();
      await key(page).fill(made.key);
      await page.getByLabel('Tools, JSON').fill('[{');
      await page.getByText('This is no list of tools in JSON.').waitFor();
      await page.getByLabel('Tools, JSON').fill(TOOL);
      await page.getByLabel('Most output tokens').fill('60');
      await ask(page, 'What is the weather in Solo?');
      await page.getByRole('heading', { name: 'Calls weather' }).waitFor();
      await page.getByLabel('What weather answers').fill('Rain, 24 degrees');
      await lookAt(watched, 'playground-tools', SCREENSHOTS, TWO_LOOKS);
      // Where the renderer cannot be had, the words stay plain, and all come.
      await page.route('**/assets/render-markdown-*.js', (route) => route.abort());
      await page.getByRole('button', { name: 'Send what the tools answer' }).click();
      await answers(page).last().getByText('Rain, 24 degrees').waitFor();
      expect(await answers(page).first().locator('h3').innerText()).toBe('ai-2.5-pro');
      await regenerate(page).waitFor();

      await page.getByLabel('Endpoint').selectOption('/api/ai');
      expect(page.url()).toContain('endpoint=%2Fapi%2Fai');
      const asked = page.waitForRequest('**/api/ai');
      await ask(page, 'Hello');
      expect((await asked).postDataJSON()).toEqual({
        prompt: 'Hello',
        model: 'ai-2.5-pro',
        temperature: 0.7,
        maxOutputTokens: 60,
      });
      await answers(page).nth(2).locator('.badge').waitFor();

      await page.goto(`${dashboard.url}/#/playground?endpoint=/v1/chat/completions`);
      await ask(page, 'One more');
      await answers(page).nth(3).locator('.badge').waitFor();
      await ask(page, 'One too many');
      await page
        .locator('.problem', { hasText: 'The credits of the key are used up.' })
        .getByText('insufficient_quota')
        .waitFor();
      await closeSound(watched, { serverDown: true });
    },
  );

  inBrowser('hostile answers run nothing, load nothing, and copy clean', async () => {
    const { dashboard, open, closeSound } = running();
    const watched = await open('/#/playground');
    const { page } = watched;
    let body = streamOf(HOSTILE);
    await page.route('**/v1/chat/completions', (route) =>
      route.fulfill({ status: 200, headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req_x' }, body }),
    );
    await page.route('**/v1/models', (route) => route.fulfill({ json: { data: [] } }));
    await key(page).fill('a-key-for-the-test');
    await ask(page, HOSTILE);
    const markdown = page.locator('.markdown');
    await markdown.getByRole('heading', { name: 'Heading' }).waitFor();
    await page.locator('.badge', { hasText: 'Secured (2)' }).waitFor();
    await lookAt(watched, 'hostile-answer', SCREENSHOTS, TWO_LOOKS);
    expect(await page.locator('.turns').locator('img, script, iframe, style, base, form, input, svg').count()).toBe(0);
    const links = await markdown.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(['https://example.com/a']);
    expect(await markdown.locator('td strong').innerText()).toBe('2');
    expect(await markdown.locator('ol[start="3"] li').allInnerTexts()).toEqual(['three', 'four <b> fdp']);
    expect(await markdown.locator('blockquote').count()).toBeLessThan(50);
    expect(await markdown.locator('ul li').innerText()).toBe('☑ done');
    expect(await page.getByRole('main').innerText()).not.toContain('a-key-for-the-test');

    await markdown.evaluate((element) => getSelection()?.selectAllChildren(element));
    // What is dragged, or pasted by the middle button, is the selection as it stands: no event can change it.
    const dragged = await page.evaluate(() => getSelection()?.toString());
    expect(dragged).toContain('The key is ***API_KEY*** and the host ***API_SERVER***.');
    expect(dragged).not.toContain(', masked');
    await page.keyboard.press('Control+C');
    await page.getByText('Copied; 2 secrets stay masked').waitFor();
    const kinds = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types));
    expect(kinds).toEqual(['text/plain']);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('The key is ***API_KEY*** and the host ***API_SERVER***.');
    expect(copied.replaceAll(/[\t\n]/g, '')).not.toMatch(/\p{Cc}|\p{Default_Ignorable_Code_Point}/u);

    // More than a browser can render, and more than the page keeps.
    body = streamOf('x'.repeat(1_100_000));
    await ask(page, 'Much');
    await page.getByText('The answer is longer than the page keeps; the rest is missing.').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    body = `data: ${'x'.repeat(300_000)}\n\n`;
    await ask(page, 'A long line');
    await page.locator('.problem', { hasText: 'The answer cannot be read.' }).waitFor();
    body = 'data: {"choices":[{"delta":{"content":"half"}}]}\n\n';
    await ask(page, 'A stream without an end');
    await page.locator('.problem', { hasText: 'The answer broke off.' }).waitFor();

    // The same text in the log: as text, with its masks as chips.
    const generation = { ...answered().generation, promptPreview: HOSTILE, answerPreview: HOSTILE.repeat(3) };
    const event = answered({ generation } as Parameters<typeof answered>[0]);
    await dashboard.answer([event]);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('button', { name: event.id }).click();
    const answerText = page.locator('.masked-text pre').last();
    await answerText.waitFor();
    await lookAt(watched, 'hostile-detail', SCREENSHOTS, TWO_LOOKS);
    expect(await answerText.locator('*:not(.chip)').count()).toBe(0);
    await answerText.evaluate((element) => getSelection()?.selectAllChildren(element));
    await page.keyboard.press('Control+C');
    await page.getByText('secrets stay masked').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('The key is ***API_KEY*** and');

    expect(await page.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
    await closeSound(watched);
  });
}
