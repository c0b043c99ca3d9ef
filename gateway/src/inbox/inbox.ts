import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import { askAtStart } from '@lontar/shared/ask-at-start.ts';
import { readNumberedStart } from '@lontar/shared/live/numbered-frames.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { writeGathered } from '@lontar/shared/patches/gather-writes.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { Replication } from '@lontar/shared/replication/replication.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import { LONGEST_BLOCK_MS } from '@lontar/shared/time-budget.ts';
import { confirmFirst } from './confirm-settled.ts';
import { createFrameReaders, type FrameReaders, type TakeFrame } from './frame-readers.ts';
import { readStored } from './stored-replies.ts';
import { createWaiters, type Waiters, type Waiting } from './waiters.ts';

const findSettledScript = loadScript(new URL('./find-settled.lua', import.meta.url));
const trimInboxScript = loadScript(new URL('./trim-inbox.lua', import.meta.url));

/** Entries that are read at once; one may hold the replies of a worker's whole turn, or frames of many requests. */
const READ_COUNT = 100;
/** A reply of so many bytes stays in bytes. A shorter one is wanted as text soon, for the beginning that its event has. */
const LONG_REPLY_BYTES = 8_192;
/** Requests that are asked about at once. */
const FIND_COUNT = 500;
/** An inbox that its gateway no longer renews goes away, ms. */
const INBOX_EXPIRY_MS = 60_000;
const RENEW_MS = 10_000;
const RECHECK_MS = 1_000;
/** The pause after a read that failed. */
const AGAIN_MS = 100;
/** Replies or entries of frames, or bytes of them, after which what was read is taken out of the stream. */
const TRIM_AFTER = 500;
const TRIM_AFTER_BYTES = 1_048_576;

/** The replies and frames meant for this gateway instance: each waiter and reader gets its own, and no other. */
export interface Inbox {
  /**
   * Waits for one request's settlement; several may. Call it before the job is enqueued, so that no reply can be missed.
   */
  wait(requestId: string): Waiting;
  /** Ends all waits: the gateway has no more time. */
  giveUp(): void;
  /**
   * Reads the frames of one request, in the order in which they came. Call it, too, before the job is enqueued. Frames are
   * lost where the stream is full or was broken: readers see that by their offsets.
   *
   * @returns ends it
   */
  read(requestId: string, take: TakeFrame): () => void;
  /** Readers of a request's frames here. */
  readersOf(requestId: string): number;
  /** Requests that wait. */
  readonly waiting: number;
  stop(): Promise<void>;
}

export interface InboxDeps {
  /** Instance id of this gateway. */
  readonly gateway: string;
  /** A connection of its own, made by `connectReader`: its reads block. */
  readonly reader: Redis;
  /** For everything else. */
  readonly redis: Redis;
  readonly logger: Logger;
  /** Called with the oldest of the entries that were read at once: when Redis took it, Unix ms. */
  readonly onRead?: (writtenAt: number) => void;
  /** Where replicas have to have a settlement before its caller is told. */
  readonly replication?: Replication | undefined;
}

/**
 * Opens this gateway's inbox, a Redis stream that is bounded by its bytes and expires with the gateway. Replies that are
 * lost on the way (a full stream, a broken connection) are found as stored results: overdue waiters look every second, those
 * whose answer does not grow just now, and all of them after a reconnect.
 *
 * @throws when Redis fails for ten seconds before the inbox is open; later failures are repeated and logged
 */
