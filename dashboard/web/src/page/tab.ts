import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import { effect } from '@preact/signals';
import { connection, troubles } from '../live/live-state.ts';
import { shell } from '../words/shell.ts';
import { place } from './place.ts';
import { ROUTES } from './routes.ts';

const LEAF_WITH_MARK = new URL('./leaf-trouble.svg', import.meta.url).href;

/** What the tab says of it, so that an operator who looks at another page sees it too. */
export function titleOf(found: readonly Trouble[], isCutOff: boolean, page?: string): string {
  const name = page === undefined ? 'Lontar' : `${page} · Lontar`;
  const words = shell().tab;
  if (isCutOff) return `✕ ${words.noData} · ${name}`;
  if (found.length === 0) return name;
  const word = found.some(({ isDown }) => isDown) ? `✕ ${words.down}` : `▲ ${words.trouble}`;
  return `${word}${found.length > 1 ? ` (${found.length})` : ''} · ${name}`;
}

/** Keeps the tab's title and icon with what is wrong, as long as the page is open. */
export function showInTab(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const usual = icon?.href ?? '';
  effect(() => {
    const isCutOff = connection.value === 'disconnected';
    const page = ROUTES.find(({ path }) => path === place.value.path)?.title();
    document.title = titleOf(troubles.value, isCutOff, page);
    const wanted = isCutOff || troubles.value.length > 0 ? LEAF_WITH_MARK : usual;
    if (icon && icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted);
  });
}
