import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { modelsSchema } from '@lontar/shared/admin/models-schemas.ts';
import { type Instance, startHeartbeat } from '@lontar/shared/instances.ts';
import { type CallReport, timeBucket } from '@lontar/shared/models/call-report.ts';
import { createCatalog, type ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { viewOfCatalog } from '@lontar/shared/models/catalog-view.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { type AdminService, runAdminService } from '../../testing/admin-client.ts';

let redis: TestRedis;
let service: AdminService;
let token: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runAdminService(redis);
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
});
beforeEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await redis.client.flushall();
  ({ token } = await service.makeToken('viewer'));
});

const deadlines = { connectMs: 10_000, firstTokenMs: 20_000, idleMs: 20_000, totalMs: 110_000 };
const catalog = createCatalog(
  'file',
  [
    {
      ...{ name: 'a', provider: 'openai', stream: 'auto', maxInFlight: 5 },
      ...{ baseUrl: 'https://hidden.example/v1', apiKey: { variable: 'HIDDEN_KEY' } },
    },
    { name: 'b', provider: 'demo', stream: 'auto' },
    { name: 'c', provider: 'demo', stream: 'auto' },
  ],
  [
    {
      ...{ name: 'ai-2.5-flash', aliases: ['fast'], deadlines, price: { input: 1, output: 2 } },
      routes: [
        { upstream: 'a', model: 'x', weight: 3, order: 1 },
        { upstream: 'b', model: 'y', weight: 1, order: 2 },
      ],
    },
  ],
);

/** A worker, or a gateway, that is up and goes by a catalog. */
async function beat(service: 'worker' | 'gateway', id: string, { digest, source }: ModelCatalog, broken = false) {
  const instance: Instance = {
    ...{ id, service, version: '1', metricsUrl: 'http://127.0.0.1:1/metrics', inFlight: 0, draining: false },
    ...{ startedAt: redisTime(), models: { digest, source, broken } },
  };
  const started = await startHeartbeat(redis.client, () => instance);
  stops.push(started.stop);
}

async function publish(worker: string, report: CallReport, published = catalog): Promise<void> {
  await redis.client.set(redisKeys.upstreamCatalog(published.digest), JSON.stringify(viewOfCatalog(published)));
  await redis.client.set(redisKeys.upstreamCalls(worker), JSON.stringify(report));
}

const callsOf = (upstream: string, route: string, outcomes: number[]): CallReport['routes'][number] => ({
  ...{ model: 'ai-2.5-flash', upstream, route, outcomes, firstTokens: [[timeBucket(100), 1]] },
  durations: [[timeBucket(1_000), outcomes[0] ?? 0]],
});

async function ask() {
  const { status, result } = await service.admin(token, 'GET /models');
  expect([status, JSON.stringify(result)]).toEqual([200, expect.not.stringMatching(/hidden|HIDDEN/)]);
  return modelsSchema.parse(result);
}

test('a model is told with its routes, and what came of their calls at all workers', async () => {
  await Promise.all([beat('worker', 'w1', catalog), beat('worker', 'w2', catalog), beat('gateway', 'g1', catalog)]);
  await publish('w1', { inFlight: { a: 2 }, routes: [callsOf('a', 'x', [9, 1, 0, 0, 0, 0])] });
  await publish('w2', {
    inFlight: { a: 1 },
    routes: [callsOf('a', 'x', [10, 0, 0, 4, 0, 0]), callsOf('b', 'y', [0, 0, 2, 0, 0, 0])],
  });
  const { catalog: summary, models, upstreams } = await ask();
  expect(summary).toEqual({ source: 'file', digest: catalog.digest, agreed: true, broken: false, modelsLeftOut: 0 });
  const [flash, pro] = models;
  expect(flash).toMatchObject({ name: 'ai-2.5-flash', inCatalog: true, aliases: ['fast'], deadlines, routesUp: 2 });
  expect(flash?.price).toEqual({ input: 1, output: 2 });
  expect(flash?.routes).toMatchObject([
    { upstream: 'a', model: 'x', weight: 3, order: 1, up: true },
    { upstream: 'b', model: 'y', weight: 1, order: 2, up: true, lately: { errorShare: 1, p50Ms: null } },
  ]);
  const lately = flash?.routes[0]?.lately;
  expect(lately?.calls).toMatchObject({ answered: 19, failed: 1, limited: 4 });
  expect([lately?.errorShare, lately?.firstTokenP95Ms]).toEqual([0.05, expect.any(Number)]);
  expect(pro).toMatchObject({ name: 'ai-2.5-pro', inCatalog: false, routes: [], deadlines: null });
  expect(upstreams.map(({ name, state, inFlight }) => `${name} ${state} ${inFlight}`)).toEqual([
    'a closed 3',
    'b closed 0',
    'c closed 0',
  ]);
});

