import { askNode, type NodeAccess } from '@lontar/shared/primary/ask-node.ts';
import { explainRedisFailure } from '@lontar/shared/primary/explain-failure.ts';
import { askSentinels, choosePrimary, type SentinelAnswer } from '@lontar/shared/primary/find-by-sentinels.ts';
import { nodeOf } from '@lontar/shared/primary/node-of.ts';
import {
  type RedisAddress,
  type RedisNode,
  readRedisAddress,
  type SentinelAddress,
  showNode,
} from '@lontar/shared/primary/redis-address.ts';
import { readRedisTls } from '@lontar/shared/primary/redis-tls.ts';
import type { Redis, RedisSettings } from '@lontar/shared/redis-connection.ts';
import { redisSetting } from './check-external.ts';

/** What Redis consists of, and what of that is unsafe, each with what to do. */
export interface Topology {
  /** One sentence. */
  readonly what: string;
  readonly dangers: readonly string[];
}

/** A replica this far behind loses as much at a failover. */
const MOST_LAG_SECONDS = 5;
const LEAST_SENTINELS = 3;

/**
 * Looks at the servers and Sentinels behind an address. Never rejects for a replica or a Sentinel: one that does not answer
 * is a danger.
 *
 * @param redis connected to the primary
 * @throws when the primary fails, or a file of TLS
 */
export async function readTopology(redis: Redis, target: RedisSettings): Promise<Topology> {
  const address = readRedisAddress(target.REDIS_URL);
  const tls = readRedisTls(target, address.tls);
  const info = fieldsOf(await redis.info('replication'));
  const replicas = replicasOf(info);
  const { username, password } = redis.options;
  const access = { username: username ?? undefined, password: password ?? undefined, tls };
  const sentinels = address.kind === 'sentinel' ? await askSentinels(address, tls) : [];
  const ofSentinels = address.kind === 'sentinel' ? sentinelDangers(address, sentinels) : [];
  const dangers = await Promise.all([
    writeDangers(redis, replicas.length),
    ...replicas.map((replica) => replicaDangers(replica, access)),
  ]);
  return { what: describe(address, redis, replicas, sentinels), dangers: [...ofSentinels, ...dangers.flat()] };
}

interface Replica extends RedisNode {
  readonly state: string;
  readonly lagSeconds: number;
}

function describe(
  address: RedisAddress,
  { stream }: Redis,
  replicas: readonly Replica[],
  sentinels: readonly SentinelAnswer[],
): string {
  const { remoteAddress: host, remotePort: port } = stream;
  // Sentinels may give names, by which an operator knows the servers.
  const node = nodeOf(stream) ?? (host === undefined || port === undefined ? undefined : { host, port });
  const primary = node ? `The primary is ${showNode(node)}` : 'Redis';
  if (address.kind === 'cluster')
    return `${primary}, the node of a cluster with all of our keys; ${count(replicas, 'replica')}.`;
  if (address.kind === 'single') {
    if (replicas.length > 0)
      return `${primary}; ${count(replicas, 'replica')}, and nothing known here that swaps them.`;
    return 'One Redis without replicas: if its machine is lost, a backup is all that is left.';
  }
  const lags = replicas.map((replica) => `${showNode(replica)} ${replica.lagSeconds} s behind`).join(', ');
  const quorum = Math.max(...sentinels.map((answer) => answer.quorum ?? 0));
  return `${primary}; ${count(replicas, 'replica')}${lags && ` (${lags})`}; ${count(sentinels, 'Sentinel')}, of which ${quorum} have to agree.`;
}

