import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callReportSchema } from '@lontar/shared/models/call-report.ts';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import { viewOfCatalog } from '@lontar/shared/models/catalog-view.ts';
import { UNKNOWN_STATE } from '@lontar/shared/models/upstream-state.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { createCallsLately } from './calls-lately.ts';
import { type PublishDeps, publishRoutes } from './publish-routes.ts';

let server: TestRedis;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

const deadlines = { connectMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 };
const current = createCatalog(
  'file',
  [{ name: 'a', provider: 'openai', baseUrl: 'https://host.example/v1', stream: 'auto' }],
  [{ name: 'm', aliases: [], routes: [{ upstream: 'a', model: 'x', weight: 1, order: 1 }], deadlines }],
);

function depsOf(redis: PublishDeps['redis'], onError: PublishDeps['onError']): PublishDeps {
  const calls = createCallsLately();
  const route = { upstream: 'a', model: 'x' };
  calls.note({ model: 'm', route, class: 'answered', durationMs: 10 }, redisTime());
  const known = (own: number) => ({ state: UNKNOWN_STATE, taken: 0, own, isOutOfReach: false });
  const all = () => new Map(Object.entries({ a: known(3), b: known(0) })).entries();
  return {
    ...{ worker: 'worker-1', redis, calls, onError },
    clock: { now: () => redisTime() },
    catalog: { current },
    watch: { all },
  };
}

test('the catalog and what came of calls are there for others, for a while', async () => {
  const { client } = server;
  const catalogKey = redisKeys.upstreamCatalog(current.digest);
  const callsKey = redisKeys.upstreamCalls('worker-1');
  const failures: unknown[] = [];
  // Twice, as after a Redis that has lost everything.
  for (let time = 0; time < 2; time += 1) {
    await client.flushall();
    const published = publishRoutes(depsOf(client, (error) => failures.push(error)));
    while ((await client.exists(catalogKey, callsKey)) < 2) await delay(10);
    published.stop();
    expect(JSON.parse((await client.get(catalogKey)) ?? '')).toEqual(viewOfCatalog(current));
    const report = callReportSchema.parse(JSON.parse((await client.get(callsKey)) ?? ''));
    expect(report.inFlight).toEqual({ a: 3 });
    expect(report.routes).toMatchObject([{ model: 'm', upstream: 'a', route: 'x', outcomes: [1, 0, 0, 0, 0, 0] }]);
    for (const key of [catalogKey, callsKey]) expect(await client.pttl(key)).toBeGreaterThan(0);
  }
  expect(failures).toEqual([]);
});

test('a Redis that fails is told of, and stops nothing', async () => {
  const failing = { pexpire: () => Promise.reject(new Error('away')), set: () => Promise.resolve('OK') };
  const failures: unknown[] = [];
  const told = Promise.withResolvers<void>();
  const onError = (error: unknown) => {
    failures.push(error);
    told.resolve();
  };
  const published = publishRoutes(depsOf(failing as unknown as PublishDeps['redis'], onError));
  await told.promise;
  published.stop();
  expect(failures).toEqual([new Error('away')]);
});
