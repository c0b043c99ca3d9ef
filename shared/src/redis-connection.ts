import { type Command, Redis } from 'ioredis';

export type { Redis } from 'ioredis';

/** No Redis command of a producer may take longer, ms: a caller gets its 503 within a second. */
export const COMMAND_TIMEOUT_MS = 800;
/** How exactly that is kept, ms. */
const TIMEOUT_STEP_MS = 20;
/** Commands that are written together at most. */
const MOST_GATHERED = 32;
const RECONNECT_CAP_MS = 500;

/**
 * A connection for commands that a caller waits for. It fails fast: nothing is queued while Redis is away, no command
 * waits longer than `COMMAND_TIMEOUT_MS`, and none is sent again by itself, because a write whose reply was lost is
 * unknown, not failed; the caller decides.
 *
 * @param name what `CLIENT LIST` shows
 */
export function connectFailFast(url: string, name: string): Redis {
  const redis = new ImpatientRedis(url, {
    connectionName: name,
    enableOfflineQueue: false,
    connectTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectDelayMs,
    lazyConnect: true,
  });
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
 * Gives up commands that Redis has not answered in time. ioredis's own `commandTimeout` goes by the clock alone, and a
 * burst of requests that keeps this process busy for a second looks to it like a Redis that is away, although the answers
 * have long arrived. Here time in which this process did not come to look counts as one step.
 */
class ImpatientRedis extends Redis {
  #sent: { readonly command: Command; readonly atMs: number }[] = [];
  #watch: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  /** Time that this connection has listened to Redis. */
  #listenedMs = 0;

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    if (this.#watch === undefined) {
      this.#lookedAt = performance.now();
      this.#watch = setInterval(() => this.#look(), TIMEOUT_STEP_MS).unref();
    }
    this.#sent.push({ command, atMs: this.#listenedMs });
    return super.sendCommand(command, stream);
  }

  #look(): void {
    const now = performance.now();
    this.#listenedMs += Math.min(now - this.#lookedAt, 2 * TIMEOUT_STEP_MS);
    this.#lookedAt = now;
    const latestMs = this.#listenedMs - COMMAND_TIMEOUT_MS;
    this.#sent = this.#sent.filter(({ command, atMs }) => {
      if (!command.isSettled && atMs <= latestMs) command.reject(new Error('Command timed out'));
      return !command.isSettled;
    });
    if (this.#sent.length > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
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

/** `host:port` of a Redis URL, or the socket's path; never its user or password. */
export function describeRedis(url: string): string {
  if (!URL.canParse(url)) return 'the configured address';
  const { host, pathname } = new URL(url);
  return host === '' ? pathname : host;
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(attempt * 50, RECONNECT_CAP_MS);
}
