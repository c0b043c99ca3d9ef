import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { createTally, type Tally } from './tally.ts';

const MEGABYTE = 1024 * 1024;
/**
 * The stream holds at most 64 MB of Redis's memory while stats-service is away. Texts go first: they fill half of it at
 * most. Redis rounds up what it allocates, by a quarter at worst.
 */
const STREAM_WITHOUT_TEXTS_BYTES = 24 * MEGABYTE;
const STREAM_FULL_BYTES = 48 * MEGABYTE;
/** Repeats that wait in Redis for stats-service, and distinct people; about 1 MB each. */
const TALLY_FIELDS = 2_000;
const TALLY_PEOPLE = 10_000;
const PRODUCER_EXPIRY_MS = 24 * 3_600_000;

/** An event that waits to be sent. */
export interface Pending {
  /** Without its texts. */
  readonly event: RequestEvent;
  /** JSON, or empty. */
  readonly texts: string;
  acknowledge(): void;
}

/** What is sent at once, and repeated under its number until Redis has it. */
export interface Batch {
  readonly number: number;
  readonly events: readonly Pending[];
  /** Absent as a rule: nothing was refused over and over, and there was room for all. */
  readonly tally?: Tally | undefined;
  acknowledge(): void;
}

/** The batch in the form that append-events.lua takes. */
export function argumentsOf({ number, events, tally }: Batch): (string | number)[] {
  const args: (string | number)[] = [
    number,
    PRODUCER_EXPIRY_MS,
    STREAM_WITHOUT_TEXTS_BYTES,
    STREAM_FULL_BYTES,
    TALLY_FIELDS,
    TALLY_PEOPLE,
    events.length,
    tally?.repeats.size ?? 0,
    tally?.counters.size ?? 0,
  ];
  for (const { event, texts } of events) args.push(JSON.stringify(event), texts);
  if (!tally) return args;
  for (const [field, { count }] of tally.repeats) args.push(field, count);
  for (const [field, amount] of tally.counters) args.push(field, amount);
  for (const [member, at] of tally.people) args.push(member, at);
  return args;
}

/** The same batch with counters in place of its events, its repeats, or both, for which Redis has no room. */
export function asCounters(batch: Batch, what: { readonly events: boolean; readonly repeats: boolean }): Batch {
  const tally = batch.tally ?? createTally();
  if (what.repeats) tally.countRepeats();
  if (!what.events) return { ...batch, tally };
  for (const { event } of batch.events) tally.addCounted(event);
  return { ...batch, events: [], tally };
}
