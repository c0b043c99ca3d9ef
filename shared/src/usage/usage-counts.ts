import type { Outcome } from '../request-event.ts';

/**
 * What is counted of the generation requests of one API key, UTC day and model, in the order in which it is stored. New
 * counts go to the end.
 */
export const USAGE_COUNTS = [
  /** Answered requests, whatever the answer: the sum of the successes and all kinds of errors below. */
  'requests',
  'successes',
  /** Tokens as the upstream said, or estimated where it did not. */
  'promptTokens',
  'completionTokens',
  /** Answers in which anything was masked. */
  'masked',
  /** How many of the tokens, prompt and completion together, are estimated. */
  'estimatedTokens',
  /** Requests whose callers left, and paid: they had no answer, so they are not among `requests`. */
  'left',
  'clientErrors',
  'rateLimited',
  'serverErrors',
  'timeouts',
  'contentBlocked',
  'blocked',
  'shed',
  'unauthorized',
] as const;
export type UsageCount = (typeof USAGE_COUNTS)[number];
export type UsageCounts = Readonly<Record<UsageCount, number>>;

/** Counts by what a request ended with. */
export const COUNT_OF_OUTCOME: Readonly<Record<Outcome, UsageCount>> = {
  success: 'successes',
  client_error: 'clientErrors',
  unauthorized: 'unauthorized',
  rate_limited: 'rateLimited',
  blocked: 'blocked',
  content_blocked: 'contentBlocked',
  timeout: 'timeouts',
  shed: 'shed',
  server_error: 'serverErrors',
};

/** The counts that are errors of some kind. */
export const USAGE_ERRORS = Object.values(COUNT_OF_OUTCOME).filter((count) => count !== 'successes');

/** Stands for a key, in usage: all requests; those without a valid key; those of keys that were not told one by one. */
export const ALL_KEYS = 'all';
export const NO_KEY = 'none';
export const OTHER_KEYS = 'others';

/** Stands for a model: of requests that were refused before one was asked, and of more models than a day keeps. */
export const NO_MODEL = '-';
export const OTHER_MODELS = 'other models';

/** Days for which usage is kept. */
export const USAGE_DAYS = 400;

/** Counts as they are stored: numbers in the order of `USAGE_COUNTS`, without zeros at the end. */
export function packCounts(counts: ReadonlyMap<UsageCount, number>): string {
  const numbers = USAGE_COUNTS.map((name) => counts.get(name) ?? 0);
  const last = numbers.findLastIndex((number) => number !== 0);
  return numbers.slice(0, last + 1).join(',');
}

/** @param text of this version or a later one, whose further counts are left out */
export function unpackCounts(text: string): UsageCounts {
  const numbers = text.split(',').map((number) => Number(number) || 0);
  return Object.fromEntries(USAGE_COUNTS.map((name, index) => [name, numbers[index] ?? 0])) as UsageCounts;
}

export function addCounts(sum: UsageCounts, more: UsageCounts): UsageCounts {
  return Object.fromEntries(USAGE_COUNTS.map((name) => [name, sum[name] + more[name]])) as UsageCounts;
}

export const NO_USAGE: UsageCounts = unpackCounts('');
