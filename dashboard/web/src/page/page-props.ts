import type { setQuery } from './place.ts';

/** What a page gets: what of it is shown, as the address says, and how to change that. */
export interface PageProps {
  readonly query: URLSearchParams;
  readonly setQuery: typeof setQuery;
}