test('an upstream is told with its breaker, places and wish to be left alone', async () => {
  await beat('worker', 'w1', catalog);
  await publish('w1', { inFlight: {}, routes: [] });
  const now = redisTime();
  const state = (name: string, fields: object) => redis.client.set(redisKeys.upstream(name), JSON.stringify(fields));
  await state('a', { seq: 9, openUntil: now + 60_000, openedBy: 'unauthorized', aloneUntil: now - 1, limit: 2_500 });
  await state('b', { seq: 9, openUntil: now - 1, openedBy: 'server_error', aloneUntil: now + 60_000 });
  await redis.client.zadd(redisKeys.upstreamPlaces('a'), now + 60_000, 'held', now - 60_000, 'of a dead worker');
  const { upstreams, models } = await ask();
  expect(upstreams).toEqual([
    {
      ...{ name: 'a', provider: 'openai', state: 'open', reason: 'unauthorized', leftAloneUntil: null },
      ...{ openUntil: new Date(now + 60_000).toISOString(), placesUsed: 1, maxInFlight: 5, adaptiveLimit: 2 },
      ...{ inFlight: 0, requestsPerMinute: null, tokensPerMinute: null, context: null },
    },
    expect.objectContaining({
      ...{ name: 'b', state: 'half-open', reason: 'server_error', placesUsed: 0, adaptiveLimit: null },
      leftAloneUntil: new Date(now + 60_000).toISOString(),
    }),
    expect.objectContaining({ name: 'c', state: 'closed', reason: null, openUntil: null, leftAloneUntil: null }),
  ]);
  expect(models[0]).toMatchObject({ routesUp: 0, routes: [{ up: false }, { up: false }] });
});

test('processes that go by another file, or have a broken one, are told of', async () => {
  const other = createCatalog('file', [], []);
  await Promise.all([beat('worker', 'w1', catalog), beat('worker', 'w2', catalog), beat('gateway', 'g1', other, true)]);
  await publish('w1', { inFlight: {}, routes: [] });
  expect((await ask()).catalog).toMatchObject({ digest: catalog.digest, agreed: false, broken: true });
});

test('a gateway that has no file agrees with workers that have none either, and with no others', async () => {
  const [names, variables] = [
    namesOfVariables(),
    createCatalog('variables', [...catalog.upstreams.values()], [...catalog.models.values()]),
  ];
  await Promise.all([beat('worker', 'w1', variables), beat('gateway', 'g1', names)]);
  await publish('w1', { inFlight: {}, routes: [] }, variables);
  expect((await ask()).catalog).toMatchObject({ source: 'variables', agreed: true });
  await Promise.all([beat('worker', 'w2', catalog), beat('worker', 'w3', catalog)]);
  await publish('w2', { inFlight: {}, routes: [] });
  expect((await ask()).catalog).toMatchObject({ source: 'file', agreed: false });
});

test('what another version wrote spoils nothing', async () => {
  await beat('worker', 'w1', catalog);
  await redis.client.set(redisKeys.upstreamCatalog(catalog.digest), '{"source":"elsewhere"}');
  expect(await ask()).toMatchObject({ catalog: null, upstreams: [] });
  await publish('w1', { inFlight: {}, routes: [] });
  await redis.client.set(redisKeys.upstreamCalls('w1'), 'no JSON');
  await redis.client.set(redisKeys.upstream('a'), '{"openUntil":"soon"}');
  expect((await ask()).upstreams[0]).toMatchObject({ name: 'a', state: 'closed' });
});
