import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parsePerson, parseTallyField } from '@lontar/shared/event-tally.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { connectFailFast, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { openEventLog } from './event-log.ts';

let server: TestRedis;
let redis: Redis;
const logger = createLogger('test', 'silent');

beforeAll(async () => {
  server = await startTestRedis({ durable: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
  redis = connectFailFast(server.url, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
});

const event = (id: number): RequestEvent => ({
  v: 1,
  id: `req_${id}`,
  at: 1,
  route: '/api/ai',
  method: 'GET',
  status: 200,
  outcome: 'success',
  responseMs: 1,
  address: '192.0.2.1',
});
const stored = async () =>
  (await server.client.xrange(redisKeys.events, '-', '+')).map(
    ([, fields]) => (JSON.parse(fields[1] ?? '') as RequestEvent).id,
  );
const open = (gateway = 'gateway-1') =>
  openEventLog({ gateway, redis, logger, onReduced: () => undefined, onDropped: () => undefined });

test('events arrive in order, in a few batches', async () => {
  const events = open();
  await Promise.all(Array.from({ length: 1_200 }, (_, index) => events.append(event(index))));
  await events.stop(10_000);
  expect(await stored()).toEqual(Array.from({ length: 1_200 }, (_, index) => `req_${index}`));
  // One for the first event alone, then at most 500 at once.
  expect(Number(await server.client.get(redisKeys.eventProducer('gateway-1')))).toBeLessThanOrEqual(5);
  redis.disconnect();
});

test('an event appended while the last batch is being acknowledged is not left behind', async () => {
  const events = open();
  for (let index = 0; index < 50; index++) await events.append(event(index));
  await events.stop(10_000);
  expect(await stored()).toHaveLength(50);
  redis.disconnect();
});

const append = loadScript(new URL('./append-events.lua', import.meta.url));
const keys = [
  redisKeys.events,
  redisKeys.eventProducer('g'),
  redisKeys.eventBytes,
  redisKeys.eventTally,
  redisKeys.eventPeople,
];

test('a batch whose acknowledgement was lost is not counted twice', async () => {
  const send = (batch: number, ...events: string[]) =>
    append(redis, keys, [
      batch,
      1000,
      1e6,
      1e6,
      10,
      10,
      events.length,
      1,
      0,
      ...events.flatMap((json) => [json, '']),
      'r',
      3,
    ]);
  expect(await send(1, 'a', 'b')).toEqual(['appended', 0]);
  expect(await send(1, 'a', 'b')).toEqual(['repeated']);
  expect(await send(2, 'c')).toEqual(['appended', 0]);
  expect(await send(1, 'a', 'b')).toEqual(['repeated']);
  expect(await server.client.xlen(redisKeys.events)).toBe(3);
  expect(await server.client.hget(redisKeys.eventTally, 'r')).toBe('6');
  redis.disconnect();
});

test('events are sent again until replicas have them, also to a new primary that has not got them', async () => {
  let waits = 0;
  const replication = {
    async held() {
      if (waits++ > 0) return;
      await server.client.flushall();
      throw new RedisAwayError('too few replicas have it', { replied: true });
    },
  };
  const lost = { onReduced: () => undefined, onDropped: () => undefined };
  const events = openEventLog({ gateway: 'gateway-1', redis, logger, replication, ...lost });
  await events.append(event(1));
  expect(waits).toBe(2);
  expect(await stored()).toEqual(['req_1']);
  redis.disconnect();
});

const refused = (id: number, part: Partial<RequestEvent> = {}): RequestEvent => ({
  ...event(id),
  at: Date.UTC(2026, 0, 31),
  status: 403,
  outcome: 'blocked',
  error: 'address_blocked',
  ...part,
});

/** Requests that Redis got, one by one or as numbers. */
async function reported(): Promise<number> {
  const tally = await server.client.hgetall(redisKeys.eventTally);
  let requests = await server.client.xlen(redisKeys.events);
  for (const [text, amount] of Object.entries(tally)) {
    const field = parseTallyField(text);
    if (field?.kind === 'repeat' || field?.kind === 'recorded') requests += Number(amount);
  }
  return requests;
}

const fileBytes = async () => Number(/aof_current_size:(\d+)/.exec(await server.client.info('persistence'))?.[1]);

test('2,000 refused requests of an address in a second are counted exactly, in few bytes', async () => {
  const events = open();
  await server.client.set('warm', 'up');
  const before = await fileBytes();
  // As from fifty connections, each of which waits for its answer.
  let sent = 0;
  const caller = async () => {
    while (sent < 2_000) await events.append(refused(sent++));
  };
  await Promise.all(Array.from({ length: 50 }, caller));
  await events.stop(10_000);
  const bytes = (await fileBytes()) - before;
  process.stdout.write(`2,000 refused requests: ${bytes} bytes of append-only file\n`);
  expect(await reported()).toBe(2_000);
  expect(await server.client.xlen(redisKeys.events)).toBeLessThanOrEqual(100);
  expect(bytes).toBeLessThanOrEqual(100_000);
  redis.disconnect();
});

test('the people of refused requests that are sent together are sent too', async () => {
  const events = open();
  await Promise.all(
    Array.from({ length: 300 }, (_, id) => events.append(refused(id, { address: `10.0.${id >> 8}.${id & 255}` }))),
  );
  await events.stop(10_000);
  const people = await server.client.zrange(redisKeys.eventPeople, 0, '-1');
  expect(await reported()).toBe(300);
  const first = (await server.client.xrange(redisKeys.events, '-', '+')).map(
    ([, fields]) => (JSON.parse(fields[1] ?? '') as RequestEvent).address,
  );
  expect(new Set([...first, ...people.map((member) => parsePerson(member)?.address)]).size).toBe(300);
  redis.disconnect();
});

const EVERY_TEXT = { take: () => true };

test('while stats-service is away the stream loses texts first, then rows, and never a count', async () => {
  const small = await startTestRedis();
  const connection = connectFailFast(small.url, 'test');
  connection.on('error', () => undefined);
  await connection.connect();
  const reduced = { texts: 0, row: 0 };
  const events = openEventLog({
    gateway: 'g',
    redis: connection,
    logger,
    onReduced: (leftOut, count) => {
      reduced[leftOut] += count;
    },
    onDropped: () => undefined,
    texts: EVERY_TEXT,
  });
  const generation = {
    endpoint: '/api/ai' as const,
    promptPreview: 'p'.repeat(4_000),
    answerPreview: 'a'.repeat(4_000),
  };
  const usage = async () => Number(await small.client.call('MEMORY', 'USAGE', redisKeys.events, 'SAMPLES', '0'));
  let sent = 0;
  const send = async (count: number, one: (id: number) => RequestEvent) => {
    await Promise.all(Array.from({ length: count }, () => events.append(one(sent++))));
    await events.stop(10_000);
  };
  while (reduced.texts === 0) await send(500, (id) => ({ ...event(id), generation }));
  const withTexts = await usage();
  while (reduced.row === 0) await send(5_000, event);
  await send(1_000, event);
  const [entries, fields] = await Promise.all([
    small.client.xlen(redisKeys.events),
    small.client.hgetall(redisKeys.eventTally),
  ]);
  const counted = Number(fields[JSON.stringify(['recorded', '/api/ai', 'success'])]);
  const bytes = await usage();
  process.stdout.write(`${sent} events: ${withTexts} bytes with texts, ${bytes} in all, ${counted} as counters\n`);
  expect(entries + counted).toBe(sent);
  expect(reduced.row).toBe(counted);
  expect(bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(Object.keys(fields).length).toBeLessThan(20);
  for (const one of [connection, redis]) one.disconnect();
  await small.stop();
});

test('while Redis is away memory loses texts first, then rows, and never a count', async () => {
  const reduced = { texts: 0, row: 0 };
  const events = openEventLog({
    gateway: 'g',
    redis,
    logger,
    onReduced: (leftOut, count) => {
      reduced[leftOut] += count;
    },
    onDropped: () => undefined,
    texts: EVERY_TEXT,
  });
  await server.kill();
  const generation = {
    endpoint: '/api/ai' as const,
    promptPreview: 'p'.repeat(4_000),
    answerPreview: 'a'.repeat(4_000),
  };
  const away = Array.from({ length: 40_000 }, (_, id) => events.append({ ...event(id), generation }));
  expect(reduced.texts).toBeGreaterThan(10_000);
  expect(reduced.row).toBeGreaterThan(10_000);
  await server.start();
  await Promise.all(away);
  await events.stop(10_000);
  expect(await reported()).toBe(40_000);
  redis.disconnect();
});

test('of many requests a second only some have texts, and each its event', async () => {
  const events = open();
  const generation = { endpoint: '/api/ai' as const, promptPreview: 'asked', answerPreview: 'said' };
  await Promise.all(Array.from({ length: 1_500 }, (_, id) => events.append({ ...event(id), generation })));
  await events.stop(10_000);
  const entries = await server.client.xrange(redisKeys.events, '-', '+');
  expect(entries).toHaveLength(1_500);
  const texts = entries.map(([, fields]) => fields[fields.indexOf('texts') + 1]);
  expect(texts.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }, () => '{"prompt":"asked","answer":"said"}'));
  expect(entries.filter(([, fields]) => fields.includes('texts')).length).toBeLessThan(1_500);
  redis.disconnect();
});

test('nothing is lost while Redis is killed and started again, and nothing is counted twice', async () => {
  const events = open();
  await events.append(event(0));
  await server.kill();
  const away = Array.from({ length: 20 }, (_, index) => events.append(event(index + 1)));
  await server.start();
  await Promise.all(away);
  await events.stop(10_000);
  expect(await stored()).toEqual(Array.from({ length: 21 }, (_, index) => `req_${index}`));
  redis.disconnect();
});
