import type { Endpoint } from '@lontar/shared/endpoints.ts';

/** One request that the operator tries. The key is kept in memory only. */
export interface Trial {
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly temperature: number;
  readonly prompt: string;
}

/** What came back. */
export interface TrialAnswer {
  readonly status: number;
  /** The masked answer; absent when there was none. */
  readonly text?: string;
  /** What the error says. */
  readonly problem?: string;
  /** Values masked. */
  readonly masked: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Whole body, for those who want to see it. */
  readonly body: string;
}

/** Longest answer that is rendered as Markdown, characters; beyond, a browser would stall. */
export const RENDERED_CHARACTERS = 100_000;
/** Headers worth showing, in this order; the rest is the browser's business. */
const SHOWN_HEADERS = [
  'x-request-id',
  'x-masked',
  'x-model',
  'x-finish-reason',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
  'retry-after',
  'content-type',
];

/** The body that is sent; the key goes into a header, where it stays out of logs. */
export function trialBody({ prompt, model, temperature }: Omit<Trial, 'key' | 'endpoint'>): string {
  return JSON.stringify({ prompt, model, temperature });
}

/** The same call as curl, for a POSIX shell. The key stands as `$LONTAR_KEY`, so that no key lands in a history. */
export function curlLine(trial: Omit<Trial, 'key'>, origin: string): string {
  return [
    `curl '${origin}${trial.endpoint}' \\`,
    '  -H "Authorization: Bearer $LONTAR_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(trialBody(trial))}`,
  ].join('\n');
}

/** Reads an answer of the gateway. */
export function readAnswer(status: number, headers: Headers, body: string): TrialAnswer {
  const shown = SHOWN_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const masked = Number(headers.get('x-masked') ?? 0) || 0;
  const parsed = parseBody(body);
  const answer = { status, masked, headers: shown, body };
  if (status === 200 && typeof parsed.result === 'string') return { ...answer, text: parsed.result };
  const said = typeof parsed.message === 'string' ? parsed.message : 'The answer is not in the form of Lontar.';
  return { ...answer, problem: said };
}

function parseBody(body: string): { result?: unknown; message?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
