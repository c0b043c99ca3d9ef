import type { Answer } from '../envelope/answer.ts';
import { renderError } from './render-error.ts';

/** Some clients try again at once, and twice, whatever `Retry-After` says beyond this, seconds. */
const LONGEST_WAIT_SECONDS = 60;

/** What is known beside an answer when it is rendered. */
export interface AnswerCircumstances {
  /** A header that the response carries already: the limits of requests that were counted before. */
  readonly headerOf: (name: string) => unknown;
  /** Redis time, Unix ms. */
  readonly now: number;
  /** Of one request. */
  readonly mostOutputTokens: number;
}

/** An answer as `/v1` gives it: errors in OpenAI's form, and the limits under OpenAI's names beside ours. */
export function renderAnswer(answer: Answer, about: AnswerCircumstances): Answer {
  const limits = limitHeaders(answer, about);
  if (answer.problem === undefined) return { ...answer, headers: { ...answer.headers, ...limits } };
  const { status, headers, isFinal, body } = renderError(answer.problem);
  // promptfoo takes whatever says that 0 are left for a limit that time renews, and waits for minutes.
  if (isFinal) return { ...answer, status, headers: { ...withoutLimits(answer.headers), ...headers }, body };
  const { 'Retry-After': retryAfter, ...others } = answer.headers;
  const isWorthWaiting = retryAfter !== undefined;
  const isTooLong = isWorthWaiting && Number(retryAfter) > LONGEST_WAIT_SECONDS;
  return {
    ...answer,
    status,
    headers: {
      ...others,
      ...limits,
      ...headers,
      ...(isWorthWaiting && { 'Retry-After': retryAfter }),
      ...(isTooLong && { 'x-should-retry': 'false' }),
    },
    body,
  };
}

function withoutLimits(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ABOUT_LIMITS.test(name)));
}

const ABOUT_LIMITS = /^(?:(?:X-)?RateLimit|Retry-After)/i;

/**
 * The limit that binds soonest under OpenAI's names, made of our own headers, see `rateLimitHeaders`. No limit counts
 * tokens: what is said of them is the most that the requests which are left may be answered with.
 */
function limitHeaders(
  { headers }: Pick<Answer, 'headers'>,
  { headerOf, now, mostOutputTokens }: AnswerCircumstances,
): Record<string, string> {
  const ours = (name: string) => headers[name] ?? headerOf(name);
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((what) => ours(`X-RateLimit-${what}`));
  if (typeof limit !== 'string' || typeof remaining !== 'string') return {};
  // Credits have none.
  const resetIn = typeof reset === 'string' ? duration(Math.max(0, Number(reset) * 1_000 - now)) : undefined;
  return {
    'x-ratelimit-limit-requests': limit,
    'x-ratelimit-remaining-requests': remaining,
    'x-ratelimit-limit-tokens': String(Number(limit) * mostOutputTokens),
    'x-ratelimit-remaining-tokens': String(Number(remaining) * mostOutputTokens),
    ...(resetIn !== undefined && { 'x-ratelimit-reset-requests': resetIn, 'x-ratelimit-reset-tokens': resetIn }),
  };
}

/** `12ms`, `8s`, `6m0s`, `3h0m0s`: as OpenAI writes it. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const rest = `${seconds % 60}s`;
  if (minutes === 0) return rest;
  return hours === 0 ? `${minutes}m${rest}` : `${hours}h${minutes % 60}m${rest}`;
}
