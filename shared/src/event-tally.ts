import { z } from 'zod';
import { countEvent, userOf, utcDay } from './event-counts.ts';
import { isAnswer, isGenerationRoute, type RequestEvent, requestEventSchema } from './request-event.ts';
import { NO_KEY, OTHER_KEYS, USAGE_COUNTS, type UsageCount } from './usage/usage-counts.ts';
import { usageOf } from './usage/usage-of-request.ts';

/**
 * The tally: requests that reach the statistics as numbers, because they are too many to be read one by one. It is a
 * hash in Redis, field to how many, beside the stream of events: a stats-service that does not know it yet leaves it
 * alone, so that nothing in it is lost while versions change. A field is either
 *
 * - a repeat: the event that further requests are like in everything that is counted, and shown as;
 * - a counter of one UTC day, of a key's usage, or of the metric of recorded requests: requests of which nothing else is
 *   kept.
 */
export type TallyField =
  | { readonly kind: 'repeat'; readonly event: RequestEvent }
  | { readonly kind: 'day' | 'response-times'; readonly day: string; readonly field: string }
  | {
      readonly kind: 'usage';
      readonly day: string;
      readonly key: string;
      readonly model: string;
      readonly count: UsageCount;
    }
  | { readonly kind: 'recorded'; readonly route: string; readonly outcome: RequestEvent['outcome'] };

/** A caller whose requests are counted as numbers, for the counts of distinct people. */
export interface TallyPerson {
  readonly day: string;
  readonly user: string;
  readonly address: string;
}

const counterSchema = z.union([
  z.tuple([z.enum(['day', 'response-times']), z.string().regex(/^\d{4}-\d\d-\d\d$/), z.string().max(100)]),
  z.tuple([
    z.literal('usage'),
    z.string().regex(/^\d{4}-\d\d-\d\d$/),
    z.string().regex(/^(?:none|others|[0-9A-Za-z]{10})$/),
    z.string().max(100),
    z.enum(USAGE_COUNTS),
  ]),
  z.tuple([z.literal('recorded'), z.string(), requestEventSchema.shape.outcome]),
]);

/** Stands for the address of requests that are counted together, whichever caller made them. */
export const OTHER_ADDRESSES = 'other addresses';

/** The field of further requests like this one; not of a request that a worker had: each of those has an event. */
export function repeatField(event: RequestEvent): string {
  return JSON.stringify(event);
}

/**
 * The counters of one request, for requests of which no more can be kept: exact, but for the charts' points of ten
 * seconds, which would be too many.
 */
export function counterFields(event: RequestEvent, add: (field: string, amount: number) => void): void {
  if (!isAnswer(event)) return;
  const day = utcDay(event.at);
  countEvent(event, (scope, field, amount) => {
    if (scope !== 'moment' && amount > 0) add(JSON.stringify([scope, day, field]), amount);
  });
  add(JSON.stringify(['recorded', event.route, event.outcome]), 1);
}

/** The counters of one request in its key's usage; of a caller who left as well. */
export function usageFields(event: RequestEvent, add: (field: string, amount: number) => void): void {
  const usage = usageOf(event);
  if (usage === undefined) return;
  const { day, model, counts } = usage;
  for (const [count, amount] of counts) add(JSON.stringify(['usage', day, usageKeyOf(event), model, count]), amount);
}

/** Whose usage a request is: its key's, nobody's, or that of keys which are not told one by one. */
export function usageKeyOf({ keyId, address }: Pick<RequestEvent, 'keyId' | 'address'>): string {
  return keyId ?? (address === OTHER_ADDRESSES ? OTHER_KEYS : NO_KEY);
}

/** @returns `undefined` for what has neither form */
export function parseTallyField(text: string): TallyField | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(given)) {
    const event = requestEventSchema.safeParse(given);
    return event.success ? { kind: 'repeat', event: event.data } : undefined;
  }
  const counter = counterSchema.safeParse(given);
  if (!counter.success) return undefined;
  if (counter.data[0] === 'usage') {
    const [kind, day, key, model, count] = counter.data;
    return { kind, day, key, model, count };
  }
  const [kind, of, what] = counter.data;
  if (kind === 'recorded') return { kind, route: of, outcome: what };
  return { kind, day: of, field: what };
}

/** Who made a request, as a member of the set of people; `undefined` where people are not counted. */
export function personMember(event: RequestEvent): string | undefined {
  if (!isAnswer(event)) return undefined;
  return isGenerationRoute(event.route) ? `${utcDay(event.at)} ${userOf(event)} ${event.address}` : undefined;
}

export function parsePerson(member: string): TallyPerson | undefined {
  const [day = '', user = '', address, ...rest] = member.split(' ');
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || address === undefined || rest.length > 0) return undefined;
  return { day, user, address };
}
