import type { Page } from 'playwright-core';
import { axeViolations } from '../look-at.ts';
import { findCut } from '../nothing-cut.ts';

/** A look: how wide, and in which theme. */
export interface Look {
  readonly width: number;
  readonly theme: 'light' | 'dark';
}

export const ALL_LOOKS: readonly Look[] = [390, 768, 1280, 1920].flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
);

/** Widths at which one theme is enough for assistive programs: colours do not differ by the width, nor the layout by the theme. */
const AXE_THEMES: ReadonlyMap<number, Look['theme']> = new Map([
  [768, 'light'],
  [1920, 'dark'],
]);

/**
 * Looks at a page as it stands: nothing wider than the screen, no text cut, no violation of accessibility.
 *
 * @param folder where pictures go; none are taken where it is absent
 * @returns what is wrong, each with the look in which it is
 */
export async function lookEverywhere(
  page: Page,
  name: string,
  looks: readonly Look[],
  folder: string | undefined,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { width, theme } of looks) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    const look = `${name}-${theme}-${width}`;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${look}.png` });
    const found = await page.evaluate(findCut);
    if (looks.length === 1 || (AXE_THEMES.get(width) ?? theme) === theme) found.push(...(await axeViolations(page)));
    wrong.push(...found.map((what) => `${look}: ${what}`));
  }
  return wrong;
}
