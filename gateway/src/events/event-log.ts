import type { Logger } from '@lontar/shared/logger.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';

const appendScript = loadScript(new URL('./append-events.lua', import.meta.url));

const BATCH = 500;
/** Longest length of the stream; stats-service removes what it has applied. */
const STREAM_LENGTH = 200_000;
/** Events kept in memory while Redis is away. */
const MOST_PENDING = 20_000;
const PRODUCER_EXPIRY_MS = 24 * 3_600_000;
const RETRY_MS = 100;

/** Tells the statistics about answered requests, each exactly once. */
export interface EventLog {
  /**
   * Takes an event. Events go in batches, one batch at a time, and a batch is repeated under its number until Redis
   * acknowledges it; so a lost acknowledgement counts nothing twice.
   *
   * @returns resolves when the event is in the stream; never rejects
   */
  append(event: RequestEvent): Promise<void>;
  /** Sends what is pending, until the deadline. */
  stop(timeoutMs: number): Promise<void>;
}

interface Pending {
  readonly json: string;
  acknowledge(): void;
}

export interface EventLogDeps {
  readonly gateway: string;
  readonly redis: Redis;
  readonly logger: Logger;
  /** Called with the number of events that could not be kept. */
  readonly onDropped: (events: number) => void;
}

export function openEventLog({ gateway, redis, logger, onDropped }: EventLogDeps): EventLog {
  const keys = [redisKeys.events, redisKeys.eventProducer(gateway), redisKeys.eventsDropped];
  let pending: Pending[] = [];
  let batchNumber = 0;
  let sending: Promise<void> | undefined;
  let abandoned = false;

  function send(): void {
    if (sending || pending.length === 0 || abandoned) return;
    sending = sendAll().finally(() => {
      sending = undefined;
      send();
    });
  }

  async function sendAll(): Promise<void> {
    while (pending.length > 0 && !abandoned) {
      const batch = pending.slice(0, BATCH);
      pending = pending.slice(BATCH);
      batchNumber++;
      await sendUntilAcknowledged(batch);
    }
  }

  async function sendUntilAcknowledged(batch: readonly Pending[]): Promise<void> {
    const args = [batchNumber, STREAM_LENGTH, PRODUCER_EXPIRY_MS, ...batch.map(({ json }) => json)];
    for (let attempt = 1; !abandoned; attempt++) {
      try {
        const [, dropped = 0] = (await appendScript(redis, keys, args)) as [string, number?];
        if (dropped > 0) onDropped(dropped);
        for (const { acknowledge } of batch) acknowledge();
        return;
      } catch (error) {
        if (attempt === 1) logger.warn({ err: error, events: batch.length }, 'events could not be sent; trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  return {
    append(event) {
      if (pending.length >= MOST_PENDING) {
        onDropped(1);
        return Promise.resolve();
      }
      return new Promise((acknowledge) => {
        pending.push({ json: JSON.stringify(event), acknowledge });
        send();
      });
    },
    async stop(timeoutMs) {
      const deadline = setTimeout(() => {
        abandoned = true;
        if (pending.length > 0) logger.error({ events: pending.length }, 'events were not sent before the stop');
      }, timeoutMs);
      await sending;
      clearTimeout(deadline);
    },
  };
}
