import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a change is asked for by a page of this origin, or by no page at all (curl). SameSite=Strict says the same;
 * this holds where a browser sends the cookie all the same, as between ports of one host. Browsers tell the site over
 * TLS and to localhost alone, the origin everywhere.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  // No page can forge it, and it is right behind a proxy that rewrites Host, too.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || isOriginOf(headers.origin, headers.host ?? '');
}

/**
 * Whether an Origin header names the host of a Host header; `null`, the origin of sandboxed frames, names none. The
 * scheme is the caller's own, because a proxy in front may have ended TLS.
 */
function isOriginOf(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.host !== '' && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}
