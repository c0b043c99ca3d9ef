import type { IncomingHttpHeaders } from 'node:http';

/** How OpenAI's clients say how long they wait, in seconds; the second one for any silence. */
const HEADERS = ['x-stainless-timeout', 'x-stainless-read-timeout'] as const;
const SECONDS = /^\d{1,9}(?:\.\d{1,9})?$/;

/** How long a client says that it waits for its answer, ms; `undefined` where it does not, or in a way nobody can keep. */
export function patienceOf(headers: IncomingHttpHeaders): number | undefined {
  const given = HEADERS.flatMap((name) => {
    const value = headers[name];
    const ms = typeof value === 'string' && SECONDS.test(value.trim()) ? Number(value) * 1_000 : 0;
    return ms > 0 ? [ms] : [];
  });
  return given.length > 0 ? Math.min(...given) : undefined;
}
