import { signal } from '@preact/signals';

/** Where the reader is: a page, and what of it is shown. In the address it stands behind the `#`: `#/keys?state=active`. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Changes of a page's query: an empty or absent value takes its name away. */
export type QueryChanges = Readonly<Record<string, string | undefined>>;

/** How a step is kept: a replaced one is not gone back to. */
interface Step {
  readonly replace?: boolean;
}

export const place = signal<Place>(readPlace(globalThis.location?.hash || oldPlace(globalThis.location?.search ?? '')));

/** Reads the part of an address from its `#` on; what is no path is the first page. */
export function readPlace(hash: string): Place {
  const [path = '', ...query] = hash.slice(1).split('?');
  return { path: path.startsWith('/') ? path : '/', query: new URLSearchParams(query.join('?')) };
}

/** Addresses of before there were pages: the panel to try a request has become one. */
function oldPlace(search: string): string {
  return new URLSearchParams(search).has('try') ? '#/playground' : '';
}

/** The address of a place; panels and filters of the first page, which stand before the `#`, are left behind. */
export function addressOf(path: string, query = new URLSearchParams()): string {
  const text = query.toString();
  const hash = text === '' ? path : `${path}?${text}`;
  return hash === '/' ? '/' : `/#${hash}`;
}

/** Goes to a page. */
export function go(path: string, query?: URLSearchParams): void {
  step(addressOf(path, query), {});
}

/** Changes what of the page is shown. */
export function setQuery(changes: QueryChanges, how: Step = {}): void {
  const { path, query } = place.value;
  const wanted = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') wanted.delete(name);
    else wanted.set(name, value);
  }
  if (wanted.toString() !== query.toString()) step(location.search + addressOf(path, wanted).slice(1), how);
}

/** Back, forward and addresses that are typed in. */
export function followHistory(): void {
  addEventListener('popstate', () => {
    place.value = readPlace(location.hash);
  });
}

function step(address: string, { replace = false }: Step): void {
  const url = new URL(address, `${location.origin}/`);
  if (replace) history.replaceState(history.state, '', url);
  else if (url.href !== location.href) history.pushState(undefined, '', url);
  place.value = readPlace(url.hash);
}