export async function openInbox(deps: InboxDeps): Promise<Inbox> {
  const { gateway, reader, redis, logger, replication } = deps;
  const key = redisKeys.inbox(gateway);
  const bytesKey = redisKeys.inboxBytes(gateway);
  const waiters = createWaiters(logger);
  const readers = createFrameReaders((worker, numbers) => lookUpNumbers(redis, worker, numbers), waiters.noteOpen);
  let stopped = false;
  let last = '0-0';
  const trimmer = createTrimmer(reader, key, bytesKey);
  const settled = replication ? confirmFirst({ redis, replication, waiters, logger }) : waiters;
  const deliver = deliverTo({ redis, waiters, settled, readers, note: trimmer.note });
  let renewedAt = 0;
  // The server that answers then may be another one, which has not got all that was read, and whose clock gives the next
  // entries earlier ids: after the last one read it would seem empty. What is read once more changes nothing.
  const readAgain = () => {
    last = '0-0';
    renewedAt = 0;
  };

  async function renew(): Promise<void> {
    renewedAt = performance.now();
    const [isThere] = await Promise.all([key, bytesKey].map((name) => reader.pexpire(name, INBOX_EXPIRY_MS)));
    if (isThere === 1) return;
    // The stream is made here and only here; settling never makes one, so a stopped gateway's stays gone.
    await reader.xadd(key, '*', 'opened', '1');
    await reader.pexpire(key, INBOX_EXPIRY_MS);
  }

  async function readOnce(): Promise<void> {
    if (performance.now() - renewedAt > RENEW_MS) await renew();
    for (const [id, fields] of await readBehind(deps, key, last)) {
      last = id.toString();
      deliver(fields);
    }
    await trimmer.trim(last);
  }

  const onTrouble = throttledWarning(logger, 'reading the inbox failed; trying again');

  async function readLoop(): Promise<void> {
    while (!stopped) {
      try {
        await readOnce();
      } catch (error) {
        if (stopped) return;
        onTrouble(error);
        renewedAt = 0;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  await askAtStart(reader, renew);
  const look = (olderThanMs: number) => void recheck(redis, waiters, settled, olderThanMs).catch(() => undefined);
  const recheckAll = () => look(0);
  redis.on('ready', recheckAll);
  reader.on('ready', readAgain);
  const timer = setInterval(() => look(RECHECK_MS), RECHECK_MS);
  void readLoop();

  return {
    wait: waiters.wait,
    giveUp: waiters.giveUp,
    read: readers.add,
    readersOf: readers.countOf,
    get waiting() {
      return waiters.count();
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      redis.off('ready', recheckAll);
      reader.off('ready', readAgain);
      await redis.del(key, bytesKey).catch(() => 0);
      // The loop is not waited for: a reader that is reconnecting never ends its pending command.
      reader.disconnect();
    },
  };
}

/** What Redis says of the streams that were read, here one: the entries of each, with their fields. */
type StreamReply = readonly [name: Buffer, entries: readonly [id: Buffer, fields: readonly Buffer[]][]][] | null;

/** Waits for entries behind an id. @throws when Redis fails */
async function readBehind({ reader, onRead }: InboxDeps, key: string, last: string) {
  // What was handed on before leaves for its callers before a command is made.
  await othersHadTheirTurn();
  // In bytes: a long answer goes on to its caller as it came.
  const reply = reader.xreadBuffer('COUNT', READ_COUNT, 'BLOCK', LONGEST_BLOCK_MS, 'STREAMS', key, last);
  writeGathered(reader);
  const entries = ((await reply) as StreamReply)?.[0]?.[1] ?? [];
  const [oldest] = entries;
  if (oldest) onRead?.(Number.parseInt(oldest[0].toString(), 10));
  return entries;
}

/** Takes what was read out of the stream, now and then. */
function createTrimmer(reader: Redis, key: string, bytesKey: string) {
  let replies = 0;
  let bytes = 0;
  return {
    note(read: number): void {
      replies++;
      bytes += read;
    },
    async trim(last: string): Promise<void> {
      if (replies < TRIM_AFTER && bytes < TRIM_AFTER_BYTES) return;
      const read = bytes;
      await trimInboxScript(reader, [key, bytesKey], [last, read]);
      replies = 0;
      bytes = 0;
    },
  };
}

/** Where Redis fails, nothing is known: the next entry asks again. */
async function lookUpNumbers(redis: Redis, worker: string, numbers: readonly number[]) {
  const said = await redis.hmget(redisKeys.streamNumbers(worker), ...numbers.map(String)).catch(() => undefined);
  return said?.map((start) => (start === null ? undefined : readNumberedStart(start)));
}

/** Looks for the stored results of those that have waited for so long, ms. */
async function recheck(
  redis: Redis,
  waiters: Waiters,
  settled: Pick<Waiters, 'deliver'>,
  olderThanMs: number,
): Promise<void> {
  const overdue = waiters.overdue(olderThanMs);
  for (let start = 0; start < overdue.length; start += FIND_COUNT) {
    const ids = overdue.slice(start, start + FIND_COUNT);
    const found = (await findSettledScript(redis, ids.map(redisKeys.request), [])) as [number, string][];
    for (const [index, json] of found) settled.deliver(ids[index - 1] ?? '', json);
  }
}

interface Receivers {
  readonly redis: Redis;
  readonly waiters: Waiters;
  /** Takes settlements. */
  readonly settled: Pick<Waiters, 'deliver'>;
  readonly readers: FrameReaders;
  /** Counts bytes that have been read. */
  note(bytes: number): void;
}

/** Hands an entry's replies, or its frames, to who waits for them. */
function deliverTo({ redis, waiters, settled, readers, note }: Receivers) {
  const deliver = (requestId: string, json: Buffer) =>
    settled.deliver(requestId, json.length >= LONG_REPLY_BYTES ? json : json.toString());
  const readNamed = readStored(redis, waiters, deliver);
  return (fields: readonly Buffer[]): void => {
    const kind = fields[0]?.toString();
    if (kind === 'frames') {
      note(fields[1]?.length ?? 0);
      readers.deliver(fields[1]?.toString() ?? '');
    } else if (kind === 'numbered') {
      note(fields.reduce((sum, { length }, index) => (index > 2 && index % 2 === 1 ? sum + length : sum), 0));
      readers.deliverNumbered(fields.map(String));
    } else if (kind === 'stored') {
      for (let at = 0; at < fields.length; at += 4) {
        note(fields[at + 1]?.length ?? 0);
        readNamed(String(fields[at + 1]), Number(fields[at + 3]));
      }
    }
    // The replies of an entry: the fields `id` and `settlement` of each in turn, as send-replies.lua writes them.
    for (let at = kind === 'id' ? 0 : fields.length; at < fields.length; at += 4) {
      const [id, json] = [fields[at + 1], fields[at + 3]];
      if (id === undefined || json === undefined) return;
      note(json.length);
      deliver(id.toString(), json);
    }
  };
}
