import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestSentinels, type TestSentinels } from '../../testing/redis-sentinels.ts';
import type { TestRedis } from '../../testing/redis-server.ts';
import { reserve } from '../../testing/reservations.ts';
import { startTcpProxy, type TcpProxy } from '../../testing/tcp-proxy.ts';
import { askStillPrimary } from '../primary/still-primary.ts';
import { RedisAwayError } from '../redis-away.ts';
import { connectFailFast, type Redis } from '../redis-connection.ts';
import { failoverLines } from '../redis-failover-users.ts';
import { redisKeys } from '../redis-keys.ts';
import { settle } from '../settlement/settle.ts';
import type { Settlement } from '../settlement/settlement.ts';
import { type Replication, watchReplication } from './replication.ts';

/** A primary with two replicas; the Sentinel loses sight of it and of one of them, and makes the other one the primary. */
let fleet: TestSentinels;
const proxies: TcpProxy[] = [];
let old: TestRedis;
let staying: TestRedis;
let next: TestRedis;
/** A gateway's connection, which hears nothing of the Sentinel of its own accord. */
let redis: Redis;
let replication: Replication;

/** As each server has them in the set-ups that are ready-made. */
const MIN_REPLICAS = failoverLines({ replica: '', sentinel: '', client: '' })
  .filter((line) => line.startsWith('min-replicas-'))
  .flatMap((line) => `--${line}`.split(' '));

const isSentinels = (first: Buffer) => first.includes('sentinel-');
const isClients = (first: Buffer) =>
  !isSentinels(first) && !first.toString('latin1').toLowerCase().includes('\nping\r');
const proxyOf = (server: TestRedis) => proxies[fleet.servers.indexOf(server)] as TcpProxy;
const answered: Settlement = {
  ...{ v: 1, outcome: 'answered', text: 'Palm', masked: { url: 0, key: 0, ip: 0, connection: 0 } },
  ...{ usage: { input: 1, output: 2 }, work: { attempts: 1, queuedMs: 1, modelMs: 1, maskMs: 0.1 } },
};
const chargeBy = (server: TestRedis, requestId: string) =>
  settle(server.client, { requestId, keyId: 'k', settlement: answered, attempt: 1 });

beforeAll(async () => {
  fleet = await startTestSentinels({
    ...{ replicas: 2, sentinels: 1, downAfterMs: 500 },
    args: MIN_REPLICAS,
    announced: async (port) => {
      const proxy = await startTcpProxy(port);
      proxies.push(proxy);
      return proxy.port;
    },
  });
  [old, staying, next] = fleet.servers as [TestRedis, TestRedis, TestRedis];
  redis = connectFailFast(fleet.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  replication = watchReplication(redis, '{lontar}:probe:test', {
    replicas: 1,
    isPrimaryWith: askStillPrimary({ REDIS_URL: fleet.url }, redis),
  }) as Replication;
});
afterAll(async () => {
  redis.disconnect();
  await fleet.stop();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
});

test('of two primaries at once the old one makes no promise, then takes nothing, and what it took is charged once', async () => {
  await until(() => replication.held());
  await old.client.hset(redisKeys.apiKey('k'), { id: 'k', charged: 2 });
  for (const id of ['req_both', 'req_late']) await reserve(old.client, id, 'k');
  await old.client.call('WAIT', 2, 0);
  proxyOf(staying).mode('lose', isSentinels);
  const seen = () => fleet.sentinels[0]?.client.call('SENTINEL', 'REPLICAS', fleet.name) as Promise<string[][]>;
  await until(async () => expect((await seen()).flat()).toContainEqual(expect.stringContaining('s_down')));
  proxyOf(old).mode('lose', isSentinels);
  expect(await fleet.untilSwitched(old)).toBe(next);

  // The old one has a replica, so that it takes writes, and WAIT for one replica is content.
  const { stream } = redis;
  await redis.set('{lontar}:probe:value', 'lost');
  expect(await old.client.call('WAIT', 1, 0)).toBe(1);
  expect(redis.stream).toBe(stream);
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
  // Its gateway goes to the next one.
  await until(async () => expect(await redis.info('server')).toContain(`tcp_port:${next.port}\r`));

  await reserve(old.client, 'req_of_old', 'k');
  expect(await chargeBy(old, 'req_both')).toMatchObject({ kind: 'settled' });
  // Alone, it takes nothing.
  proxyOf(old).mode('lose', (first) => !isClients(first));
  await until(() => expect(old.client.set('{lontar}:probe:value', 'alone')).rejects.toThrow('NOREPLICAS'));

  await next.client.config('SET', 'min-replicas-to-write', '0');
  expect(await chargeBy(next, 'req_both')).toMatchObject({ kind: 'settled' });
  expect(await chargeBy(next, 'req_of_old')).toEqual({ kind: 'gone' });
  proxyOf(old).mode('pass');
  // As the Sentinel does, once it sees it again.
  await old.client.replicaof('127.0.0.1', next.port);
  await until(async () => expect(await old.client.get('{lontar}:probe:value')).toBeNull());
  for (const { client } of [old, next]) {
    expect(await client.hget(redisKeys.apiKey('k'), 'charged')).toBe('2');
    expect(await client.zrange(redisKeys.keyFlight('k'), '0', '-1')).toEqual(['req_late']);
  }
});

test('what a server has not got that was made the primary is not held, though no Sentinel says so yet', async () => {
  await staying.client.replicaof('127.0.0.1', next.port);
  await until(async () => expect(await next.client.info('replication')).toMatch(/(slave\d:\S*state=online\S*\s+){2}/));
  await until(() => replication.held());
  // The Sentinel that leads a failover does so; where it is silent then, the others know of none.
  proxyOf(old).mode('lose', isSentinels);
  await old.client.replicaof('NO', 'ONE');
  await redis.set('{lontar}:probe:value', 'lost');
  for (let i = 0; i < 3; i++) await expect(replication.held()).rejects.toThrow(RedisAwayError);
  expect(await staying.client.get('{lontar}:probe:value')).toBe('lost');
  expect(await old.client.get('{lontar}:probe:value')).not.toBe('lost');
});

/** Tries until it does not fail. */
async function until(isSo: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await isSo();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
