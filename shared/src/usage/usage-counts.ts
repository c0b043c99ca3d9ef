import { utcDay } from '../event-counts.ts';
import { isAnswer, isGenerationRoute, type Outcome, type RequestEvent } from '../request-event.ts';

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
const OF_OUTCOME: Readonly<Record<Outcome, UsageCount>> = {
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
export const USAGE_ERRORS = Object.values(OF_OUTCOME).filter((count) => count !== 'successes');

/** Stands for a key, in usage: all requests; those without a valid key; those of keys that were not told one by one. */
export const ALL_KEYS = 'all';
export const NO_KEY = 'none';
export const OTHER_KEYS = 'others';

/** Stands for a model: of requests that were refused before one was asked, and of more models than a day keeps. */
export const NO_MODEL = '-';
export const OTHER_MODELS = 'other models';

/** Days for which usage is kept. */
export const USAGE_DAYS = 400;

const MOST_MODEL_CHARACTERS = 100;
/** No request has more, and a sum of such stays exact for longer than usage is kept. */
const MOST_TOKENS = 1_000_000_000;

/** What one request adds to the usage of its key. */
export interface UsageOfRequest {
  readonly day: string;
  readonly model: string;
  readonly counts: readonly (readonly [UsageCount, number])[];
}

/** @returns `undefined` for what is no request for generation */
export function usageOf(event: RequestEvent): UsageOfRequest | undefined {
  if (!isGenerationRoute(event.route)) return undefined;
  const { model = NO_MODEL, usage, masked } = event.generation ?? {};
  const counts: [UsageCount, number][] = [];
  const count = (name: UsageCount, amount: number) => {
    if (amount > 0) counts.push([name, amount]);
  };
  if (isAnswer(event)) {
    count('requests', 1);
    count(OF_OUTCOME[event.outcome], 1);
    // As the counters of the service have it: text that nobody got was not masked for anybody.
    const isMasked = Object.values(masked ?? {}).some((values) => values >= 0.5);
    if (event.outcome === 'success' && isMasked) count('masked', 1);
  } else count('left', 1);
  const [prompt, completion] = [whole(usage?.input), whole(usage?.output)];
  count('promptTokens', prompt);
  count('completionTokens', completion);
  if (usage?.isEstimated === true) count('estimatedTokens', prompt + completion);
  return { day: utcDay(event.at), model: model.slice(0, MOST_MODEL_CHARACTERS), counts };
}

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

function whole(tokens: number | undefined): number {
  return Math.min(Math.max(Math.round(tokens ?? 0) || 0, 0), MOST_TOKENS);
}
