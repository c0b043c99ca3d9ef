import type { ServerResponse } from 'node:http';

/**
 * Lets go of the head of an answer that goes on for long, once it is out: thirty headers one by one, and the same as a text
 * that was never put together, are 9 KB.
 *
 * Sets `_header` and the property `kOutHeaders` of Node's response, which are read no more once `_headerSent` is set, but
 * for whether there are any: checked with Node 24.21.0. begun-heads.int.test.ts fails where that changes.
 */
export function letGoOfHead(response: ServerResponse): void {
  const begun = response as unknown as BegunResponse;
  if (!begun._headerSent) return;
  begun._header = SENT;
  const outHeaders = Object.getOwnPropertySymbols(response).find(({ description }) => description === 'kOutHeaders');
  if (outHeaders !== undefined) begun[outHeaders] = null;
}

/** Any text says that there was a head. */
const SENT = 'sent';

interface BegunResponse {
  _header: string;
  readonly _headerSent: boolean;
  [outHeaders: symbol]: unknown;
}
