import { Redis, type RedisOptions } from 'ioredis';
import { correctClock } from './clock-correction.ts';
import { nameAwayErrors } from './patches/away-errors.ts';
import { gatherWrites } from './patches/gather-writes.ts';
import { hearLateErrors } from './patches/late-errors.ts';
import { primaryConnector } from './patches/primary-connector.ts';
import { limitReplyTime } from './patches/reply-patience.ts';
import { reviveEnded } from './patches/revive-ended.ts';
import { forgiveStalls } from './patches/socket-silence.ts';
import { letCommandsDieYoung } from './patches/young-commands.ts';
import { findBySentinels } from './primary/find-by-sentinels.ts';
import { findInCluster } from './primary/find-in-cluster.ts';
import { readRedisAddress } from './primary/redis-address.ts';
import { type RedisTlsFiles, readRedisTls } from './primary/redis-tls.ts';
import { isRefusedHere } from './redis-away.ts';
import {
  COMMAND_TIMEOUT_MS,
  FAIL_FAST_SILENCE_MS,
  PATIENT_SILENCE_MS,
  REDIS_CONNECT_TIMEOUT_MS,
} from './time-budget.ts';

export type { Redis } from 'ioredis';

/** The settings that say where Redis is and how to reach it. */
export interface RedisSettings extends RedisTlsFiles {
  readonly REDIS_URL: string;
}

/** Where Redis is: settings, or an address alone, as `REDIS_URL` takes it. */
export type RedisTarget = string | RedisSettings;

/** The form of replies is in the type of a connection. */
type Options = Omit<RedisOptions, 'replyMapping'>;

const RECONNECT_CAP_MS = 200;
/** The kernel asks about a connection that is idle for so long whether it is still there. */
const KEEP_ALIVE_MS = 10_000;

/** What `reconnectOnError` of ioredis answers. */
const RECONNECT = { no: false, andReject: 1, andRepeat: 2 } as const;

/**
 * A connection for commands that a caller waits for. It fails fast: nothing is queued while Redis is away, no command
 * waits longer than `COMMAND_TIMEOUT_MS`, and none is sent again by itself, because a write whose reply was lost is
 * unknown, not failed; the caller decides. They fail with `RedisAwayError` where Redis does not answer or cannot do it now.
 *
 * @param name what `CLIENT LIST` shows
 * @param timeoutMs longer than `COMMAND_TIMEOUT_MS` only for writes that wait for the append-only file
 * @throws ConfigError where the address is of no use, or a file of TLS
 */
export function connectFailFast(target: RedisTarget, name: string, timeoutMs: number = COMMAND_TIMEOUT_MS): Redis {
  const redis = connectTo(target, {
    connectionName: name,
    enableOfflineQueue: false,
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    socketTimeout: timeoutMs + FAIL_FAST_SILENCE_MS - COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectDelayMs,
    reconnectOnError: (error) => (isRefusedHere(error) ? RECONNECT.andReject : RECONNECT.no),
    lazyConnect: true,
  });
  nameAwayErrors(redis);
  limitReplyTime(redis, timeoutMs);
  gatherWrites(redis);
  correctClock(redis);
  reviveEnded(redis);
  return redis;
}

/**
 * A connection for commands that may block (stream reads, BullMQ workers, subscriptions). It waits for Redis as long
 * as it takes and tries again. One on which a command has waited for longer than any of ours blocks, without a byte of an
 * answer, is taken for dead and made anew: a host that died or a forgotten NAT entry closes no connection. What a server
 * refuses because it is not the primary (any more) is sent again to the one that is.
 *
 * @throws ConfigError where the address is of no use, or a file of TLS
 */
export function connectPatient(target: RedisTarget, name: string): Redis {
  return makePatient(
    connectTo(target, {
      connectionName: name,
      maxRetriesPerRequest: null,
      connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
      socketTimeout: PATIENT_SILENCE_MS,
      retryStrategy: reconnectDelayMs,
      reconnectOnError: (error) => (isRefusedHere(error) ? RECONNECT.andRepeat : RECONNECT.no),
      lazyConnect: true,
    }),
  );
}

/**
 * As `connectPatient`, for a loop that reads a stream from one place to the next: what is under way when the connection is
 * lost fails at once, and is not sent again by itself. On the next server the place to read behind may be another one.
 *
 * @throws ConfigError where the address is of no use, or a file of TLS
 */
export function connectReader(target: RedisTarget, name: string): Redis {
  return makePatient(
    connectTo(target, {
      connectionName: name,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
      socketTimeout: PATIENT_SILENCE_MS,
      retryStrategy: reconnectDelayMs,
      reconnectOnError: (error) => (isRefusedHere(error) ? RECONNECT.andReject : RECONNECT.no),
      lazyConnect: true,
    }),
  );
}

/** Another patient connection to where a first one goes, for commands that block. */
export function connectTwin(redis: Redis, name: string): Redis {
  return makePatient(hearing(redis.duplicate({ connectionName: name })));
}

/**
 * A connection that tries nothing again: not to connect, nor a command. For an operator's commands.
 *
 * @param times of connecting and of each command, ms
 * @throws ConfigError where the address is of no use, or a file of TLS
 */
export function connectOnceTo(
  target: RedisTarget,
  name: string,
  times: { readonly connectTimeout: number; readonly commandTimeout: number },
): Redis {
  return connectTo(target, {
    ...times,
    connectionName: name,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
}

/**
 * Makes every connection of every service. Where several servers are named it goes to the one that is the primary when
 * it is made, also when it is made anew.
 */
function connectTo(target: RedisTarget, common: Options): Redis {
  const { REDIS_URL, ...others }: RedisSettings = typeof target === 'string' ? { REDIS_URL: target } : target;
  letCommandsDieYoung();
  const address = readRedisAddress(REDIS_URL);
  const tls = readRedisTls(others, address.tls);
  const options: Options = { ...common, keepAlive: KEEP_ALIVE_MS, ...(tls && { tls }) };
  if (address.kind === 'single') return hearing(new Redis(address.url, options));
  const { username, password } = address;
  const find = () => (address.kind === 'sentinel' ? findBySentinels(address, tls) : findInCluster(address, tls));
  const several: Options = {
    ...options,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(address.kind === 'sentinel' && { db: address.db }),
    Connector: primaryConnector(find, tls, common.retryStrategy?.(1) === null),
  };
  return hearing(new Redis(several));
}

function hearing(redis: Redis): Redis {
  hearLateErrors(redis);
  forgiveStalls(redis);
  return redis;
}

function makePatient(redis: Redis): Redis {
  gatherWrites(redis);
  correctClock(redis);
  reviveEnded(redis);
  return redis;
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(attempt * 50, RECONNECT_CAP_MS);
}
