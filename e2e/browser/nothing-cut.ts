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

/**
 * Runs in the page; of fields it judges the hint, and what is chosen. What scrolls shows all of its text; what hides what does not fit cuts it, and what does neither lets its
 * text run over what stands beside it.
 */
export function findCut(): string[] {
  const cut = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the screen'] : [];
  const root = document.querySelector('dialog[open]') ?? document.body;
  const nameOf = (element: Element) =>
    `${element.getAttribute('class') ?? element.tagName}: ${element.textContent?.trim().slice(0, 60) ?? ''}`;
  for (const element of root.querySelectorAll<HTMLElement>('*')) {
    const { overflowX, position } = getComputedStyle(element);
    const hides = overflowX === 'hidden' || overflowX === 'clip';
    // Columns that a reader has to scroll for are as good as cut off; the tables behind charts alone have some.
    if (element.matches('.scroll-x') && element.scrollWidth > element.clientWidth + 1) {
      cut.push(`columns are out of sight: ${nameOf(element)}`);
    }
    const isFar = position === 'fixed' || element.clientWidth <= 1 || element.title !== '';
    if (hides && !isFar && element.innerText.trim() !== '' && element.scrollWidth > element.clientWidth + 1) {
      cut.push(nameOf(element));
    }
  }
  const pen = document.createElement('canvas').getContext('2d');
  const arrow = 16;
  for (const field of root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input[placeholder], select')) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const isSelect = field instanceof HTMLSelectElement;
    const text = isSelect ? (field.selectedOptions[0]?.text ?? '') : field.value === '' ? field.placeholder : '';
    if (pen === null || field.clientWidth <= 1) continue;
    pen.font = font;
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - (isSelect ? arrow : 0);
    if (pen.measureText(text).width > room + 1) cut.push(`does not fit its field: ${text}`);
  }
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: parent, data } = texts.currentNode as Text;
    if (parent === null || data.trim() === '' || parent.closest('svg, option, [hidden], .off-screen') !== null)
      continue;
    let block: Element = parent;
    while (getComputedStyle(block).display.startsWith('inline') && block.parentElement !== null)
      block = block.parentElement;
    const { overflowX } = getComputedStyle(block);
    // What hides was judged above.
    if (block.clientWidth <= 1 || overflowX !== 'visible') continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const box = block.getBoundingClientRect();
    const runsOver = [...range.getClientRects()].some(
      ({ left, right }) => right > box.right + 2 || left < box.left - 2,
    );
    if (runsOver) cut.push(`runs over: ${nameOf(block)}`);
  }
  return cut;
}
