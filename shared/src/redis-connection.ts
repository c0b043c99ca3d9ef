import { Redis } from 'ioredis';
import { nameAwayErrors } from './patches/away-errors.ts';
import { gatherWrites } from './patches/gather-writes.ts';
import { limitReplyTime } from './patches/reply-patience.ts';
import {
  COMMAND_TIMEOUT_MS,
  FAIL_FAST_SILENCE_MS,
  PATIENT_SILENCE_MS,
  REDIS_CONNECT_TIMEOUT_MS,
} from './time-budget.ts';

export type { Redis } from 'ioredis';

const RECONNECT_CAP_MS = 200;

/**
 * A connection for commands that a caller waits for. It fails fast: nothing is queued while Redis is away, no command
 * waits longer than `COMMAND_TIMEOUT_MS`, and none is sent again by itself, because a write whose reply was lost is
 * unknown, not failed; the caller decides. They fail with `RedisAwayError` where Redis does not answer or cannot do it now.
 *
 * @param name what `CLIENT LIST` shows
 */
export function connectFailFast(url: string, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    enableOfflineQueue: false,
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    socketTimeout: FAIL_FAST_SILENCE_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectDelayMs,
    lazyConnect: true,
  });
  nameAwayErrors(redis);
  limitReplyTime(redis, COMMAND_TIMEOUT_MS);
  gatherWrites(redis);
  return redis;
}

/**
 * A connection for commands that may block (stream reads, BullMQ workers, subscriptions). It waits for Redis as long
 * as it takes and tries again. One on which a command has waited for longer than any of ours blocks, without a byte of an
 * answer, is taken for dead and made anew: a host that died or a forgotten NAT entry closes no connection.
 */
export function connectPatient(url: string, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    maxRetriesPerRequest: null,
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    socketTimeout: PATIENT_SILENCE_MS,
    retryStrategy: reconnectDelayMs,
    lazyConnect: true,
  });
  gatherWrites(redis);
  return redis;
}

/** `host:port` of a Redis URL, or the socket's path; never its user or password. */
export function describeRedis(url: string): string {
  // As settings hand a socket on.
  if (url.startsWith('/')) return url.split('?')[0] ?? '';
  if (!URL.canParse(url)) return 'the configured address';
  const { host, pathname } = new URL(url);
  return host === '' ? pathname : host;
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(attempt * 50, RECONNECT_CAP_MS);
}
