import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { counterFields, OTHER_ADDRESSES, personMember, repeatField, usageFields } from '@lontar/shared/event-tally.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { expectUsageAgrees } from '../../testing/usage-agrees.ts';
import { readUsage } from '../endpoints/usage.ts';
import { readLogPage, readNewestRows } from '../log/read-log.ts';
import { LOG_REFUSED_ROWS, LOG_ROWS, statsKeys } from '../stats-keys.ts';
import { consumeEvents } from './consume-events.ts';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis({ durable: true });
});
beforeEach(async () => {
  await redis.client.flushall();
});
afterAll(() => redis.stop());

const refused = (id: number, part: Partial<RequestEvent> = {}): RequestEvent => ({
  v: 1,
  id: `req_${id}`,
  at: Date.now(),
  route: '/api/ai',
  method: 'GET',
  status: 403,
  outcome: 'blocked',
  error: 'address_blocked',
  responseMs: 1,
  address: '192.0.2.1',
  ...part,
});

const answered = (id: number): RequestEvent => {
  const { error: _, ...event } = refused(id, { status: 200, outcome: 'success', keyId: 'abcdefghij' });
  return { ...event, generation: { endpoint: '/api/ai' } };
};

function startConsumer(name: string) {
  const connection = connectPatient(redis.url, name);
  connection.on('error', () => undefined);
  const metrics = statsMetrics(createRegistry('stats-service', 'test'));
  const logger = createLogger(name, 'silent');
  const consumer = consumeEvents({
    redis: connection,
    consumer: name,
    keepTexts: true,
    metrics,
    logger,
    takeoverAfterMs: 200,
  });
  return {
    metrics,
    async stop() {
      await consumer.stop();
      connection.disconnect();
    },
  };
}

