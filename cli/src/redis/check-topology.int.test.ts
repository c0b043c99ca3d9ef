import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestSentinels, type TestSentinels } from '@lontar/shared/testing/redis-sentinels.ts';
import { startTestRedis } from '@lontar/shared/testing/redis-server.ts';
import { readTopology, type Topology } from './check-topology.ts';
import { connectOnce } from './connect.ts';

let fleet: TestSentinels;

beforeAll(async () => {
  fleet = await startTestSentinels({ replicas: 1, sentinels: 2 });
});
afterAll(() => fleet.stop());

async function look(url = fleet.url): Promise<Topology> {
  const redis = await connectOnce(url, 'test');
  try {
    return await readTopology(redis, { REDIS_URL: url });
  } finally {
    redis.disconnect();
  }
}

test('a set-up is told, and what of it is unsafe', async () => {
  const [primary, replica] = fleet.servers;
  await replica?.client.config('SET', 'appendonly', 'no');
  await replica?.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const unsafe = await look();
  expect(unsafe.what).toMatch(
    new RegExp(
      `^The primary is 127.0.0.1:${primary?.port}; 1 replica \\(127.0.0.1:${replica?.port} \\d+ s behind\\); 2 Sentinels, of which 2 have to agree.$`,
    ),
  );
  expect(unsafe.dangers).toEqual([
    expect.stringMatching(/^Only 2 Sentinels watch lontar/),
    expect.stringMatching(/^A primary that is cut off from its replicas goes on/),
    expect.stringMatching(/^The replica 127.0.0.1:\d+ keeps no append-only file/),
    expect.stringMatching(/^The replica 127.0.0.1:\d+ would drop data when its memory is full \(allkeys-lru\)/),
  ]);

  await replica?.client.config('SET', 'appendonly', 'yes');
  await replica?.client.config('SET', 'maxmemory-policy', 'noeviction');
  await primary?.client.config('SET', 'min-replicas-to-write', '1');
  const [, stops, ...others] = (await look()).dangers;
  expect(stops).toMatch(/^min-replicas-to-write is 1, with 1 replica: the next failure stops every write/);
  expect(others).toEqual([]);
  await primary?.client.config('SET', 'min-replicas-to-write', '0');
});

test('the primary has the name by which the Sentinels know it', async () => {
  const { port } = await fleet.primary();
  const watch = async (host: string) => {
    for (const { client } of fleet.sentinels) {
      for (const what of ['resolve-hostnames', 'announce-hostnames'])
        await client.call('SENTINEL', 'CONFIG', 'SET', what, 'yes');
      await client.call('SENTINEL', 'REMOVE', fleet.name);
      await client.call('SENTINEL', 'MONITOR', fleet.name, host, port, '2');
    }
  };
  await watch('localhost');
  expect((await look()).what).toMatch(new RegExp(`^The primary is localhost:${port};`));
  await watch('127.0.0.1');
});

test('Sentinels that watch other primaries under the same name are found, and one that is away', async () => {
  const stray = await startTestRedis();
  const [sentinel] = fleet.sentinels;
  await sentinel?.client.call('SENTINEL', 'REMOVE', fleet.name);
  await sentinel?.client.call('SENTINEL', 'MONITOR', fleet.name, '127.0.0.1', stray.port, '1');
  // Of the same epoch neither is the later one.
  await expect(connectOnce(fleet.url, 'test')).rejects.toThrow(
    /The Sentinels disagree: 127.0.0.1:\d+ names 127.0.0.1:\d+ as lontar, 127.0.0.1:\d+ names 127.0.0.1:\d+; make all of them/,
  );
  await sentinel?.kill();
  expect((await look()).dangers[0]).toMatch(/^The Sentinel 127.0.0.1:\d+ does not help: nothing listens there/);
  await stray.stop();
});
