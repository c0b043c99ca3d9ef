import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import { effect } from '@preact/signals';
import { connection, troubles } from '../live/live-state.ts';

const LEAF_WITH_MARK = new URL('./leaf-trouble.svg', import.meta.url).href;

/** What the tab says of it, so that an operator who looks at another page sees it too. */
export function titleOf(found: readonly Trouble[], isCutOff: boolean): string {
  if (isCutOff) return '✕ No data · Lontar';
  if (found.length === 0) return 'Lontar';
  const word = found.some(({ isDown }) => isDown) ? '✕ Down' : '▲ Trouble';
  return `${word}${found.length > 1 ? ` (${found.length})` : ''} · Lontar`;
}

/** Keeps the tab's title and icon with what is wrong, as long as the page is open. */
export function showInTab(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const usual = icon?.href ?? '';
  effect(() => {
    const isCutOff = connection.value === 'disconnected';
    document.title = titleOf(troubles.value, isCutOff);
    const wanted = isCutOff || troubles.value.length > 0 ? LEAF_WITH_MARK : usual;
    if (icon && icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted);
  });
}
