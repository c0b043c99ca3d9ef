import { KEY_STATES, type KeyState } from '@lontar/shared/keys/key-query.ts';

export const SORTS = ['created', 'created.up', 'name.up', 'name', 'used', 'used.up'] as const;
export type Sort = (typeof SORTS)[number];
const USUAL: Sort = 'created';

/** Which keys are shown, as the address says. */
export interface ShownKeys {
  readonly search: string;
  readonly owner: string;
  readonly state: KeyState | '';
  readonly sort: Sort;
  readonly cursor: string;
  /** For the reader alone: cursors lead on, and none says how far. */
  readonly page: number;
}

/** Reads what an address asks for; what makes no sense is left out. */
export function readShown(query: URLSearchParams): ShownKeys {
  const page = Number(query.get('page'));
  return {
    search: (query.get('q') ?? '').slice(0, 200),
    owner: (query.get('owner') ?? '').slice(0, 100),
    state: KEY_STATES.find((known) => known === query.get('state')) ?? '',
    sort: SORTS.find((known) => known === query.get('sort')) ?? USUAL,
    cursor: query.get('cursor') ?? '',
    page: Number.isInteger(page) && page > 1 && page < 1e6 ? page : 1,
  };
}

/** The same for the admin API. A search has an order of its own, and so have the keys of one owner. */
export function listPath({ search, owner, state, sort, cursor }: ShownKeys): string {
  const [by = 'created', up] = sort.split('.');
  const isSorted = search.trim() === '' && owner === '';
  const asked = {
    search: search.trim(),
    owner,
    state,
    sort: isSorted ? by : '',
    descending: isSorted && up === undefined ? 'true' : '',
    cursor,
    use: 'true',
  };
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
  return `/keys?${query.toString()}`;
}

/** Whether anything but an order was asked for. */
export function isFiltered({ search, owner, state }: ShownKeys): boolean {
  return search.trim() !== '' || owner !== '' || state !== '';
}
