import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { utcDay } from '@lontar/shared/event-counts.ts';
import { readSpentUploads } from '@lontar/shared/inner-headers.ts';
import { startHeartbeat } from '@lontar/shared/instances.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import {
  healthSchema,
  serviceStatsSchema,
  uploadLimitReachedSchema,
  uploadLimitSchema,
  usageSchema,
} from '@lontar/shared/utility-answers.ts';
import { mixedEvents } from '../../testing/mixed-events.ts';
import { HOME, type RunningService, runService } from '../../testing/running-service.ts';

let redis: TestRedis;
let service: RunningService;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runService(redis);
});

afterAll(async () => {
  await service.stop();
  await redis.stop();
});

const json = async (path: string, from = HOME) => {
  const answer = await service.ask(path, { from });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
};

test('usage and stats have exactly the documented form, before the first request and after', async () => {
  for (const events of [0, 50]) {
    await service.append(mixedEvents(events, [Date.now()]));
    const usage = await json('/api/usage');
    expect(usage.body).toEqual({ status: true, code: 200, message: 'Sukses', result: usage.body['result'] });
    const { days, endpoints } = usageSchema.strict().parse(usage.body['result']);
    expect(days).toHaveLength(30);
    expect(Object.keys(endpoints)).toEqual([...GENERATION_ENDPOINTS]);
    serviceStatsSchema.strict().parse((await json('/api/stats')).body['result']);
  }
});

test('stats counts keys by state and what uploads stored', async () => {
  const keys = { a: { state: 'active' }, b: { state: 'active', expiresAt: '1' }, c: { state: 'revoked' } };
  for (const [id, record] of Object.entries(keys)) {
    await redis.client.hset(redisKeys.apiKey(id), record);
    await redis.client.zadd(redisKeys.apiKeyIndex, 1, id);
  }
  await redis.client.hset(redisKeys.uploadTotals, { files: 3, bytes: 4_096, 'kind:code': 1, 'kind:file': 2 });
  expect((await json('/api/stats')).body['result']).toMatchObject({
    keys_by_state: { active: 1, expired: 1, revoked: 1 },
    total_files: 3,
    total_storage_bytes: 4_096,
    uploads_by_kind: { file: 2, code: 1, private: 0 },
  });
});

test("check-limit gives the caller's own uploads, and 429 when none is left", async () => {
  expect((await json('/api/check-limit')).body).toMatchObject({ used: 0, remaining: 20, limit: 20 });
  await redis.client.set(redisKeys.uploads(utcDay(Date.now()), HOME), '19');
  const { body } = await json('/api/check-limit');
  expect(uploadLimitSchema.strict().parse(body)).toMatchObject({ used: 19, remaining: 1 });
  expect((body['reset'] as number) % 86_400).toBe(0);
  await redis.client.set(redisKeys.uploads(utcDay(Date.now()), HOME), '20');
  const full = await json('/api/check-limit');
  expect(full.status).toBe(429);
  expect(uploadLimitReachedSchema.strict().parse(full.body)).toMatchObject({ used: 20, remaining: 0, limit: 20 });
  expect(readSpentUploads(Object.fromEntries(full.headers))).toEqual({ used: 20, limit: 20, resetAt: body['reset'] });
  expect((await json('/api/check-limit', '198.51.100.7')).body).toMatchObject({ used: 0 });
});

test('health is down without a worker, and ok with one that has room', async () => {
  const before = await json('/api/health');
  expect([before.status, before.body['status']]).toEqual([503, 'down']);
  healthSchema.strict().parse(before.body);
  const up = (id: string, kind: 'gateway' | 'worker') => ({
    id,
    service: kind,
    version: '0.1.0',
    metricsUrl: service.metricsUrl,
    startedAt: redisTime(),
    inFlight: 1,
    slots: 10,
    draining: false,
    model: { provider: 'demo', lastOutcome: 'ok' as const, at: redisTime() },
  });
  const beats = await Promise.all([
    startHeartbeat(redis.client, () => up('g', 'gateway')),
    startHeartbeat(redis.client, () => up('w', 'worker')),
  ]);
  const after = await json('/api/health');
  expect([after.status, after.body['status']]).toEqual([200, 'ok']);
  expect(healthSchema.strict().parse(after.body)).toMatchObject({
    workers: { instances: 1, free_slots: 9 },
    model: { provider: 'demo', last_outcome: 'ok' },
    endpoints: { '/api/ai': 'ok', '/api/stats': 'ok' },
  });

  const inner = (path: string) =>
    fetch(new URL(path, service.url), { headers: { authorization: `Bearer ${service.innerSecret}` } });
  const targets = (await (await inner('/prometheus/targets')).json()) as { labels: Record<string, string> }[];
  expect(new Set(targets.map(({ labels }) => labels['job']))).toEqual(new Set(['gateway', 'stats-service', 'worker']));
  const aggregated = await (await inner('/prometheus/aggregate')).text();
  // The same listener stands in for three instances, so that everything is there three times.
  expect(aggregated).toContain('app_build_info{');
  expect(aggregated).toMatch(/^stats_live_clients\{service="stats-service"\} 0$/m);
  for (const beat of beats) await beat.stop();
});

