import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/**
 * What Chromium says of every connection when a network of the machine comes or goes, as Docker's do while containers are tested beside these
 * tests. No fault of the page: what it reads it asks for once more, and what must appear is waited for.
 */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Chromium's words for a 503. */
const SERVICE_BUSY = 'the server responded with a status of 503';
/** How long a test may take, and what it waits for may take to come: on a machine that does other things, many times as long as alone. */
export const BROWSER_TEST_MS = 300_000;
export const COMES_WITHIN_MS = 90_000;

/** The system's Chromium; `undefined` where there is none, so that tests can be skipped by name. */
export function findChromium(): string | undefined {
  return PATHS.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A page that notes what must not happen: console errors, exceptions, requests to other origins. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Everything wrong since the last call. Failing requests are no error of the page while a server is down, and a 503 is
   * none at all: it is what a service says that is too busy to answer in time, and a test waits for what it wants to see.
   */
  problems(options?: { readonly serverDown?: boolean }): string[];
}

export async function openPage(browser: Browser, url: string, cookie?: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 900 }, colorScheme: 'light' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url }]);
  }
  context.setDefaultTimeout(COMES_WITHIN_MS);
  const page = await newPage(context);
  const found: { text: string; network: boolean }[] = [];
  page.on('pageerror', (error) => found.push({ text: `exception: ${error.message}`, network: false }));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const text = message.text();
    if (text.includes(NETWORK_CHANGED) || text.includes(SERVICE_BUSY)) return;
    found.push({ text: `console: ${text}`, network: text.startsWith('Failed to load resource') });
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.origin !== new URL(url).origin) found.push({ text: `third party: ${request.url()}`, network: false });
  });
  return {
    page,
    context,
    problems: ({ serverDown = false } = {}) =>
      found.splice(0).flatMap(({ text, network }) => (network && serverDown ? [] : [text])),
  };
}

/** A page whose navigations are tried again, up to three times, where a changed network broke them. */
export async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const open = page.goto.bind(page);
  page.goto = async (url, options) => {
    for (let left = 3; ; left -= 1) {
      try {
        return await open(url, options);
      } catch (error) {
        if (left === 0 || !String(error).includes(NETWORK_CHANGED)) throw error;
      }
    }
  };
  return page;
}
