import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a browser says that a page of another site made the request. Who opened that page has not chosen the key in
 * it, so a bad one is not counted against the address. To forge the header wins nothing: the address's hour counts all.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'cross-site';
}

/**
 * Whether a page of another site made the request for an answer that it cannot read: an image, a script, a form in the
 * background. No person would see the text, and the key would be charged for it.
 */
export function isUnreadable(headers: IncomingHttpHeaders): boolean {
  return isCrossSite(headers) && headers['sec-fetch-mode'] === 'no-cors';
}
