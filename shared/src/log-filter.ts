import type { LogRow } from './dashboard-contract.ts';

/** What the reader of the log wants to see; absent fields let everything through. */
export interface LogFilter {
  readonly outcome?: string;
  readonly route?: string;
  readonly maskedOnly?: boolean;
  /** Text anywhere in the request's id, the key's, the key's name, or the caller's address. */
  readonly text?: string;
}

/** Names of the filter's fields in a URL's query. */
const FIELDS = { outcome: 'outcome', route: 'endpoint', maskedOnly: 'masked', text: 'id' } as const;

/** Values masked in a row's answer. */
export function maskedValues({ masked }: Pick<LogRow, 'masked'>): number {
  return masked === undefined ? 0 : masked.url + masked.key + masked.ip + masked.connection;
}

export function passesFilter(row: LogRow, filter: LogFilter): boolean {
  if (filter.outcome !== undefined && row.outcome !== filter.outcome) return false;
  if (filter.route !== undefined && row.route !== filter.route) return false;
  if (filter.maskedOnly && maskedValues(row) === 0) return false;
  if (filter.text === undefined) return true;
  const wanted = filter.text.toLowerCase();
  return [row.id, row.keyId, row.keyName, row.address].some((text) => text?.toLowerCase().includes(wanted));
}

/** Reads a filter out of a query; unknown values are kept and simply match nothing. */
export function readFilter(query: URLSearchParams): LogFilter {
  const value = (name: string) => query.get(name)?.slice(0, 100) || undefined;
  const [outcome, route, text] = [value(FIELDS.outcome), value(FIELDS.route), value(FIELDS.text)];
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...(route === undefined ? {} : { route }),
    ...(query.get(FIELDS.maskedOnly) === '1' ? { maskedOnly: true } : {}),
    ...(text === undefined ? {} : { text }),
  };
}

/** Writes a filter into a query, in place of the one that it held. */
export function writeFilter(filter: LogFilter, query: URLSearchParams): void {
  for (const name of Object.values(FIELDS)) query.delete(name);
  if (filter.outcome) query.set(FIELDS.outcome, filter.outcome);
  if (filter.route) query.set(FIELDS.route, filter.route);
  if (filter.maskedOnly) query.set(FIELDS.maskedOnly, '1');
  if (filter.text) query.set(FIELDS.text, filter.text);
}
