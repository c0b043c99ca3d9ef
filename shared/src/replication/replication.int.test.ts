import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { RedisAwayError } from '../redis-away.ts';
import { connectFailFast, type Redis } from '../redis-connection.ts';
import { type Replication, watchReplication } from './replication.ts';

let primary: TestRedis;
let replicas: [TestRedis, TestRedis];
let redis: Redis;
/** What was asked: by how many replicas the write was held. */
let asked: number[];
let isPrimary: boolean;
let replication: Replication;
let waits: boolean[];

beforeAll(async () => {
  primary = await startTestRedis({ args: ['--repl-diskless-sync-delay', '0'] });
  replicas = (await Promise.all([1, 2].map(() => startReplica()))) as [TestRedis, TestRedis];
});
afterAll(() => Promise.all([primary, ...replicas].map((server) => server.stop())));

beforeEach(async () => {
  for (const { client } of replicas) await client.replicaof('127.0.0.1', primary.port);
  await untilFollowing(2);
  redis = connectFailFast(primary.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  [asked, waits, isPrimary] = [[], [], true];
  replication = watchReplication(redis, '{lontar}:probe:test', {
    replicas: 1,
    isPrimaryWith(holding) {
      asked.push(holding);
      return Promise.resolve(isPrimary);
    },
    onWaited: (isHeld) => waits.push(isHeld),
  }) as Replication;
});
afterEach(() => {
  redis.disconnect();
  // None stands still for the next test.
  for (const server of replicas) server.process().kill('SIGCONT');
});

function startReplica(): Promise<TestRedis> {
  return startTestRedis({ args: ['--replicaof', `127.0.0.1 ${primary.port}`, '--repl-ping-replica-period', '1'] });
}

async function untilFollowing(count: number): Promise<void> {
  const following = async () => [...(await primary.client.info('replication')).matchAll(/state=online/g)].length;
  while ((await following()) !== count) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits until it resolves: on a busy machine a replica may be late. */
async function untilHeld(): Promise<void> {
  while (
    !(await replication.held().then(
      () => true,
      () => false,
    ))
  );
}

/** Waits until both replicas count: none that was late is excused any more. */
async function untilBothCount(): Promise<void> {
  await untilHeld();
  isPrimary = false;
  await untilHeld();
  isPrimary = true;
}

const replicaHas = async (value: string) =>
  Promise.all(replicas.map(async ({ client }) => (await client.get('{lontar}:probe:value')) === value));

test('what was written is held once both replicas have it; it is asked once who the primary is', async () => {
  await untilBothCount();
  isPrimary = false;
  await redis.set('{lontar}:probe:value', 'both');
  await untilHeld();
  expect(await replicaHas('both')).toEqual([true, true]);
  const before = asked.length;
  waits = [];
  await untilHeld();
  if (waits.length === 1) expect(asked).toHaveLength(before);
});

test('what a promoted replica has not got is not held, though the other one confirms it', async () => {
  await untilBothCount();
  isPrimary = false;
  await replicas[0].client.replicaof('NO', 'ONE');
  await redis.set('{lontar}:probe:value', 'lost');
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
  expect((await replicaHas('lost'))[0]).toBe(false);
});

test('one that was excused, and promoted then, is noticed', async () => {
  await untilBothCount();
  await replicas[0].client.replicaof('NO', 'ONE');
  await untilHeld();
  isPrimary = false;
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
});

test('a new connection does not know which replicas there were, and asks', async () => {
  await replicas[0].client.replicaof('NO', 'ONE');
  await untilFollowing(1);
  isPrimary = false;
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
});

test('a replica that hangs is excused while the primary is confirmed, and waited for again once it follows', async () => {
  await untilBothCount();
  replicas[0].process().kill('SIGSTOP');
  await untilHeld();
  expect(asked).toContain(1);

  replicas[0].process().kill('SIGCONT');
  await untilBothCount();
  isPrimary = false;
  replicas[0].process().kill('SIGSTOP');
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
});

test('with too few replicas nothing is held, whatever is said of the primary', async () => {
  for (const { client } of replicas) await client.replicaof('NO', 'ONE');
  await expect(replication.held()).rejects.toThrow(RedisAwayError);
  expect(asked).toEqual([]);
});

test('all who ask while others wait in vain are not held either, without another wait', async () => {
  await untilHeld();
  waits = [];
  for (const server of replicas) server.process().kill('SIGSTOP');
  const first = replication.held().catch(() => 'late');
  await new Promise((resolve) => setTimeout(resolve, 20));
  const others = Array.from({ length: 20 }, () => replication.held().catch(() => 'late'));
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(['late']));
  expect(waits).toEqual([false]);
});
