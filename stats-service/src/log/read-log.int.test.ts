import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { statsKeys } from '../stats-keys.ts';
import { readLogDetail } from './read-log.ts';

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
