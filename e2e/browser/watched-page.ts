import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
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
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

/** Themes and widths in which every state of the page is looked at. */
const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 1366, height: 900 },
  { colorScheme: 'dark', width: 1366, height: 900 },
  { colorScheme: 'light', width: 320, height: 720 },
  { colorScheme: 'dark', width: 320, height: 720 },
];
/** Enough for what is only a variation of a state. */
export const TWO_LOOKS: readonly Look[] = LOOKS.filter((_, index) => index === 0 || index === 3);

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
  /** Everything wrong since the last call. Failing requests are no error of the page while a server is down. */
  problems(options?: { readonly serverDown?: boolean }): string[];
}

export async function openPage(browser: Browser, url: string, cookie?: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 900 }, colorScheme: 'light' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url }]);
  }
  const page = await context.newPage();
  const found: { text: string; network: boolean }[] = [];
  page.on('pageerror', (error) => found.push({ text: `exception: ${error.message}`, network: false }));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const text = message.text();
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

/** Looks at a page in both themes, wide and narrow: no accessibility violation, nothing wider than the screen. */
export async function lookAt(
  { page }: WatchedPage,
  name: string,
  screenshots?: string,
  looks: readonly Look[] = LOOKS,
): Promise<void> {
  for (const { colorScheme, width, height } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    const look = `${name}-${colorScheme}-${width}`;
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${look}.png` });
    expect({ look, violations: await axeViolations(page) }).toEqual({ look, violations: [] });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect({ look, overflow: Math.max(0, overflow) }).toEqual({ look, overflow: 0 });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1366, height: 900 });
}

async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, so that the page's policy stays in force for the page.
  await page.evaluate(AXE);
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      axe: { run(root: Document | Element, options: object): Promise<AxeResults> };
    };
    // Behind an open dialog everything is inert.
    const { violations } = await axe.run(document.querySelector('dialog[open]') ?? document, {
      runOnly: { type: 'tag', values: tags },
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
    );
  }, AXE_TAGS);
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}
