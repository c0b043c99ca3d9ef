import type { EVENT_REDUCTIONS } from '@lontar/shared/gateway-metrics.ts';
import { isThinned, type ReportedEvent, type RequestEvent } from '@lontar/shared/request-event.ts';
import { createTokenBucket, type TokenBucket } from '@lontar/shared/token-bucket.ts';
import type { Batch, Pending } from './batch.ts';
import { createRepeats } from './repeats.ts';
import { createTally, type Tally } from './tally.ts';

const MEGABYTE = 1024 * 1024;
/** Events of one batch, and their bytes, at most. */
const BATCH = 500;
const BATCH_BYTES = 4 * MEGABYTE;
/** What waits in this process's memory while Redis is away: from here on without texts, and from there on as counters. */
const WITHOUT_TEXTS_BYTES = 16 * MEGABYTE;
const FULL_BYTES = 32 * MEGABYTE;
/**
 * Requests whose texts are sent for the log, which keeps those of its newest thousand rows: a burst of as many loses none. At a
 * higher pace each would push out another one before somebody has opened its row, and would still be written to Redis twice;
 * between bursts each stays for 20 seconds, with one gateway.
 */
const TEXTS = { atOnce: 1_000, perSecond: 50 };
/** What an event without texts takes in memory until it is sent, bytes. */
const EVENT_BYTES = 1_000;
/** Repeats of one kind in one second that are sent at once; a flood's are gathered for a moment. */
const SENT_AT_ONCE = 20;

/** Called with the number of events that could not be sent whole, and what was left out. */
export type OnReduced = (leftOut: (typeof EVENT_REDUCTIONS)[number], events: number) => void;

/** What a gateway has to report to the statistics, bounded in bytes, and complete in its counts. */
export interface WaitingEvents {
  /** Requests that wait. */
  readonly requests: number;
  /** Whether there is something to send now. */
  readonly isDue: boolean;
  /**
   * @returns resolves when the event has been sent; and whether it may be gathered with others for a moment before
   */
  add(event: ReportedEvent): { readonly sent: Promise<void>; readonly mayWait: boolean };
  /** Lets what was gathered go with the next batch. */
  endGathering(): void;
  take(number: number): Batch;
}

export function createWaitingEvents(
  onReduced: OnReduced,
  texts: TokenBucket = createTokenBucket(TEXTS),
): WaitingEvents {
  const standInFor = createRepeats();
  let pending: Pending[] = [];
  let bytes = 0;
  let tally = openTally();
  let tallyDue = false;

  /** Events as they are where there is room for them, refusals that repeat one and what finds no room as numbers. */
  const addAsNumber = (event: RequestEvent) => {
    const standIn = isThinned(event) ? standInFor(event) : undefined;
    if (standIn) tally.content.addRepeat(standIn.event, event);
    else if (bytes < FULL_BYTES) return undefined;
    else {
      onReduced('row', 1);
      tally.content.addCounted(event);
    }
    const mayWait = standIn !== undefined && standIn.repeats > SENT_AT_ONCE;
    tallyDue ||= !mayWait;
    return { sent: tally.sent, mayWait };
  };

  const hasRoomForTexts = () => {
    const hasRoom = bytes < WITHOUT_TEXTS_BYTES;
    if (!hasRoom) onReduced('texts', 1);
    return hasRoom;
  };

  return {
    get requests() {
      return pending.length + tally.content.requests;
    },
    get isDue() {
      return pending.length > 0 || (tallyDue && tally.content.size > 0);
    },
    add(event) {
      const lean = withoutTexts(event);
      const asNumber = addAsNumber(lean);
      if (asNumber) return asNumber;
      const sendsTexts = hasTexts(event) && hasRoomForTexts() && texts.take();
      const sent = new Promise<void>((acknowledge) => {
        const entry = { event: lean, texts: sendsTexts ? textsOf(event) : '', acknowledge };
        pending.push(entry);
        bytes += sizeOf(entry);
      });
      return { sent, mayWait: false };
    },
    endGathering() {
      tallyDue = true;
    },
    take(number) {
      const length = batchLength(pending);
      const events = pending.slice(0, length);
      pending = pending.slice(length);
      for (const event of events) bytes -= sizeOf(event);
      if (!tallyDue || tally.content.size === 0) return { number, events, acknowledge: nothing };
      const { content, acknowledge } = tally;
      [tally, tallyDue] = [openTally(), false];
      // An event goes with the numbers: it wakes stats-service, and the stream is not empty while anything is uncounted.
      const event = content.takeOne();
      if (event) events.push({ event, texts: '', acknowledge: nothing });
      return { number, events, tally: content, acknowledge };
    },
  };
}

const nothing = () => undefined;

/** A tally, and a promise for all whose requests are in it. */
function openTally(): { content: Tally; sent: Promise<void>; acknowledge: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { content: createTally(), sent: promise, acknowledge: resolve };
}

/** How many of the events that wait make the next batch: at least one, of a bounded number and size. */
function batchLength(pending: readonly Pending[]): number {
  let bytes = 0;
  for (const [index, event] of pending.entries()) {
    bytes += sizeOf(event);
    if (index === BATCH || (index > 0 && bytes > BATCH_BYTES)) return index;
  }
  return pending.length;
}

/** Bytes in memory, at most: a character takes two where the text holds any outside Latin-1. */
function sizeOf({ texts }: Pending): number {
  return EVENT_BYTES + 2 * texts.length;
}

/** An event without its texts, which stand apart, so that they can be left out wherever there is no room for them. */
function withoutTexts(event: ReportedEvent): RequestEvent {
  const { generation: whole, ...others } = event;
  if (whole === undefined) return others;
  const { promptPreview: _prompt, answerPreview: _answer, ...generation } = whole;
  return { ...others, generation };
}

function hasTexts({ generation }: ReportedEvent): boolean {
  return generation?.promptPreview !== undefined || generation?.answerPreview !== undefined;
}

/** Its texts as JSON, see `EventTexts`. */
function textsOf({ generation }: ReportedEvent): string {
  return JSON.stringify({ prompt: generation?.promptPreview, answer: generation?.answerPreview });
}
