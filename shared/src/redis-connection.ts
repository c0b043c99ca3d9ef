import { Redis } from 'ioredis';
import { limitReplyTime } from './reply-patience.ts';

export type { Redis } from 'ioredis';

/** No Redis command of a producer may take longer, ms: a caller gets its 503 within a second. */
export const COMMAND_TIMEOUT_MS = 800;
/** Commands that are written together at most. */
const MOST_GATHERED = 32;
const RECONNECT_CAP_MS = 200;
const CONNECT_TIMEOUT_MS = 800;
/**
 * A connection on which a command has waited so long without a byte of an answer is taken for dead and made anew, ms: a
 * host that died or a forgotten NAT entry tells nobody. Longer than any command of ours blocks.
 */
const SILENCE_MS = 3_500;
const FAIL_FAST_SILENCE_MS = 2_000;
/** No command of ours may block longer, ms. */
export const LONGEST_BLOCK_MS = 2_000;

/**
 * A connection for commands that a caller waits for. It fails fast: nothing is queued while Redis is away, no command
 * waits longer than `COMMAND_TIMEOUT_MS`, and none is sent again by itself, because a write whose reply was lost is
 * unknown, not failed; the caller decides.
 *
 * @param name what `CLIENT LIST` shows
 */
export function connectFailFast(url: string, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: FAIL_FAST_SILENCE_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectDelayMs,
    lazyConnect: true,
  });
  limitReplyTime(redis, COMMAND_TIMEOUT_MS);
  gatherWrites(redis);
  return redis;
}

/**
 * A connection for commands that may block (stream reads, BullMQ workers, subscriptions). It waits for Redis as long
 * as it takes and tries again.
 */
export function connectPatient(url: string, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: reconnectDelayMs,
    lazyConnect: true,
  });
  gatherWrites(redis);
  return redis;
}

/**
 * Sends what one turn of the event loop writes with one system call instead of one per command; Redis then reads and
 * answers it together, too. ioredis's own pipelining does the same at several times the cost.
 */
function gatherWrites(redis: Redis): void {
  redis.on('connect', () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let gathered = 0;
    const send = () => {
      gathered = 0;
      stream.uncork();
    };
    const gather = (...args: unknown[]) => {
      if (gathered === 0) {
        stream.cork();
        setImmediate(send);
      }
      gathered++;
      const hasRoom = write(...args);
      // A turn in which thousands of requests arrive lasts long; Redis shall work meanwhile.
      if (gathered % MOST_GATHERED === 0) {
        stream.uncork();
        stream.cork();
      }
      return hasRoom;
    };
    stream.write = gather;
  });
}

/**
 * A patient connection for BullMQ, which makes itself a twin of it to wait for jobs: that one may be silent for as long
 * as a wait for a delayed job takes (10 s), and BullMQ watches over it.
 */
export function connectForJobs(url: string, name: string): Redis {
  const redis = connectPatient(url, name);
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (options) => duplicate({ ...options, socketTimeout: 12_000 });
  return redis;
}

/** `host:port` of a Redis URL, or the socket's path; never its user or password. */
export function describeRedis(url: string): string {
  if (!URL.canParse(url)) return 'the configured address';
  const { host, pathname } = new URL(url);
  return host === '' ? pathname : host;
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(attempt * 50, RECONNECT_CAP_MS);
}
