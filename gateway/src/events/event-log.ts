import type { Logger } from '@lontar/shared/logger.ts';
import { afterWriting } from '@lontar/shared/patches/gather-writes.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import type { ReportedEvent } from '@lontar/shared/request-event.ts';
import type { TokenBucket } from '@lontar/shared/token-bucket.ts';
import { argumentsOf, asCounters, type Batch } from './batch.ts';
import { createWaitingEvents, type OnReduced } from './waiting-events.ts';

const appendScript = loadScript(new URL('./append-events.lua', import.meta.url));

const RETRY_MS = 100;
/** So a flood of refused requests makes at most forty writes a second, however large it is. */
const GATHER_MS = 25;

/** Reports answered requests to the statistics, each exactly once. */
export interface EventLog {
  /**
   * Takes an event. Events go in batches, one batch at a time, and a batch is repeated under its number until Redis
   * acknowledges it; so a lost acknowledgement counts nothing twice. Refused requests that are like one of the same
   * second are sent as a number, and so is what finds no room: none is ever left out of the counts.
   *
   * @returns resolves when the event will be in Redis even if this process is killed: it is there, or written to a connection by which
   *   the batch before it has come there; never rejects
   */
  append(event: ReportedEvent): Promise<void>;
  /** Sends what is pending, until the deadline. */
  stop(timeoutMs: number): Promise<void>;
}

export interface EventLogDeps {
  readonly gateway: string;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly replication?: Replication | undefined;
  readonly onReduced: OnReduced;
  /** Of which requests the texts are sent; another one only in tests. */
  readonly texts?: TokenBucket;
  /** Called with the number of requests that were not sent at all before the stop. */
  readonly onDropped: (requests: number) => void;
}

/**
 * Opens this gateway's log of events.
 * Never throws: where Redis fails, events wait and are sent again until it has them.
 */
export function openEventLog(deps: EventLogDeps): EventLog {
  const { gateway, redis, logger, replication, onReduced, onDropped } = deps;
  const waiting = createWaitingEvents(onReduced, deps.texts);
  let gathering: NodeJS.Timeout | undefined;
  let batchNumber = 0;
  let sending: Promise<void> | undefined;
  let abandoned = false;
  const sendOnce = createSender(redis, keysOf(gateway));

  function send(): void {
    if (sending || abandoned || !waiting.isDue) return;
    sending = sendAll().finally(() => {
      sending = undefined;
      send();
    });
  }

  async function sendAll(): Promise<void> {
    while (waiting.isDue && !abandoned) {
      batchNumber++;
      await sendUntilAcknowledged(waiting.take(batchNumber));
    }
  }

  async function sendUntilAcknowledged(batch: Batch): Promise<void> {
    let current = batch;
    for (let attempt = 1; !abandoned; attempt++) {
      try {
        // Where replicas are to have it, or a part is left out, answers wait until it is so.
        const isSure = replication === undefined && current === batch;
        const [reply, one, two] = await sendOnce(current, isSure ? () => release(batch) : undefined);
        if (reply === 'full') {
          if (one) onReduced('row', current.events.length);
          current = asCounters(current, { events: one === 1, repeats: two === 1 });
          continue;
        }
        // Until then the batch is sent again, to whichever server is the primary: it knows what it has.
        await replication?.held();
        if (reply === 'appended' && one) onReduced('texts', one);
        return release(batch);
      } catch (error) {
        const count = batch.events.length;
        if (attempt === 1) logger.warn({ err: error, events: count }, 'events could not be sent; trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  function endGathering(): void {
    clearTimeout(gathering);
    gathering = undefined;
    waiting.endGathering();
    send();
  }

  return {
    append(event) {
      const { sent, mayWait } = waiting.add(event);
      if (mayWait) gathering ??= setTimeout(endGathering, GATHER_MS);
      else send();
      return sent;
    },
    async stop(timeoutMs) {
      const deadline = setTimeout(() => {
        abandoned = true;
        const { requests } = waiting;
        if (requests === 0) return;
        logger.error({ events: requests }, 'events were not sent before the stop');
        onDropped(requests);
      }, timeoutMs);
      endGathering();
      await sending;
      clearTimeout(deadline);
    },
  };
}

/** The keys of append-events.lua, in its order. */
function keysOf(gateway: string): string[] {
  const { events, eventBytes, eventTally, eventPeople } = redisKeys;
  return [events, redisKeys.eventProducer(gateway), eventBytes, eventTally, eventPeople];
}

/**
 * How a batch is sent once.
 *
 * @returns a function of the batch, and of what is to run once it will arrive even if this process is killed: it is written to the
 *   connection by which the one before it has come, as it was. Before its first reply, a connection may lead to a Redis that is full, or
 *   does not know the script
 */
function createSender(redis: Redis, keys: string[]) {
  let proven: Redis['stream'] | undefined;
  return async (batch: Batch, onWritten: (() => void) | undefined) => {
    const { stream } = redis;
    const appended = appendScript(redis, keys, argumentsOf(batch));
    if (onWritten && stream === proven) afterWriting(redis, onWritten);
    proven = undefined;
    const reply = (await appended) as [kind: string, number?, number?];
    if (onWritten && reply[0] === 'appended') proven = stream;
    return reply;
  };
}

function release({ events, acknowledge }: Batch): void {
  for (const event of events) event.acknowledge();
  acknowledge();
}
