import type { MachineTime } from '@lontar/shared/machine-time.ts';
import { z } from 'zod';

/** Gemini's `google.rpc.RetryInfo`, one of the details of an error body. */
const retryInfo = z.object({ '@type': z.string().endsWith('/google.rpc.RetryInfo'), retryDelay: z.string() });
const errorDetails = z.object({ error: z.object({ details: z.array(z.unknown()) }) });

/**
 * How long an upstream wants no further request, ms: the longest of `retry-after-ms` (OpenAI, Azure), `Retry-After`
 * (RFC 9110: seconds or a date) and Gemini's RetryInfo; undefined where it did not say.
 *
 * @param headers by lower-case name
 * @param body parsed error body, of any shape
 *   A date is by the upstream's clock, and so is `date`, which says what that shows now.
 * @param now by this machine, for dates without one
 */
export function readRetryAfterMs(headers: Record<string, string>, body: unknown, now: MachineTime): number | undefined {
  const waits = [
    toMs(headers['retry-after-ms'], 1),
    toMs(headers['retry-after'], 1_000) ?? untilDateMs(headers['retry-after'], dateOf(headers['date']) ?? now),
    retryInfoMs(body),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function toMs(text: string | undefined, unitMs: number): number | undefined {
  return text !== undefined && /^\s*\d{1,12}(?:\.\d{1,9})?\s*$/.test(text)
    ? Math.ceil(Number(text) * unitMs)
    : undefined;
}

function untilDateMs(text: string | undefined, now: number): number | undefined {
  const date = dateOf(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

function dateOf(text: string | undefined): number | undefined {
  // Date.parse takes nearly anything ("-5" is a year); an HTTP date begins with the name of a day.
  if (text === undefined || !/^\s*[A-Z][a-z]{2}/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}

function retryInfoMs(body: unknown): number | undefined {
  for (const detail of errorDetails.safeParse(body).data?.error.details ?? []) {
    const parsed = retryInfo.safeParse(detail);
    if (parsed.success) return toMs(parsed.data.retryDelay.replace(/s$/, ''), 1_000);
  }
  return undefined;
}
