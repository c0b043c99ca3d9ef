import { limitAddress } from '@lontar/shared/address.ts';
import { CLIENT_ADDRESS_HEADER } from '@lontar/shared/inner-headers.ts';
import type { Request } from 'express';

/** What a handler knows of a request. */
export interface Asked {
  /** Canonical address of the caller, as the gateway gave it. */
  readonly address: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** `If-Match` and `Idempotency-Key`, as they came. */
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  /** Parsed JSON; only where a method has a body. */
  readonly body: unknown;
  /** Cookies of the request, raw. */
  readonly cookie: string;
  /** `Authorization: Bearer`; empty where there is none. The gateway hands it on for the operator's paths and the admin API alone. */
  readonly bearer: string;
  /** Whether the browser reached the gateway over TLS. */
  readonly secure: boolean;
  readonly lastEventId?: string;
  /** The browser loads ahead: its user has not asked yet. HEAD counts as such. */
  readonly ahead: boolean;
}

/** Reads what the handlers need out of a request, whose body has been parsed where it has one. */
export function readAsked(request: Request): Asked {
  const header = (name: string) => String(request.headers[name] ?? '');
  const query = new URLSearchParams(request.url.split('?', 2)[1]);
  const [ifMatch, idempotencyKey] = [header('if-match'), header('idempotency-key')];
  const lastEventId = header('last-event-id') || query.get('after');
  return {
    address: header(CLIENT_ADDRESS_HEADER) || limitAddress(request.socket.remoteAddress ?? ''),
    query,
    params: request.params as Record<string, string>,
    body: request.body,
    cookie: header('cookie'),
    bearer: /^Bearer +(\S+)$/i.exec(header('authorization'))?.[1] ?? '',
    secure: header('x-forwarded-proto') === 'https',
    ahead: request.method === 'HEAD' || /prefetch|prerender|preview/.test(header('sec-purpose') + header('purpose')),
    ...(ifMatch ? { ifMatch } : {}),
    ...(idempotencyKey ? { idempotencyKey } : {}),
    ...(lastEventId ? { lastEventId } : {}),
  };
}

/**
 * Whether a request's path is what it seems to be: the gateway has judged it as it was written. Not so where it would have
 * to be resolved first (dot segments, backslashes, an origin in front) or decoded; no path of ours has to.
 */
export function isAsWritten(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return !path.includes('%') && URL.parse(target, 'http://stats-service')?.pathname === path;
}
