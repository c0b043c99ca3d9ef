import { test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { BROWSER_TEST_MS, findChromium } from './watched-page.ts';

/** Most characters of a page that a failure shows. */
const SHOWN_CHARACTERS = 2_000;

/** A test in a browser; its time is in ms. */
export type BrowserTest = (name: string, run: () => Promise<void>, timeoutMs?: number) => void;

/**
 * Makes tests that are skipped, by name, where there is no Chromium. One that fails shows what stood on its pages, which is
 * often the only trace of what happened on another machine, and closes them, so that none is left to the next.
 *
 * @param browser the browser that runs by then
 */
export function browserTest(browser: () => Browser | undefined): BrowserTest {
  const known = findChromium() === undefined ? test.skip : test;
  return (name, run, timeoutMs = BROWSER_TEST_MS) =>
    known(
      name,
      async () => {
        try {
          await run();
        } catch (error) {
          const shown = await closePages(browser());
          throw error instanceof Error ? withMore(error, `On the pages stood:\n${shown.join('\n---\n')}`) : error;
        }
      },
      timeoutMs,
    );
}

/** The runner shows an error's stack, which says the message as it was at first. */
function withMore(error: Error, more: string): Error {
  const { message, stack = '' } = error;
  error.message = `${message}\n\n${more}`;
  error.stack = stack.includes(message) ? stack.replace(message, () => error.message) : `${error.message}\n${stack}`;
  return error;
}

async function closePages(browser: Browser | undefined): Promise<string[]> {
  const contexts = browser?.contexts() ?? [];
  const shown = await Promise.all(
    contexts.flatMap((context) =>
      context.pages().map(async (page) => {
        const text = await page
          .locator('body')
          .innerText({ timeout: 2_000 })
          .catch(() => 'cannot be read');
        return `${page.url()}\n${text.replaceAll(/\n{2,}/g, '\n').slice(0, SHOWN_CHARACTERS)}`;
      }),
    ),
  );
  await Promise.all(contexts.map((context) => context.close().catch(() => undefined)));
  return shown;
}