test('the gauges of a scrape are those of the tiles', async () => {
  await service.append(mixedEvents(30, [Date.now()], 9));
  const usage = usageSchema.parse((await json('/api/usage')).body['result']);
  const metrics = await (await fetch(service.metricsUrl)).text();
  const value = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (.+)$`, 'm').exec(metrics)?.[1]);
  expect(value('lontar_requests_today')).toBe(usage.today.requests);
  expect(value('lontar_errors_today')).toBe(usage.today.server_errors);
  expect(value('lontar_unique_users_today')).toBe(usage.today.unique_users);
  expect(value('redis_maxmemory_policy_ok')).toBe(1);
  expect(value('stats_event_lag_seconds')).toBe(0);
});

test('other methods and paths are refused in the common form', async () => {
  const post = await service.ask('/api/usage', { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  expect(Object.keys((await post.json()) as object).sort()).toEqual(['code', 'error', 'message', 'status']);
  expect((await service.ask('/api/health', { method: 'HEAD' })).status).toBe(405);
  expect((await json('/api/nothing')).body).toMatchObject({ status: false, code: 404 });
  for (const path of ['/assets/..%2f..%2fpackage.json', '/assets/.env', '/assets/x.html']) {
    expect((await service.ask(path)).status).toBe(404);
  }
  const long = await service.ask('/dashboard/session', { method: 'POST', body: 'x'.repeat(5_000) });
  expect(long.status).toBe(400);
});

/** Sends a request target as it is. */
const answerTo = async (target: string, ...headers: readonly string[]) => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write([`GET ${target} HTTP/1.1`, 'Host: stats', 'Connection: close', ...headers, '', ''].join('\r\n'));
  return text(socket);
};

test('a path is served only as it is written, however else it could be read', async () => {
  const spellings = ['/prometheus/aggregate', '/prometheus/targets', '/api/usage'].map((path) => [
    [`/dashboard/..${path}`, `/dashboard/%2e%2e${path}`, `/assets/.%2E${path}`, `/x/y/../..${path}`, `/.${path}`],
    [`/%2e${path}`, `/dashboard\\..\\${path}`, `\\${path}`, `/\\x${path}`, `//x${path}`, `http://x${path}`],
    [`${path}/`, `${path}/.`, `${path}/x/..`, `${path}#x`, path.replace('/', ''), path.replace('e', '%65')],
    [`/http://x/..${path}`, `http:${path}`, `/${path}`],
  ]);
  for (const target of spellings.flat(2)) {
    for (const headers of [monitoring(), gateway()]) {
      const reply = await answerTo(target, ...headers);
      expect([target, reply.slice(0, 12)]).toEqual([target, expect.stringMatching(/ 40[04]$/)]);
    }
  }
  expect(await answerTo('/api/usage?a=../b', ...gateway())).toMatch(/^HTTP\/1\.1 200 /);
});

const gateway = (secret = service.innerSecret) => [`X-Lontar-Inner-Secret: ${secret}`];
const monitoring = (secret = service.innerSecret) => [`Authorization: Bearer ${secret}`];

test('what is for Prometheus does not exist for those who come through the gateway, nor the other way round', async () => {
  for (const path of ['/prometheus/targets', '/prometheus/aggregate']) {
    expect(await answerTo(path, ...monitoring())).toMatch(/^HTTP\/1\.1 200 /);
    for (const from of [HOME, '']) {
      const headers = [...gateway(), `X-Lontar-Client-Address: ${from}`];
      expect(await answerTo(path, ...headers)).toMatch(/^HTTP\/1\.1 404 /);
      expect(await answerTo(path, ...headers, ...monitoring())).toMatch(/^HTTP\/1\.1 404 /);
    }
    expect(await answerTo(path, ...gateway())).toMatch(/^HTTP\/1\.1 404 /);
  }
  for (const path of ['/', '/api/usage', '/dashboard/session', '/dashboard/events']) {
    expect(await answerTo(path, ...monitoring(), `X-Lontar-Client-Address: ${HOME}`)).toMatch(/^HTTP\/1\.1 404 /);
  }
  const post = await service.ask('/prometheus/targets', { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([404, null]);
});

test('no other client is answered, whatever it asks for and whatever is sent', async () => {
  const wrong = `${service.innerSecret.slice(0, -1)}!`;
  const attempts = [
    [],
    [`X-Lontar-Client-Address: ${HOME}`],
    gateway(''),
    gateway(wrong),
    gateway(`${service.innerSecret}x`),
    monitoring(wrong),
    [`Authorization: Basic ${service.innerSecret}`],
    // A header that a gateway sends decides alone: a bearer beside a wrong one proves nothing.
    [...gateway(wrong), ...monitoring()],
    [...gateway(service.token), `X-Lontar-Client-Address: ${HOME}`],
  ];
  const paths = [
    '/',
    '/api/health',
    '/api/check-limit',
    '/dashboard/session',
    '/prometheus/targets',
    '/nothing',
    '/../x',
  ];
  for (const headers of attempts) {
    for (const path of paths) {
      const reply = await answerTo(path, ...headers);
      expect(reply).toMatch(/^HTTP\/1\.1 403 .*^connection: close\r$.*same INNER_SECRET/ims);
      expect(reply).not.toContain(service.innerSecret);
    }
  }
  // A body is not waited for.
  expect(await answerTo('/dashboard/session', 'Content-Length: 100')).toMatch(/^HTTP\/1\.1 403 /);
});

test('with Redis away everything answers 503 at once, and recovers by itself', async () => {
  await redis.kill();
  for (const path of ['/api/usage', '/api/stats', '/api/check-limit', '/dashboard/session']) {
    const { status, headers, body } = await json(path);
    expect([path, status, headers.has('retry-after')]).toEqual([
      path,
      // Without a cookie there is nothing to look up.
      path === '/dashboard/session' ? 200 : 503,
      path !== '/dashboard/session',
    ]);
    if (status === 503) expect(body).toMatchObject({ status: false, code: 503, error: 'Service unavailable' });
  }
  const health = await json('/api/health');
  expect([health.status, health.body['status']]).toEqual([503, 'down']);
  expect(health.body['redis']).toMatchObject({ status: 'down' });
  await redis.start();
  while ((await json('/api/usage')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  await service.append(mixedEvents(10, [Date.now()], 2));
});
