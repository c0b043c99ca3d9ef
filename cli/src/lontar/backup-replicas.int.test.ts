import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';
import { waitForReplicas } from '../redis/replicas.ts';

let primary: TestRedis;
let replica: TestRedis;
let folder: string;
beforeAll(async () => {
  primary = await startTestRedis({ args: ['--repl-diskless-sync-delay', '0'] });
  replica = await startTestRedis({ args: ['--replicaof', `127.0.0.1 ${primary.port}`] });
  await untilFollowing();
  folder = await mkdtemp(join(tmpdir(), 'lontar-cli-'));
});
afterAll(async () => {
  replica.process().kill('SIGCONT');
  await Promise.all([primary.stop(), replica.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function untilFollowing(): Promise<void> {
  while (!(await primary.client.info('replication')).includes('state=online')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function lontar(...args: string[]): Promise<Ended> {
  const environment = { REDIS_URL: primary.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: join(folder, 'home') };
  return runInProcess(folder, environment, args);
}

const scansOf = async ({ client }: TestRedis) =>
  Number(/cmdstat_scan:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? '0');

test('a backup is read from a replica that has everything, and restored to the primary and the replica', async () => {
  const file = join(folder, 'one.backup');
  const { out } = await lontar('keys', 'create', '--name', 'shop', '--credits', '100', '--json');
  const { id } = JSON.parse(out) as { id: string };
  const before = await scansOf(primary);
  expect(await lontar('backup', file, '--from-replica')).toMatchObject({
    code: 0,
    out: expect.stringMatching('1 API key'),
  });
  expect(await scansOf(primary)).toBe(before);
  expect(await scansOf(replica)).toBeGreaterThan(0);

  await primary.client.flushall();
  expect(await lontar('restore', file)).toMatchObject({ code: 0 });
  expect(await replica.client.hget(redisKeys.apiKey(id), 'name')).toBe('shop');
});

test('a restore that a replica has not got is told, and how many lack it', async () => {
  replica.process().kill('SIGSTOP');
  await primary.client.set('{lontar}:probe:test', '1');
  expect(await waitForReplicas(primary.client, 0)).toBe(1);
  replica.process().kill('SIGCONT');
  expect(await waitForReplicas(primary.client)).toBe(0);
});

test('without a replica there is none to read, and none to wait for', async () => {
  await replica.client.replicaof('NO', 'ONE');
  while ((await primary.client.info('replication')).includes('slave0')) await new Promise((r) => setTimeout(r, 20));
  const { code, err } = await lontar('backup', join(folder, 'two.backup'), '--from-replica');
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('No replica follows the primary. Leave out') });
  expect(await waitForReplicas(primary.client)).toBe(0);
});
