import type { IncomingHttpHeaders } from 'node:http';

/** What the SDK and the retry policy look at; the rest would only be copied. */
const KEPT_HEADERS = ['content-type', 'date', 'retry-after', 'retry-after-ms'] as const;

/**
 * An answer that is here as a whole, in the form that the model SDK reads: status, headers, and a body with a reader. A
 * real `Response` would stream bytes that are all here, at a tenth of what the worker spends on a call.
 *
 * Stands in for the platform's `Response`: checked with @ai-sdk/google 4.0.121.
 * The canary is whole-response.test.ts in worker/src/model, which alone knows the SDK.
 */
export function wholeResponse(status: number, headers: IncomingHttpHeaders, bytes: Uint8Array): Response {
  const kept = new Map<string, string>();
  for (const name of KEPT_HEADERS) {
    const value = headers[name];
    if (value !== undefined) kept.set(name, String(value));
  }
  let unread: Uint8Array | undefined = bytes.byteLength > 0 ? bytes : undefined;
  const reader = {
    read() {
      const value = unread;
      unread = undefined;
      return Promise.resolve({ done: value === undefined, value });
    },
    cancel: () => Promise.resolve(),
    releaseLock: () => undefined,
  };
  const body = { getReader: () => reader, cancel: () => Promise.resolve() };
  const response = { status, statusText: '', ok: status >= 200 && status < 300, headers: kept, body };
  return response as unknown as Response;
}