/** As a gateway reports: events, and with them how many more are like one of them. */
async function report(events: readonly RequestEvent[], repeats: readonly (readonly [RequestEvent, number])[] = []) {
  const pipeline = redis.client.multi();
  for (const event of events) pipeline.xadd(redisKeys.events, '*', 'event', JSON.stringify(event));
  for (const [event, count] of repeats) pipeline.hincrby(redisKeys.eventTally, repeatField(event), count);
  await pipeline.exec();
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
const counted = () =>
  until(
    async () =>
      (await redis.client.exists(redisKeys.eventTally, redisKeys.eventTallyTaken)) === 0 &&
      (await redis.client.xlen(redisKeys.events)) === 0,
  );
const closed = () => until(async () => (await redis.client.exists(statsKeys.logOpen)) === 0);

test('2,000 refused requests in a second are counted exactly and make one row', async () => {
  const consumer = startConsumer('one');
  const first = refused(1, { at: Math.floor(Date.now() / 1000) * 1000 });
  await report([first]);
  await counted();
  // The row is there at once, and says later how many came.
  expect((await readNewestRows(redis.client, 10)).map(({ id, count }) => [id, count])).toEqual([['req_1', undefined]]);
  for (let flush = 0; flush < 40; flush++) await report([{ ...first, id: `req_f${flush}` }], [[first, 48]]);
  await report([], [[first, 39]]);
  await counted();
  await closed();
  const rows = await readNewestRows(redis.client, 10);
  expect(rows.map(({ id, count, address }) => [id, count, address])).toEqual([['req_1', 2_000, '192.0.2.1']]);
  const usage = await readUsage(redis.client, Date.now());
  expect(usage.total).toMatchObject({ requests: 2_000, client_errors: 2_000, unique_ips: 1, unique_users: 1 });
  const recorded = (await consumer.metrics.recorded.get()).values.find(
    ({ labels }) => labels.endpoint === '/api/ai' && labels.outcome === 'blocked',
  );
  expect(recorded?.value).toBe(2_000);
  await consumer.stop();
});

test('rows of requests for generation add up to what usage says of them, beside refusals of other paths', async () => {
  const consumer = startConsumer('paths');
  const at = Math.floor(Date.now() / 1000) * 1000;
  // More addresses than rows may be open: the last share rows.
  const events = Array.from({ length: 900 }, (_, id) =>
    refused(id, { at, route: id % 3 === 0 ? '/api/upload' : '/api/ai', address: `192.0.2.${id % 220}` }),
  );
  await report(events);
  await counted();
  await closed();
  const { total } = await readUsage(redis.client, Date.now());
  expect(total).toMatchObject({ requests: 600 });
  const sums = new Map<string, number>();
  for (const { route, count = 1 } of await readNewestRows(redis.client, LOG_ROWS)) {
    sums.set(route, (sums.get(route) ?? 0) + count);
  }
  expect(Object.fromEntries(sums)).toEqual({ '/api/ai': 600, '/api/upload': 300 });
  await consumer.stop();
});

test('what is sent as numbers counts exactly once, whichever of two instances takes it and through a restart of Redis', async () => {
  const consumers = [startConsumer('a'), startConsumer('b')];
  const kinds = Array.from({ length: 20 }, (_, index) => refused(index, { address: `192.0.2.${index}` }));
  let sent = 0;
  for (let round = 0; round < 60; round++) {
    const events = kinds.filter((_, index) => (index + round) % 4 === 0);
    await report(
      events,
      kinds.map((event) => [event, 7]),
    );
    sent += events.length + 7 * kinds.length;
    if (round === 30) {
      await redis.kill();
      await redis.start();
    }
    if (round % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await counted();
  const usage = await readUsage(redis.client, Date.now());
  expect(usage.total).toMatchObject({ requests: sent, client_errors: sent, unique_ips: 20 });
  await expectUsageAgrees(redis.client, [], Date.now());
  await closed();
  const rows = await readNewestRows(redis.client, LOG_ROWS);
  expect(rows.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(sent);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
});

test('requests and people of which nothing but counters was kept count all the same', async () => {
  const old = Array.from({ length: 500 }, (_, id) => ({
    ...answered(id),
    address: `10.0.0.${id % 50}`,
    responseMs: id,
  }));
  const pipeline = redis.client.multi();
  for (const event of old) {
    counterFields(event, (field, amount) => pipeline.hincrby(redisKeys.eventTally, field, amount));
    usageFields(event, (field, amount) => pipeline.hincrby(redisKeys.eventTally, field, amount));
    pipeline.zadd(redisKeys.eventPeople, 'GT', event.at, personMember(event) ?? '');
  }
  await pipeline.exec();
  const consumer = startConsumer('counters');
  await counted();
  const { total } = await readUsage(redis.client, Date.now());
  expect(total).toMatchObject({ requests: 500, successes: 500, unique_ips: 50, unique_users: 1 });
  expect(await redis.client.hget(statsKeys.totals, 'response_ms')).toBe(String((499 * 500) / 2));
  const used = await expectUsageAgrees(redis.client, ['abcdefghij'], Date.now());
  expect(used).toMatchObject([{ key: 'abcdefghij', requests: 500 }]);
  await consumer.stop();
});

test('a flood from very many addresses shares rows', async () => {
  const consumer = startConsumer('many');
  const events = Array.from({ length: 3_000 }, (_, id) => refused(id, { address: `10.0.${id >> 8}.${id & 255}` }));
  for (let from = 0; from < 3_000; from += 1_000) await report(events.slice(from, from + 1_000));
  await counted();
  await closed();
  const rows = await readNewestRows(redis.client, LOG_ROWS);
  expect(rows.length).toBeLessThanOrEqual(402);
  expect(rows.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3_000);
  expect(rows.some(({ address, count }) => address === OTHER_ADDRESSES && count !== undefined)).toBe(true);
  await consumer.stop();
});

test('a log full of refused requests keeps its last 5,000 answered ones, and pages to them', async () => {
  const { client } = redis;
  const pipeline = client.pipeline();
  for (let id = 0; id < 5_000; id++) {
    const row = JSON.stringify({ id: `req_old${id}`, at: 1, route: '/api/ai', status: 200, outcome: 'success' });
    pipeline.xadd(statsKeys.log, '*', 'row', row);
  }
  await pipeline.exec();
  const consumer = startConsumer('flood');
  for (let from = 0; from < 5_000; from += 500) {
    await report(Array.from({ length: 500 }, (_, index) => answered(from + index)));
  }
  await counted();
  const cursors = (await client.eval(FILL, 2, statsKeys.log, statsKeys.logRefused, LOG_REFUSED_ROWS)) as string[];
  const oldest = 5_000 - (LOG_ROWS - LOG_REFUSED_ROWS);
  const flood = Array.from({ length: 20_000 }, (_, id) => refused(id, { address: `10.${id % 150}.0.1` }));
  for (let from = 0; from < 20_000; from += 1_000) await report(flood.slice(from, from + 1_000));
  await counted();
  await closed();
  expect(await client.xlen(statsKeys.log)).toBeLessThanOrEqual(LOG_ROWS);
  expect(await client.llen(statsKeys.logRefused)).toBe(LOG_REFUSED_ROWS);
  expect(await client.xrange(statsKeys.log, cursors[0] ?? '', cursors[0] ?? '')).toEqual([]);
  const found: LogRow[] = [];
  let before: string | undefined;
  do {
    const page = await readLogPage(client, { outcome: 'success' }, before);
    found.push(...page.rows);
    before = page.before;
  } while (before !== undefined);
  expect(found.map(({ id }) => id)).toEqual(
    Array.from({ length: 5_000 - oldest }, (_, index) => `req_${4_999 - index}`),
  );
  process.stdout.write(`log: ${Number(await client.call('MEMORY', 'USAGE', statsKeys.log, 'SAMPLES', '0'))} bytes\n`);
  await consumer.stop();
});

/** Rows about refused requests, as a day of floods leaves them. */
const FILL = `
local cursors = {}
for i = 1, tonumber(ARGV[1]) do
  local row = '{"id":"req_r' .. i .. '","at":1,"route":"/api/ai","status":403,"outcome":"blocked"}'
  cursors[i] = redis.call('XADD', KEYS[1], 'MAXLEN', '10000', '*', 'row', row)
  redis.call('RPUSH', KEYS[2], cursors[i])
end
return cursors`;
