import { setTimeout as delay } from 'node:timers/promises';
import { readRedisAddress, showNode } from '@lontar/shared/primary/redis-address.ts';
import type { Redis, RedisSettings } from '@lontar/shared/redis-connection.ts';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { connectOnce } from './connect.ts';

/** How long a replica has to get what its primary has, ms. */
const IN_STEP_MS = 60_000;
const LOOK_EVERY_MS = 100;
/** Shorter than a command of the operator's may take. */
const WAIT_MS = 2_000;

/**
 * Runs with a connection to a replica, once that has all that the primary has by now: reading much there slows down no request.
 *
 * @param primary connected
 * @throws CommandFailure where no replica follows, none can be reached, or it is too far behind; what `use` rejects with
 */
export async function withReplica<Result>(
  primary: Redis,
  target: RedisSettings,
  use: (replica: Redis) => Promise<Result>,
): Promise<Result> {
  const info = await primary.info('replication');
  const place = Number(/^master_repl_offset:(\d+)/m.exec(info)?.[1] ?? '0');
  const [follower] = followersIn(info);
  if (!follower) {
    throw new CommandFailure(
      EXIT.failed,
      'No replica follows the primary. Leave out --from-replica to read the primary.',
    );
  }
  const node = showNode(follower);
  const replica = await connectOnce(addressAt(node, primary, target), 'lontar-cli');
  try {
    await untilAt(replica, place, node);
    return await use(replica);
  } finally {
    replica.disconnect();
  }
}

/** The replicas that follow, by what a primary says of itself: lines such as `slave0:ip=10.0.0.2,port=6379,state=online,…`. */
function followersIn(info: string): { host: string; port: number }[] {
  return info.split(/\r?\n/).flatMap((line) => {
    const [name = '', ...rest] = line.split(':');
    const fields = new Map(rest.join(':').split(',').map(pairOf));
    const host = fields.get('ip');
    if (!/^slave\d/.test(name) || host === undefined || fields.get('state') !== 'online') return [];
    return [{ host, port: Number(fields.get('port')) }];
  });
}

function pairOf(field: string): [name: string, value: string] {
  const at = field.indexOf('=');
  return [field.slice(0, at), field.slice(at + 1)];
}

/**
 * Waits until all replicas that follow have what this connection has written: whichever of them is the primary next has it, too.
 *
 * @param within ms
 * @returns how many lack it; 0 where there are no replicas
 * @throws when Redis fails
 */
export async function waitForReplicas(redis: Redis, within: number = IN_STEP_MS): Promise<number> {
  const until = performance.now() + within;
  for (;;) {
    const following = Number(/^connected_slaves:(\d+)/m.exec(await redis.info('replication'))?.[1] ?? '0');
    if (following === 0) return 0;
    const holding = (await redis.call('WAIT', following, WAIT_MS)) as number;
    if (holding >= following || performance.now() > until) return following - Math.min(holding, following);
  }
}

/** The same way as to the primary: user, password, TLS and database. */
function addressAt(node: string, { options }: Redis, target: RedisSettings): RedisSettings {
  const { username, password, db = 0 } = options;
  const login = password ? `${encodeURIComponent(username ?? '')}:${encodeURIComponent(password)}@` : '';
  const scheme = readRedisAddress(target.REDIS_URL).tls ? 'rediss' : 'redis';
  return { ...target, REDIS_URL: `${scheme}://${login}${node}/${db}` };
}

/** @throws CommandFailure when it does not get there in time */
async function untilAt(replica: Redis, place: number, name: string): Promise<void> {
  const until = performance.now() + IN_STEP_MS;
  for (;;) {
    const info = await replica.info('replication');
    if (Number(/^slave_repl_offset:(\d+)/m.exec(info)?.[1] ?? '-1') >= place) return;
    if (performance.now() > until) {
      throw new CommandFailure(
        EXIT.failed,
        `The replica ${name} has not got what the primary has within ${IN_STEP_MS / 1000} s. lontar doctor says how far behind it is; leave out --from-replica to read the primary.`,
      );
    }
    await delay(LOOK_EVERY_MS);
  }
}
