import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { readStream, type StreamReader } from '@lontar/shared/testing/event-stream.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { mixedEvents } from '../../testing/mixed-events.ts';
import { type RunningService, runService } from '../../testing/running-service.ts';
import { compareCursors } from '../log/read-log.ts';

let redis: TestRedis;
let service: RunningService;
let other: RunningService;
let cookie: string;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runService(redis);
  other = await runService(redis, { DASHBOARD_TOKEN: service.token });
  cookie = await service.signIn();
});

afterAll(async () => {
  await Promise.all([service.stop(), other.stop()]);
  await redis.stop();
});

/** Events that each have a row of their own in the log. */
function loggedEvents(count: number, seed: number) {
  return mixedEvents(count, [Date.now()], seed).map((event, index) =>
    Object.assign(event, { id: `req_${seed}_${index}`, route: '/api/ai', generation: { endpoint: '/api/ai' } }),
  );
}

const open = (at: RunningService, headers: Record<string, string> = {}): Promise<StreamReader> =>
  readStream(`${at.url}/dashboard/events`, { cookie, ...at.fromHome, ...headers });

/** Ids of the next rows, in an order of their own: two instances count side by side. */
async function nextRows(stream: StreamReader, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { data } = await stream.next('log');
    seen.push(...(data['rows'] as LogRow[]).map((row) => row.id));
  }
  return seen.sort();
}

const ids = (seed: number, count: number) => Array.from({ length: count }, (_, index) => `req_${seed}_${index}`);

test('a page gets a snapshot, then numbers and rows as they come', async () => {
  await service.append(loggedEvents(3, 10));
  const stream = await open(service);
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  const snapshot = await stream.next('snapshot');
  const log = snapshot.data['log'] as { data: LogRow[] };
  expect(log.data.map(({ id }) => id).sort()).toEqual(ids(10, 3));
  const cursors = log.data.map(({ cursor }) => cursor);
  expect(cursors).toEqual(cursors.toSorted(compareCursors).toReversed());
  expect((snapshot.data['moments'] as { data: unknown[] }).data).toHaveLength(360);
  expect(snapshot.id).toBe(log.data[0]?.cursor);
  await service.append(loggedEvents(5, 11));
  expect(await nextRows(stream, 5)).toEqual(ids(11, 5));
  expect((await stream.next('stats')).data['tiles']).toMatchObject({ data: { requestsToday: 8 } });
  stream.close();
});

test('a page that comes back gets exactly the rows it missed, from another instance too', async () => {
  const stream = await open(service);
  await stream.next('snapshot');
  await service.append(loggedEvents(4, 12));
  const { id, data } = await stream.next('log');
  stream.close();
  const had = (data['rows'] as LogRow[]).map((row) => row.id);
  await service.append(loggedEvents(4, 13));
  for (const instance of [service, other]) {
    const back = await open(instance, { 'last-event-id': id });
    const missed = await nextRows(back, 8 - had.length);
    expect([...had, ...missed].sort()).toEqual([...ids(12, 4), ...ids(13, 4)]);
    back.close();
  }
});

test('who was away for too long, or names an event of another log, gets a snapshot', async () => {
  for (const id of [`${Date.now() + 3_600_000}-0`, 'nonsense', '-']) {
    const stream = await open(service, { 'last-event-id': id });
    await stream.next('snapshot');
    stream.close();
  }
  await service.append(loggedEvents(1_100, 14));
  const newest = await open(service);
  await newest.next('snapshot');
  newest.close();
  const stream = await open(service, { 'last-event-id': '1-1' });
  expect((await stream.next('snapshot')).data['log']).toMatchObject({ ok: true });
  stream.close();
});

test('numbers come at most twice a second, and by themselves when nothing happens', async () => {
  const stream = await open(service);
  await stream.next('snapshot');
  await stream.next('stats');
  const begin = Date.now();
  const before = stream.seen('stats');
  for (let seed = 20; seed < 40; seed += 1) await service.append(loggedEvents(10, seed));
  await nextRows(stream, 200);
  const seconds = (Date.now() - begin) / 1_000;
  expect(stream.seen('stats') - before).toBeLessThanOrEqual(2 * seconds + 2);
  const quiet = await stream.next('stats');
  expect((quiet.data['tiles'] as { data: { at: number } }).data.at).toBeGreaterThan(begin);
  stream.close();
});

test('anonymous readers leave places for the operator, and no reader gets in beyond the bound', async () => {
  const open = await runService(redis, { DASHBOARD_PUBLIC: 'true', DASHBOARD_TOKEN: service.token });
  const many = (headers: Record<string, string>) =>
    Promise.all(Array.from({ length: 70 }, () => readStream(`${open.url}/dashboard/events`, headers)));
  const home = open.fromHome;
  const anonymous = await many(home);
  const signedIn = await many({ ...home, cookie: await open.signIn() });
  for (const stream of [...anonymous, ...signedIn]) stream.close();
  await open.stop();
  for (const streams of [anonymous, signedIn]) {
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(streams.filter(({ status }) => status === 503)).toHaveLength(20);
  }
});

test('however many look on without a session, what they see is read once a second', async () => {
  const open = await runService(redis, { DASHBOARD_PUBLIC: 'true', DASHBOARD_TOKEN: service.token });
  const reads = async () =>
    Number(/^cmdstat_hgetall:calls=(\d+)/m.exec(await redis.client.info('commandstats'))?.[1] ?? 0);
  const before = await reads();
  const begun = performance.now();
  for (let count = 0; count < 40; count++) {
    const stream = await readStream(`${open.url}/dashboard/events`, open.fromHome);
    expect((await stream.next('snapshot')).data).toMatchObject({ signedIn: false, moments: { ok: true } });
    stream.close();
  }
  // A snapshot has 360 points; what the services read by themselves is little beside that.
  const snapshots = 2 + (performance.now() - begun) / 1_000;
  expect(await reads()).toBeLessThan(before + 500 * snapshots);
  await open.stop();
});

test('a stopping service says goodbye', async () => {
  const brief = await runService(redis, { DASHBOARD_TOKEN: service.token });
  const stream = await open(brief);
  await stream.next('snapshot');
  const stopped = brief.stop();
  expect((await stream.next('bye')).data).toEqual({ reason: 'stopping' });
  await stream.ended();
  await stopped;
});
