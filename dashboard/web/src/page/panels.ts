import { effect, signal } from '@preact/signals';
import { place } from './place.ts';

/** What lies over the page: a request's details, the blocked addresses, or a question. */
export type Panel =
  | { readonly kind: 'row'; readonly cursor: string }
  | { readonly kind: 'blocked'; readonly address?: string }
  | { readonly kind: 'reset' };

export const panel = signal<Panel | undefined>(readPanel(location.search));

/** The panel that an address names. Details have an address of their own. */
function readPanel(search: string): Panel | undefined {
  const cursor = new URLSearchParams(search).get('row');
  return cursor === null ? undefined : { kind: 'row', cursor };
}

export function openRow(cursor: string): void {
  show({ kind: 'row', cursor });
}

/** @param address one that is to be blocked */
export function openBlocked(address?: string): void {
  panel.value = { kind: 'blocked', ...(address === undefined ? {} : { address }) };
}

export function openReset(): void {
  panel.value = { kind: 'reset' };
}

export function closePanel(): void {
  panel.value = undefined;
  const url = panelUrl(undefined);
  if (url.href !== location.href) history.pushState(undefined, '', url);
}

/** Back, forward and the way to another page open and close panels. */
export function followPanels(): void {
  effect(() => {
    if (place.value) panel.value = readPanel(location.search);
  });
}

function show(wanted: Panel): void {
  panel.value = wanted;
  history.pushState(undefined, '', panelUrl(wanted));
}

function panelUrl(wanted: Panel | undefined): URL {
  const url = new URL(location.href);
  url.searchParams.delete('row');
  if (wanted?.kind === 'row') url.searchParams.set('row', wanted.cursor);
  return url;
}
