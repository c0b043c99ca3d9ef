import { ERROR_CATALOG, type ErrorCode } from '@lontar/shared/errors.ts';

/** What a handler knows of a request. */
export interface Asked {
  /** Canonical address of the caller, as the gateway gave it. */
  readonly address: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON; only where a method has a body. */
  readonly body: unknown;
  /** Cookies of the request, raw. */
  readonly cookie: string;
  /** `Authorization: Bearer`; empty where there is none. The gateway hands it on for the operator's paths alone. */
  readonly bearer: string;
  /** Whether the browser reached the gateway over TLS. */
  readonly secure: boolean;
  readonly lastEventId?: string;
  /** The browser loads ahead: its user has not asked yet. HEAD counts as such. */
  readonly ahead: boolean;
}

/** What it answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: object | string | Buffer;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path; a part `:name` takes one segment. */
  readonly path: string;
  /** For Prometheus alone: for callers of the gateway it does not exist. */
  readonly inner?: true;
  readonly handle: (asked: Asked) => Promise<Answer> | Answer;
}

/** The envelope of a success. */
export function success(result: object): Answer {
  return { status: 200, body: { status: true, code: 200, message: 'Sukses', result } };
}

/** An error of the catalog, in the form that every endpoint uses. */
export function failure(code: ErrorCode, message?: string, headers: Record<string, string> = {}): Answer {
  const entry = ERROR_CATALOG[code];
  const body = { status: false, code: entry.status, message: message ?? entry.message, error: entry.label };
  const retry = entry.status === 503 ? { 'retry-after': '2' } : {};
  return { status: entry.status, headers: { ...retry, ...headers }, body };
}

/**
 * Finds the route of a request.
 *
 * @returns the route with the values of its named segments, or the methods that the path does take (none: no such path)
 */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly params: Record<string, string> } | { readonly allow: readonly string[] } {
  const allow: string[] = [];
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params === undefined) continue;
    if (route.method === method) return { route, params };
    allow.push(route.method);
  }
  return { allow };
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':') && value !== '') params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}
