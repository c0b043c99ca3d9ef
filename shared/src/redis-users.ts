import { createHash } from 'node:crypto';
import { GENERATION_JOB } from './generation-job.ts';
import { queueKeys } from './queue/queue-keys.ts';
import { QUEUE_PREFIX, redisKeys } from './redis-keys.ts';

/**
 * The users of Redis: one for each service, one for the operator's commands, and one for the health check of Redis's own
 * container. No other user gets in. Each has the commands and keys that it needs, so that an attacker who takes over
 * one service reaches what that service reaches, and no more.
 *
 * All of it is syntax that Redis from 7.0 on and Valkey know. A Redis that is not ours has the users that it has.
 */
export const REDIS_USERS = ['gateway', 'worker', 'stats-service', 'operator', 'probe'] as const;
export type RedisUser = (typeof REDIS_USERS)[number];

interface Rights {
  /**
   * Patterns of the keys that it reads and writes, those that requests touch most first: Redis tries them in this order
   * for each call of each script, so that few patterns are worth more here than the last degree of exactness.
   */
  readonly keys: readonly string[];
  /** Patterns of the keys that it reads alone. */
  readonly reads?: readonly string[];
  readonly channels?: readonly string[];
  readonly commands: readonly string[];
  /** Further commands, on other keys alone. */
  readonly besides?: Pick<Rights, 'keys' | 'commands'>;
}

/** Everything that a queue of BullMQ's has. */
const QUEUE = `${QUEUE_PREFIX}:${GENERATION_JOB.queue}:*`;
/** What is of one API key (`key:…`, `key-hour:…`, `key-flight:…`), and not the list of all. */
const OF_KEY = `${QUEUE_PREFIX}:key[-:]*`;
/** An address's hour, bad keys and ban. */
const OF_ADDRESS = `${QUEUE_PREFIX}:address-*`;
/** Records, counts and sums of uploads. */
const UPLOADS = `${QUEUE_PREFIX}:upload*`;
/** The stream of events and what its producers keep. */
const EVENTS = `${QUEUE_PREFIX}:event*`;
const STATS = redisKeys.stats('*');
/** Admin tokens, and what is counted of who tries them. */
const ADMIN = `${QUEUE_PREFIX}:admin-*`;
/** The audit log, and how far it was logged. */
const AUDIT = `${QUEUE_PREFIX}:audit*`;
/** What the fleet knows of upstreams, their places and rates. */
const UPSTREAMS = `${QUEUE_PREFIX}:upstream*`;

/** What every connection needs; without CLIENT KILL and the like. */
const CONNECTION = ['+@connection', '-@admin', '-@dangerous', '+info', '+time'];
const SCRIPTS = words('eval evalsha script|exists script|load multi exec discard');
/** Heartbeats, health probes and the list of instances. */
const PRESENCE = words('hdel hget hgetall hset hvals set');
/** What BullMQ's scripts call, and its client beside them. */
const QUEUE_WRITES = words(
  `bzpopmin del exists get hdel hexists hget hgetall hincrby hlen hmget hmset hset incr incrby lindex llen lpop lpos
   lpush lrange lrem lset ltrim persist pexpire pexpireat pttl rename rpop rpoplpush rpush sadd scard set sismember
   smembers srem type unlink xadd xdel xlen xrange xread xtrim zadd zcard zcount zlexcount zpopmin zrange zrangebylex
   zrangebyscore zrem zremrangebyrank zremrangebyscore zrevrange zrevrangebyscore zscore`,
);
const QUEUE_READS = words('eval evalsha exists hexists hget hgetall hmget lindex llen lrange scard zcard zrange');
const SETTLEMENT = words('exists hincrby hmget hset pexpire publish xadd zrange zrem zscore');

