import { Redis } from 'ioredis';
import { limitReplyTime } from './reply-patience.ts';

export type { Redis } from 'ioredis';

/** No Redis command of a producer may take longer, ms: a caller gets its 503 within a second. */
export const COMMAND_TIMEOUT_MS = 800;
const RECONNECT_CAP_MS = 500;

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
    connectTimeout: COMMAND_TIMEOUT_MS,
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
    connectTimeout: 5_000,
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
    let gathering = false;
    const send = () => {
      gathering = false;
      stream.uncork();
    };
    const gather = (...args: unknown[]) => {
      if (!gathering) {
        gathering = true;
        stream.cork();
        setImmediate(send);
      }
      return write(...args);
    };
    stream.write = gather;
  });
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
