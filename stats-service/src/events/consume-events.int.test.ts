import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { userOf, utcDay } from '@lontar/shared/event-counts.ts';
import { deleteKey } from '@lontar/shared/keys/change-key.ts';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import { showKey } from '@lontar/shared/keys/read-key.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { isGenerationRoute, isThinned, type RequestEvent } from '@lontar/shared/request-event.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { sumUsage } from '@lontar/shared/usage/read-usage.ts';
import { mixedEvents } from '../../testing/mixed-events.ts';
import { expectUsageAgrees } from '../../testing/usage-agrees.ts';
import { readTiles } from '../counters/read-counters.ts';
import { readServiceStats } from '../endpoints/service-stats.ts';
import { readUsage } from '../endpoints/usage.ts';
import { readNewestRows } from '../log/read-log.ts';
import { LOG_ROWS, statsKeys } from '../stats-keys.ts';
import { consumeEvents } from './consume-events.ts';

const EVENTS = 10_000;
const DAY_MS = 86_400_000;
const CONSUMER = fileURLToPath(new URL('../../testing/consumer-process.ts', import.meta.url));

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis({ durable: true });
});

afterAll(async () => {
  await redis.stop();
});

test('10,000 mixed events are counted exactly once while consumers are killed and Redis restarts', async () => {
  const random = seededRandom(7);
  const now = Date.now();
  const events = mixedEvents(EVENTS, [now - 2 * DAY_MS, now - DAY_MS, now - 1_000]);
  const consumers = new Map<string, ChildProcess>();
  let started = 0;
  const start = async () => {
    started += 1;
    const name = `consumer-${started}`;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CONSUMER, redis.url, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    consumers.set(name, child);
    await once(child.stdout, 'data');
  };
  const kill = async () => {
    const [name, child] = [...consumers][Math.floor(random() * consumers.size)] as [string, ChildProcess];
    consumers.delete(name);
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await Promise.all([start(), start()]);
  for (let from = 0; from < EVENTS; from += 500) {
    await append(events.slice(from, from + 500));
    if (from % 2_000 === 0) {
      await kill();
      await start();
    }
    if (from === 5_000) {
      await redis.kill();
      await redis.start();
    }
  }
  await drained();
  await rowsClosed();
  for (const child of consumers.values()) child.kill('SIGKILL');

  expect(await redis.client.xpending(redisKeys.events, 'stats')).toEqual([0, null, null, null]);
  expect(await readUsage(redis.client, now)).toEqual(referenceUsage(events, now));
  const stats = await readServiceStats(redis.client);
  expect(stats.masked_by_type).toEqual(referenceMasked(events));
  expect(stats.total_users).toBe(new Set(events.filter(isGeneration).map(userOf)).size);
  expect(await readTiles(redis.client, now)).toMatchObject(referenceTiles(events, now));

  const keyIds = [...new Set(events.flatMap(({ keyId }) => keyId ?? []))];
  const used = await expectUsageAgrees(redis.client, keyIds, now);
  for (const keyId of [...keyIds, undefined]) {
    const own = events.filter((event) => isGeneration(event) && event.keyId === keyId);
    const answered = own.filter(({ outcome }) => outcome === 'success');
    const sum = sumUsage(used.filter(({ key }) => key === (keyId ?? 'none')));
    expect(sum).toMatchObject({
      requests: own.length,
      successes: answered.length,
      masked: own.filter((event) => maskedIn(event) > 0).length,
      promptTokens: 10 * answered.length,
      completionTokens: 20 * answered.length,
      timeouts: own.filter(({ outcome }) => outcome === 'timeout').length,
    });
  }

  const rows = await readNewestRows(redis.client, LOG_ROWS);
  const shown = events.filter(({ route }) => isGenerationRoute(route) || route === 'other');
  const [refused, answered] = [shown.filter(isThinned), shown.filter((event) => !isThinned(event))];
  expect(rows.filter((row) => !isRefused(row)).map(({ id }) => id)).toEqual(
    expect.arrayContaining(answered.slice(-5_000).map(({ id }) => id)),
  );
  expect(rows.filter(isRefused).reduce((sum, { count = 1 }) => sum + count, 0)).toBe(refused.length);
  expect(await redis.client.xlen(statsKeys.logTexts)).toBeLessThanOrEqual(1_000);
});

test('what cannot be understood is dropped, counted, and does not hold up the rest', async () => {
  const metrics = statsMetrics(createRegistry('stats-service', 'test'));
  const connection = connectPatient(redis.url, 'malformed');
  const [good] = mixedEvents(1, [Date.now()], 3) as [RequestEvent];
  const before = Number(await redis.client.hget(statsKeys.totals, 'all'));
  const malformed = ['{', '{}', '[]', JSON.stringify({ ...good, v: 2 }), JSON.stringify({ ...good, at: 9e15 }), 'null'];
  for (const event of malformed) await redis.client.xadd(redisKeys.events, '*', 'event', event);
  await redis.client.xadd(redisKeys.events, '*', 'other', 'field');
  // Numbers that Redis would refuse to add must not stop the batch half-way.
  const masked = { url: 1.5, key: -3, ip: Number.MAX_VALUE, connection: 0 };
  const odd = { ...good, route: '/api/ai', outcome: 'success', status: 200, responseMs: -7 };
  await append([{ ...odd, generation: { endpoint: '/api/ai', masked } } as RequestEvent]);
  await append([good]);
  const consumer = consumeEvents({
    redis: connection,
    consumer: 'malformed',
    keepTexts: false,
    metrics,
    logger: createLogger('test', 'silent'),
  });
  await drained();
  await consumer.stop();
  connection.disconnect();
  expect(Number(await redis.client.hget(statsKeys.totals, 'all'))).toBe(before + 2);
  expect((await metrics.dropped.get()).values.find(({ labels }) => labels.reason === 'malformed')?.value).toBe(7);
});

test('the last use of a key is noted to the minute, and no key comes back that was deleted', async () => {
  const place = { redis: redis.client, pepper: 'p'.repeat(40) };
  const actor = { by: 'cli', id: 'tester' } as const;
  const kept = (await createKey(place, { name: 'kept' }, { actor })).record;
  const deleted = (await createKey(place, { name: 'deleted' }, { actor })).record;
  await deleteKey(redis.client, deleted.id, { actor });
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const [of] = mixedEvents(1, [minute], 6);
  const use = (keyId: string, at: number) => ({ ...of, keyId, at }) as RequestEvent;
  const connection = connectPatient(redis.url, 'use');
  const deps = { redis: connection, consumer: 'use', keepTexts: false, logger: createLogger('test', 'silent') };
  const consumer = consumeEvents({ ...deps, metrics: statsMetrics(createRegistry('stats-service', 'test')) });
  await append([use(kept.id, minute + 20_000), use(deleted.id, minute), use(kept.id, minute - 600_000)]);
  await drained();
  await consumer.stop();
  connection.disconnect();
  expect(await showKey(redis.client, kept.id)).toMatchObject({ lastUsedAt: minute });
  expect(await redis.client.zscore(redisKeys.apiKeyUse, deleted.id)).toBeNull();
});

test('a lost group is made anew and nothing is lost with it', async () => {
  const connection = connectPatient(redis.url, 'group');
  const consumer = consumeEvents({
    redis: connection,
    consumer: 'group',
    keepTexts: true,
    metrics: statsMetrics(createRegistry('stats-service', 'test')),
    logger: createLogger('test', 'silent'),
  });
  await append(mixedEvents(10, [Date.now()], 4));
  await drained();
  await redis.client.flushall();
  await append(mixedEvents(25, [Date.now()], 5));
  await drained();
  await consumer.stop();
  connection.disconnect();
  expect(await redis.client.hget(statsKeys.totals, 'all')).toBe('25');
});

async function append(events: readonly RequestEvent[]): Promise<void> {
  const pipeline = redis.client.pipeline();
  for (const event of events) pipeline.xadd(redisKeys.events, '*', 'event', JSON.stringify(event));
  await pipeline.exec();
}

/** Resolves when every event is counted: counted events are gone from the stream. */
async function drained(): Promise<void> {
  while ((await redis.client.xlen(redisKeys.events)) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Resolves when no row about refused requests waits for further ones. */
async function rowsClosed(): Promise<void> {
  while ((await redis.client.hlen(statsKeys.logOpen)) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

const isRefused = ({ status, route, endpoint }: LogRow) =>
  endpoint === undefined && (status >= 400 || route === 'other');

function isGeneration({ route }: RequestEvent): boolean {
  return isGenerationRoute(route);
}

/** The same numbers, counted the plain way. */
function referenceUsage(events: readonly RequestEvent[], now: number) {
  const generation = events.filter(isGeneration);
  const counts = (some: readonly RequestEvent[]) => ({
    requests: some.length,
    successes: some.filter(({ status }) => status === 200).length,
    client_errors: some.filter(({ status }) => status >= 400 && status < 500).length,
    server_errors: some.filter(({ status }) => status >= 500).length,
    masked: some.filter((event) => maskedIn(event) > 0).length,
    unique_ips: new Set(some.map(({ address }) => address)).size,
    unique_users: new Set(some.map(userOf)).size,
  });
  const onDay = (day: string) => generation.filter(({ at }) => utcDay(at) === day);
  const tally = (key: (event: RequestEvent) => string) => {
    const result: Record<string, number> = {};
    for (const event of generation) result[key(event)] = (result[key(event)] ?? 0) + 1;
    return result;
  };
  const dates = Array.from({ length: 30 }, (_, index) => utcDay(now - (29 - index) * DAY_MS));
  return {
    timezone: 'UTC',
    today: counts(onDay(utcDay(now))),
    total: counts(generation),
    days: dates.map((date) => Object.assign({ date }, counts(onDay(date)))),
    endpoints: tally(({ route }) => route),
    statuses: tally(({ status }) => String(status)),
  };
}

function referenceTiles(events: readonly RequestEvent[], now: number) {
  const today = events.filter((event) => isGeneration(event) && utcDay(event.at) === utcDay(now));
  const times = today.filter(({ status }) => status === 200).map(({ responseMs }) => responseMs);
  return {
    requestsSinceReset: events.filter(isGeneration).length,
    requestsAllTime: events.length,
    requestsToday: today.length,
    errorsToday: today.filter(({ status }) => status >= 500).length,
    successesToday: times.length,
    responseMeanMs: Math.round(times.reduce((sum, ms) => sum + ms, 0) / times.length),
  };
}

function referenceMasked(events: readonly RequestEvent[]): Record<string, number> {
  const result: Record<string, number> = { url: 0, key: 0, ip: 0, connection: 0 };
  for (const { generation } of events) {
    for (const [type, count] of Object.entries(generation?.masked ?? {})) result[type] = (result[type] ?? 0) + count;
  }
  return result;
}

function maskedIn({ generation }: RequestEvent): number {
  return Object.values(generation?.masked ?? {}).reduce((sum, count) => sum + count, 0);
}
