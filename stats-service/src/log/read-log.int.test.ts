import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { statsKeys } from '../stats-keys.ts';
import { readLogDetail, readLogPage, readNewestRows } from './read-log.ts';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

test.each([
  ['as a gateway writes them', '{"prompt":"a","answer":"b"}', { texts: 'kept', prompt: 'a', answer: 'b' }],
  ['with a field that is no text of the two', '{"answer":"b","row":{}}', { texts: 'kept', answer: 'b' }],
  ['that cannot be understood', '{"prompt":5}', { texts: 'none' }],
  ['that are no JSON', '{"prompt":', { texts: 'none' }],
])('texts %s are judged when they are read', async (_which, texts, expected) => {
  const row = { id: 'req_1', outcome: 'success' };
  const cursor = (await redis.client.xadd(statsKeys.log, '*', 'row', JSON.stringify(row))) ?? '';
  await redis.client.xadd(statsKeys.logTexts, cursor, 'texts', texts);
  expect(await readLogDetail(redis.client, cursor)).toEqual({ row: { ...row, cursor }, ...expected });
});

test('rows have the name of their key beside its id, and can be searched for by it', async () => {
  const { client } = redis;
  await client.hset(redisKeys.apiKey('KeyOne'), 'name', 'Corner shop');
  for (const [id, keyId] of [
    ['req_named', 'KeyOne'],
    ['req_unnamed', 'KeyTwo'],
    ['req_keyless', undefined],
  ]) {
    await client.xadd(statsKeys.log, '*', 'row', JSON.stringify({ id, keyId, outcome: 'success' }));
  }
  const names = (await readNewestRows(client, 3)).map(({ id, keyName }) => [id, keyName]);
  expect(names).toEqual([
    ['req_named', 'Corner shop'],
    ['req_unnamed', undefined],
    ['req_keyless', undefined],
  ]);
  // A key that was deleted has left its name there, one that an earlier version deleted has not.
  await client.set(redisKeys.keyDeleted('KeyTwo'), '1 test of the start');
  expect((await readNewestRows(client, 3))[1]?.keyName).toBe('test of the start');
  await client.set(redisKeys.keyDeleted('KeyTwo'), '1');
  expect((await readNewestRows(client, 3))[1]?.keyName).toBeUndefined();
  const page = await readLogPage(client, { text: 'corner' }, undefined);
  expect(page.rows.map(({ id }) => id)).toEqual(['req_named']);
  expect((await readLogDetail(client, page.rows[0]?.cursor ?? ''))?.row.keyName).toBe('Corner shop');
});
