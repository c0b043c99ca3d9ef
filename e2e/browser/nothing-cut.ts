import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const WIDTHS = [390, 768, 1280, 1920];

/** Holds that at the usual widths nothing is wider than the screen, and no text is cut off by the box that it stands in. */
export async function expectNothingCut(page: Page, name: string, screenshots?: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const look = `${name}-${width}`;
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${look}.png` });
    expect({ look, cut: await page.evaluate(findCut) }).toEqual({ look, cut: [] });
  }
  await page.setViewportSize({ width: 1366, height: 900 });
}

/** Runs in the page. What scrolls shows all of its text; what hides what does not fit cuts it. */
function findCut(): string[] {
  const cut = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the screen'] : [];
  const root = document.querySelector('dialog[open]') ?? document.body;
  for (const element of root.querySelectorAll<HTMLElement>('*')) {
    const { overflowX, position } = getComputedStyle(element);
    const hides = overflowX === 'hidden' || overflowX === 'clip';
    const isFar = position === 'fixed' || element.clientWidth <= 1 || element.title !== '';
    if (hides && !isFar && element.innerText.trim() !== '' && element.scrollWidth > element.clientWidth + 1) {
      cut.push(`${element.className || element.tagName}: ${element.innerText.slice(0, 60)}`);
    }
  }
  return cut;
}