const RIGHTS: Readonly<Record<RedisUser, Rights>> = {
  gateway: {
    keys: [
      QUEUE,
      OF_KEY,
      OF_ADDRESS,
      redisKeys.request('*'),
      redisKeys.inbox('*'),
      redisKeys.partial('*', '*'),
      redisKeys.followers('*'),
      redisKeys.blockedAddresses,
      redisKeys.keysInFlight,
      EVENTS,
      redisKeys.instances,
      redisKeys.clock,
      redisKeys.probe('*'),
      UPLOADS,
      redisKeys.openUploads,
    ],
    channels: [redisKeys.cancellations],
    commands: [
      ...CONNECTION,
      ...SCRIPTS,
      ...PRESENCE,
      ...QUEUE_WRITES,
      ...SETTLEMENT,
      // To know which replicas follow the primary that it waits for.
      ...words('decr expire hscan hstrlen role scan strlen ttl zcount'),
    ],
  },
  worker: {
    keys: [
      QUEUE,
      redisKeys.request('*'),
      OF_KEY,
      redisKeys.inbox('*'),
      redisKeys.partial('*', '*'),
      redisKeys.followers('*'),
      redisKeys.instances,
      redisKeys.clock,
      redisKeys.probe('*'),
      redisKeys.workers,
      UPSTREAMS,
    ],
    reads: [redisKeys.keysInFlight],
    channels: [redisKeys.cancellations, redisKeys.workerChannel('*'), redisKeys.upstreamChanges],
    commands: [
      ...CONNECTION,
      ...SCRIPTS,
      ...PRESENCE,
      ...QUEUE_WRITES,
      ...SETTLEMENT,
      ...words('append hkeys mget pubsub|numsub strlen subscribe unsubscribe'),
    ],
  },
  'stats-service': {
    // Of API keys what the operator decides, and not what is in flight.
    keys: [
      STATS,
      EVENTS,
      ADMIN,
      AUDIT,
      redisKeys.apiKey('*'),
      redisKeys.apiKeyIndex,
      redisKeys.apiKeyTexts,
      redisKeys.apiKeyUse,
      redisKeys.apiKeysOf('*'),
      redisKeys.apiKeysExpiring,
      redisKeys.apiKeysDeleted,
      redisKeys.keyUsage('*', '*'),
      redisKeys.keyHour('*'),
      redisKeys.keyFreeFailures('*'),
      redisKeys.keyDeleted('*'),
      // To block addresses, and to lift their blocks.
      redisKeys.addressBan('*'),
      redisKeys.addressBadKeys('*'),
      redisKeys.blockedAddresses,
      // To hold the queue; its jobs are out of reach.
      queueKeys.meta,
      queueKeys.marker,
      redisKeys.instances,
      redisKeys.clock,
      redisKeys.probe('*'),
    ],
    reads: [UPLOADS, UPSTREAMS],
    commands: [
      ...CONNECTION,
      ...SCRIPTS,
      ...PRESENCE,
      ...words(
        `decrby del exists get getdel hincrby hlen hmget incr lindex llen lpop lrange lrem pexpire pfadd pfcount pttl rename rpush
         sadd scard xack xadd xautoclaim xdel
         xgroup|create xgroup|createconsumer xgroup|delconsumer xinfo|consumers xinfo|groups xinfo|stream xlen xpending
         xrange xread xreadgroup xrevrange xtrim hexists hkeys
         zadd zcard zcount zmscore zrange zrangebylex zrangebyscore zrem zremrangebyrank zremrangebyscore zrevrangebylex zrevrangebyscore zscore`,
      ),
    ],
    // A script's keys count as written; of these commands none writes.
    besides: { keys: [QUEUE], commands: QUEUE_READS },
  },
  // Backups, keys, blocks, the queue: every key of Lontar's, and nothing that is Redis's own.
  operator: {
    keys: [`${QUEUE_PREFIX}:*`],
    channels: [redisKeys.cancellations],
    commands: [
      ...CONNECTION,
      ...SCRIPTS,
      ...PRESENCE,
      ...QUEUE_WRITES,
      ...SETTLEMENT,
      ...words(
        'config|get decr decrby expire hkeys incr pfcount restore scan smembers xrevrange zmscore zrevrangebylex',
      ),
    ],
  },
  probe: { keys: [redisKeys.probe('container')], commands: words('set') },
};

/** The rules of a user, as `ACL SETUSER` takes them behind its name; its password is not in them. */
export function redisRules(user: RedisUser): readonly string[] {
  const { keys, reads = [], channels = [], commands, besides } = RIGHTS[user];
  return [
    'resetkeys',
    'resetchannels',
    '-@all',
    'sanitize-payload',
    ...[...new Set(keys)].map((pattern) => `~${pattern}`),
    ...reads.map((pattern) => `%R~${pattern}`),
    ...channels.map((channel) => `&${channel}`),
    ...new Set(commands),
    ...(besides ? [`(${['-@all', ...besides.keys.map((key) => `~${key}`), ...besides.commands].join(' ')})`] : []),
  ];
}

/**
 * No client can sign in as it, but Redis itself reads its append-only file as this user: without its rights every
 * transaction in that file would be skipped at the next start.
 */
const NAMELESS = 'user default off resetpass ~* &* +@all';

/** A dump comes from a backup of an earlier version, which any author may have written: Redis looks at it in depth. */
const SANITIZE = 'sanitize-dump-payload clients';

/**
 * The lines of Redis's configuration that make the users, and close the one without a name. They hold digests: a
 * process that reads the file cannot sign in with it.
 */
export function redisUserLines(passwords: Readonly<Record<RedisUser, string>>): string[] {
  const lines = REDIS_USERS.map((user) =>
    ['user', user, 'on', `#${sha256(passwords[user])}`, ...redisRules(user)].join(' '),
  );
  return [NAMELESS, ...lines, SANITIZE];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function words(text: string): string[] {
  return text.split(/\s+/).map((word) => `+${word}`);
}
