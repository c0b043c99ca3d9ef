import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { deleteKey } from '@lontar/shared/keys/change-key.ts';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { lastDays } from '@lontar/shared/usage/read-usage.ts';
import { runInProcess } from '../../testing/run-in-process.ts';

const actor = { by: 'cli', id: 'tester' } as const;
const DAY_MS = 86_400_000;

let redis: TestRedis;
let folder: string;

beforeAll(async () => {
  redis = await startTestRedis();
  folder = await mkdtemp(join(tmpdir(), 'lontar-cli-'));
});
beforeEach(async () => {
  await redis.client.flushall();
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

const lontar = (...args: string[]) =>
  runInProcess(folder, { REDIS_URL: redis.url, LONTAR_HOME: folder }, ['usage', ...args]);
const create = async (name: string, owner: string) =>
  (await createKey({ redis: redis.client, pepper: 'p'.repeat(40) }, { name, owner }, { actor })).record.id;
const use = (of: string, date: string, model: string, counts: string) =>
  redis.client.hset(redisKeys.keyUsage(of, date.slice(0, 7)), `${date.slice(8)} ${model}`, counts);
const daysAgo = (days: number) => lastDays(1, Date.now() - days * DAY_MS).to;

test('is told by key, owner and period, as CSV, JSON and a table', async () => {
  const first = await create('=cmd|x', 'Ann');
  const second = await create('plain, name', 'Ann');
  const other = await create('other', 'Bob');
  const gone = await create('gone', 'Ann');
  await use(first, daysAgo(0), 'ai-2.5-pro', '3,2,100,200,1,0,1,1');
  await use(first, daysAgo(40), 'ai-2.5-pro', '5,5');
  await use(second, daysAgo(1), 'ai-2.5-flash', '1,1,10,20');
  await use(other, daysAgo(1), 'ai-2.5-flash', '2,2');
  await use(gone, daysAgo(1), '-', '4,0,0,0,0,0,0,0,4');
  await use('none', daysAgo(1), '-', '7');
  await deleteKey(redis.client, gone, { actor });

  const ofAnn = await lontar('--owner', 'Ann', '--csv');
  expect({ code: ofAnn.code, err: ofAnn.err }).toEqual({ code: 0, err: '' });
  expect(ofAnn.out.split('\r\n')).toEqual([
    'date,key,name,owner,model,requests,successes,prompt_tokens,completion_tokens,masked,estimated_tokens,left,client_errors,rate_limited,server_errors,timeouts,content_blocked,blocked,shed,unauthorized',
    `${daysAgo(0)},${first},"'=cmd|x",Ann,ai-2.5-pro,3,2,100,200,1,0,1,1,0,0,0,0,0,0,0`,
    `${daysAgo(1)},${second},"plain, name",Ann,ai-2.5-flash,1,1,10,20,0,0,0,0,0,0,0,0,0,0,0`,
    '',
  ]);

  const all = JSON.parse((await lontar('--json')).out) as { key: string; requests: number }[];
  expect(Object.fromEntries(all.map(({ key, requests }) => [key, requests]))).toEqual({
    [first]: 3,
    [second]: 1,
    [other]: 2,
    [gone]: 4,
    none: 7,
  });
  const long = JSON.parse((await lontar('--key', first, '--from', daysAgo(41), '--json')).out);
  expect(long).toMatchObject([
    { date: daysAgo(40), requests: 5, name: '=cmd|x', owner: 'Ann' },
    { date: daysAgo(0), requests: 3, clientErrors: 1, left: 1 },
  ]);

  const { out } = await lontar();
  expect(out).toMatch(new RegExp(`^3 +2 +1 +1 +1 +100 +200 +0 +${first} +Ann +=cmd`, 'm'));
  expect(out).toMatch(/^17 +5 .* all of them$/m);
  expect((await lontar('--key', second)).out).toMatch(new RegExp(`^1 +1 .*${daysAgo(1)} +ai-2.5-flash$`, 'm'));
});

test('of nothing says so', async () => {
  expect((await lontar('--key', '0123456789')).out).toMatch(/^Nothing was used from \S+ to \S+\.\n$/);
  expect((await lontar('--json')).out).toBe('[]\n');
  expect((await lontar('--owner', 'nobody', '--csv')).out.split('\r\n')).toHaveLength(2);
});

test.each([
  [['--from', '2026-02-30'], 'UTC day'],
  [['--to', 'today'], 'UTC day'],
  [['--from', '2026-02-02', '--to', '2026-02-01'], 'before it begins'],
  [['--key', 'x'], 'id of a key'],
  [['--csv', '--json'], 'not both'],
])('%j is refused', async (args, why) => {
  const { code, out, err } = await lontar(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(why);
});
