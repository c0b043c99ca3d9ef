import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { takeJob } from '../testing/played-worker.ts';
import { startTestGateway, type TestGateway } from '../testing/running-gateway.ts';

const SLOTS = 16_384;
const NODES = 3;

/** A real cluster, whose nodes refuse each key of another one, and commands and scripts with keys of several slots. */
let nodes: TestRedis[];
let owner: TestRedis;
let gateway: TestGateway;
let redis: Redis;

beforeAll(async () => {
  nodes = await Promise.all(
    Array.from({ length: NODES }, () => startTestRedis({ args: ['--cluster-enabled', 'yes'] })),
  );
  const firstOf = (node: number) => Math.floor((node * SLOTS) / NODES);
  for (const [node, { client }] of nodes.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', node + 1);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', firstOf(node), firstOf(node + 1) - 1);
    await client.call('CLUSTER', 'MEET', '127.0.0.1', (nodes[0] as TestRedis).port);
  }
  await Promise.all(
    nodes.map(async ({ client }) => {
      while (!/cluster_state:ok[^]*cluster_known_nodes:3/.test(String(await client.call('CLUSTER', 'INFO')))) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }),
  );
  const slot = Number(await nodes[0]?.client.call('CLUSTER', 'KEYSLOT', redisKeys.clock));
  owner = nodes.findLast((_node, node) => firstOf(node) <= slot) as TestRedis;
  const url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const beside = { redis: owner, pepper: randomBytes(32).toString('base64url') } as TestGateway;
  gateway = await startTestGateway({ REDIS_URL: url }, beside);
  redis = connectPatient(url, 'worker');
  await redis.connect();
});
afterAll(async () => {
  redis.disconnect();
  await gateway.stop();
  await Promise.all(nodes.map((node) => node.stop()));
});

test('a request goes through a cluster of three: no script has keys of two slots, and one node has them all', async () => {
  const { id, key } = await gateway.createKey({ credits: '5', perHour: '5', perDay: '5' });
  const ask = () => fetch(`${gateway.url}/api/ai?prompt=hi`, { headers: { 'X-API-Key': key } });
  const played = takeJob(redis).then((job) => job.settle({ text: 'Palm' }));
  // A refusal has no job to wait for.
  const answer = await ask();
  expect(await answer.json()).toMatchObject({ code: 200, result: 'Palm' });
  await played;
  const wrong = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
  const refused = await fetch(`${gateway.url}/api/ai?prompt=hi`, { headers: { 'X-API-Key': wrong } });
  expect(refused.status).toBe(401);
  expect(await redis.hget(redisKeys.apiKey(id), 'charged')).toBe('1');
  expect(await openGenerationQueue(redis).state()).toMatchObject({ waiting: 0, active: 0 });
  for (const node of nodes.filter((one) => one !== owner)) expect(await node.client.dbsize()).toBe(0);
  await expect(owner.client.eval('return 1', 2, redisKeys.clock, 'other')).rejects.toThrow('CROSSSLOT');
});
