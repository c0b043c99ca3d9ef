import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { WatchedPage } from './watched-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  /** Only looked at for what is wider than the screen. */
  readonly withoutAxe?: boolean;
}

/** In `npm run looks`; the tests take half of the looks, of which each theme and each width has its part. */
const isEveryLook = process.env['EVERY_LOOK'] === '1';

/** Themes and widths in which every state of the page is looked at. */
const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 1366, height: 900 },
  { colorScheme: 'dark', width: 1366, height: 900 },
  { colorScheme: 'light', width: 320, height: 720 },
  { colorScheme: 'dark', width: 320, height: 720 },
];
/** Enough for what is only a variation of a state. */
export const TWO_LOOKS: readonly Look[] = LOOKS.filter((_, index) => index === 0 || index === 3);
/** From a phone to a wide screen, in both themes: for pages that are quickly looked at. */
export const ALL_LOOKS: readonly Look[] = [390, 768, 1280, 1920].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ colorScheme, width, height: 900 })),
);
/** For a page of so many elements that axe takes many seconds each time. */
export const LONG_PAGE_LOOKS: readonly Look[] = [...ALL_LOOKS];
const HALF_OF_ALL = ALL_LOOKS.filter((_, index) => index % 4 === 0 || index % 4 === 3);
const isBetween = ({ width }: Look) => width > 390 && width < 1920;
const withoutAxe = ({ colorScheme, width, height }: Look): Look => ({ colorScheme, width, height, withoutAxe: true });
const HALVES: ReadonlyMap<readonly Look[], readonly (readonly Look[])[]> = new Map([
  [LOOKS, [TWO_LOOKS, LOOKS.filter((_, index) => index === 1 || index === 2)]],
  [ALL_LOOKS, [HALF_OF_ALL]],
  // Axe judges the narrowest and the widest, of which each has a theme: colours do not differ by the width.
  [LONG_PAGE_LOOKS, [HALF_OF_ALL.map((look) => (isBetween(look) ? withoutAxe(look) : look))]],
]);
let looked = 0;

/** Looks at a page in both themes, wide and narrow: no accessibility violation, nothing wider than the screen. */
export async function lookAt(
  { page }: WatchedPage,
  name: string,
  screenshots?: string,
  looks: readonly Look[] = LOOKS,
): Promise<void> {
  const halves = isEveryLook ? undefined : HALVES.get(looks);
  for (const { colorScheme, width, height, withoutAxe = false } of halves?.[looked++ % halves.length] ?? looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    const look = `${name}-${colorScheme}-${width}`;
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${look}.png` });
    const violations = withoutAxe ? [] : await axeViolations(page);
    expect({ look, violations }).toEqual({ look, violations: [] });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect({ look, overflow: Math.max(0, overflow) }).toEqual({ look, overflow: 0 });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1366, height: 900 });
}

export async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, so that the page's policy stays in force for the page; once for each page that is loaded.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      axe: { run(root: Document | Element, options: object): Promise<AxeResults> };
    };
    // Behind an open dialog everything is inert.
    const { violations } = await axe.run(document.querySelector('dialog[open]') ?? document, {
      runOnly: { type: 'tag', values: tags },
      // What is not told here need not be worked out for each element that is in order.
      resultTypes: ['violations'],
      selectors: false,
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