function sentinelDangers(address: SentinelAddress, answers: readonly SentinelAnswer[]): string[] {
  const away = answers
    .filter(({ primary }) => !primary)
    .map(({ sentinel, failure }) => {
      const why =
        failure === undefined ? `it knows no primary named ${address.primary}.` : explainRedisFailure(failure);
      return `The Sentinel ${showNode(sentinel)} does not help: ${why}`;
    });
  const answered = answers.filter(({ primary }) => primary);
  const known = Math.max(0, ...answered.map(({ sentinels = 0 }) => sentinels));
  const quorums = new Set(answered.map(({ quorum }) => quorum));
  return [
    ...away,
    ...disagreement(address, answered),
    ...(known > 0 && known < LEAST_SENTINELS
      ? [
          `Only ${known} Sentinels watch ${address.primary}: with one of them away there is no failover. Run three, on three machines.`,
        ]
      : []),
    ...(quorums.size > 1
      ? ['The Sentinels have different quorums. Set the same everywhere: SENTINEL SET NAME quorum 2']
      : []),
    ...[...quorums]
      .filter((quorum = 0) => quorum > known)
      .map(
        (quorum) =>
          `The quorum is ${quorum}, and there are ${known} Sentinels: there is never a failover. Set it to 2 for three.`,
      ),
  ];
}

function disagreement(address: SentinelAddress, answers: readonly SentinelAnswer[]): string[] {
  if (new Set(answers.map(({ primary }) => primary && showNode(primary))).size < 2) return [];
  try {
    const latest = choosePrimary(address, answers);
    return [
      `The Sentinels name different primaries; the latest is ${showNode(latest)}. If that lasts, some of them cannot reach the others.`,
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Whether a primary that is cut off goes on, and whether one that lost a replica stops. */
async function writeDangers(redis: Redis, replicas: number): Promise<string[]> {
  const least = await redisSetting(redis, 'min-replicas-to-write');
  if (least === undefined) return [];
  if (least === '0' && replicas > 0) {
    return [
      'A primary that is cut off from its replicas goes on, and what it accepts is lost when another one takes over. On each server: CONFIG SET min-replicas-to-write 1 and CONFIG SET min-replicas-max-lag 2',
    ];
  }
  if (Number(least) > 0 && replicas <= Number(least)) {
    return [
      `min-replicas-to-write is ${least}, with ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}: the next failure stops every write. Add a replica.`,
    ];
  }
  return [];
}

async function replicaDangers(replica: Replica, access: NodeAccess): Promise<string[]> {
  const name = `The replica ${showNode(replica)}`;
  if (replica.state !== 'online')
    return [`${name} is not in step (${replica.state}): a failover loses what it has not got.`];
  const late =
    replica.lagSeconds > MOST_LAG_SECONDS
      ? [`${name} is ${replica.lagSeconds} s behind: a failover loses as much. Look at its load and its network.`]
      : [];
  try {
    return [...late, ...(await askNode(replica, access, (redis) => settingDangers(name, redis)))];
  } catch (error) {
    return [...late, `${name} cannot be looked at from here: ${explainRedisFailure(error)}`];
  }
}

/** A replica may be the primary tomorrow: what is wrong with it is wrong then. */
async function settingDangers(name: string, redis: Redis): Promise<string[]> {
  const persistence = fieldsOf(await redis.info('persistence'));
  const policy = await redisSetting(redis, 'maxmemory-policy');
  return [
    ...(persistence['aof_enabled'] === '0'
      ? [
          `${name} keeps no append-only file: as the primary it loses everything with its process. There: CONFIG SET appendonly yes`,
        ]
      : []),
    ...(policy !== undefined && policy !== 'noeviction'
      ? [`${name} would drop data when its memory is full (${policy}). There: CONFIG SET maxmemory-policy noeviction`]
      : []),
  ];
}

function replicasOf(info: Readonly<Record<string, string>>): Replica[] {
  return Object.entries(info).flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return [];
    const fields = Object.fromEntries(value.split(',').map((field) => field.split('=')));
    return [
      { host: fields.ip, port: Number(fields.port), state: fields.state, lagSeconds: Math.max(0, Number(fields.lag)) },
    ];
  });
}

function fieldsOf(info: string): Record<string, string> {
  return Object.fromEntries([...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name, value]) => [name, value]));
}

function count(list: readonly unknown[], what: string): string {
  return `${list.length === 0 ? 'no' : list.length} ${what}${list.length === 1 ? '' : 's'}`;
}
