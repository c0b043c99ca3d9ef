import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { JsonBytes } from '@lontar/shared/json-bytes.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectFailFast, connectReader, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Answered, Settlement } from '@lontar/shared/settlement/settlement.ts';
import { TAKES_STORED } from '@lontar/shared/settlement/stored-replies.ts';
import { textAsJson } from '@lontar/shared/settlement/text-literal.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { type Inbox, openInbox } from './inbox.ts';

const GATEWAY = `g${TAKES_STORED}`;
const MOST_BYTES = 8_388_608;

let server: TestRedis;
let redis: Redis;
let reader: Redis;
let inbox: Inbox;

beforeAll(async () => {
  server = await startTestRedis({ durable: true });
  redis = connectFailFast(server.url, GATEWAY);
  reader = connectReader(server.url, 'inbox');
  await Promise.all([redis.connect(), reader.connect()]);
  inbox = await openInbox({ gateway: GATEWAY, redis, reader, logger: createLogger('test', 'silent') });
});
afterAll(async () => {
  await inbox.stop();
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await server.client.hset(redisKeys.apiKey('k'), { id: 'k', charged: 9 });
});

const answered = (text: string): Answered => ({
  ...{ v: 1, outcome: 'answered', text, masked: { url: 0, key: 0, ip: 0, connection: 0 } },
  ...{ usage: { input: 0, output: 0 }, work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 } },
});
function answerIn(reply: Settlement | 'given up'): Answered {
  if (reply === 'given up' || reply.outcome !== 'answered') throw new Error('no answer');
  return reply;
}
const ending = (requestId: string, text: string) => ({
  ...{ requestId, lock: 'worker:1' },
  settle: { keyId: 'k', settlement: answered(text), replyTo: GATEWAY },
});
const turn = (...endings: ReturnType<typeof ending>[]) =>
  runTurn(server.client, { endings, take: 0, lock: 'worker:2' });
const name = (requestId: string, bytes: number) =>
  server.client.xadd(redisKeys.inbox(GATEWAY), '*', 'stored', requestId, 'bytes', String(bytes));

test('a long settlement reaches all who wait for it, and goes as bytes to one alone', async () => {
  await Promise.all(['one', 'several', 'short'].map((id) => reserve(server.client, id, 'k')));
  const one = inbox.wait('one').reply;
  const others = [inbox.wait('several').reply, inbox.wait('several').reply];
  const short = inbox.wait('short').reply;
  const text = 'é 漢字 "quoted", \\ \n'.repeat(4_000);
  await turn(ending('one', text), ending('short', 'short'), ending('several', `${text}.`));
  expect(textAsJson(answerIn(await one))).toBeInstanceOf(JsonBytes);
  expect(await one).toMatchObject({ text });
  for (const other of others) expect(await other).toMatchObject({ text: `${text}.` });
  expect(await short).toMatchObject({ text: 'short' });
  expect(inbox.waiting).toBe(0);
});

test('many are read up to a bound of bytes at once, and one that is longer alone', async () => {
  const sizes = [...Array.from({ length: 20 }, () => 1_000_000), MOST_BYTES + 1, 20_000, 20_000];
  const ids = sizes.map((_size, index) => `many_${index}`);
  await Promise.all(ids.map((id) => reserve(server.client, id, 'k')));
  let reading = 0;
  let most = 0;
  const read = redis.hgetBuffer.bind(redis);
  redis.hgetBuffer = async (key: string | Buffer, field: string | Buffer) => {
    const size = sizes[ids.findIndex((id) => redisKeys.request(id) === String(key))] ?? 0;
    reading += size;
    most = Math.max(most, reading > size ? reading : 0);
    const json = await read(key, field);
    reading -= size;
    return json;
  };
  const replies = ids.map((id) => inbox.wait(id).reply);
  // One turn: its script names them all in one entry.
  await turn(...ids.map((id, index) => ending(id, 'x'.repeat(sizes[index] ?? 0))));
  const lengths = (await Promise.all(replies)).map((reply) => answerIn(reply).text.length);
  redis.hgetBuffer = read;
  expect(lengths).toEqual(sizes);
  expect(most).toBeGreaterThan(MOST_BYTES / 2);
  expect(most).toBeLessThanOrEqual(MOST_BYTES);
});

test('what is named and not stored is found once it is; what nobody waits for is not read', async () => {
  await reserve(server.client, 'late', 'k');
  const late = inbox.wait('late').reply;
  const next = inbox.wait('next').reply;
  const asked: string[] = [];
  const read = redis.hgetBuffer.bind(redis);
  redis.hgetBuffer = (key: string | Buffer, field: string | Buffer) => {
    asked.push(String(key));
    return read(key, field);
  };
  await reserve(server.client, 'next', 'k');
  await name('nobody', 20_000);
  await name('late', 20_000);
  // After these: an inbox is read in its order.
  await turn(ending('next', 'n'.repeat(20_000)));
  expect(await next).toMatchObject({ outcome: 'answered' });
  redis.hgetBuffer = read;
  expect(asked).toEqual(['late', 'next'].map(redisKeys.request));
  expect(inbox.waiting).toBe(1);
  await settle(server.client, { requestId: 'late', keyId: 'k', settlement: answered('late') });
  expect(await late).toMatchObject({ text: 'late' });
});

test('a settlement that Redis does not give when it is named is found all the same', async () => {
  await reserve(server.client, 'refused', 'k');
  const refused = inbox.wait('refused').reply;
  const read = redis.hgetBuffer.bind(redis);
  redis.hgetBuffer = () => {
    redis.hgetBuffer = read;
    return Promise.reject(new Error('Command timed out'));
  };
  await turn(ending('refused', 'r'.repeat(20_000)));
  expect(await refused).toMatchObject({ text: 'r'.repeat(20_000) });
});
