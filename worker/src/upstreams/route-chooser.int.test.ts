import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createCatalog,
  type ModelCatalog,
  type RouteConfig,
  type UpstreamConfig,
} from '@lontar/shared/models/catalog.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import type { LanguageModel, ModelErrorKind } from '../model/language-model.ts';
import { createCallsLately } from './calls-lately.ts';
import { createFirstTokenTimes } from './first-token-times.ts';
import { noteOutcomes } from './fleet-scripts.ts';
import { createEndJudge } from './judge-end.ts';
import { type Ask, type Choice, createRouteChooser, type RouteChooser } from './route-chooser.ts';
import { type UpstreamWatch, watchUpstreams } from './upstream-watch.ts';

const clock = { now: () => redisTime() };
const language = { provider: 'demo' } as LanguageModel;
const deadlines = { connectMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000, totalMs: 10_000 };

let server: TestRedis;
const running: (() => void)[] = [];

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.client.flushall();
});
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

type Limits = Partial<Omit<UpstreamConfig, 'name' | 'provider' | 'stream'>>;

/** A model `m` whose routes lead to these upstreams, each with its limits and what is special of its route. */
function catalogOf(
  upstreams: Readonly<Record<string, Limits & { route?: Partial<RouteConfig> }>>,
  source: ModelCatalog['source'] = 'file',
): ModelCatalog {
  const configs: UpstreamConfig[] = [];
  const routes: RouteConfig[] = [];
  for (const [name, { route, ...limits }] of Object.entries(upstreams)) {
    configs.push({ name, provider: 'demo', stream: 'auto', ...limits });
    routes.push({ upstream: name, model: 'x', weight: 1, order: 0, ...route });
  }
  return createCatalog(source, configs, [{ name: 'm', aliases: [], routes, deadlines }]);
}

interface TestWorker {
  readonly chooser: RouteChooser;
  readonly watch: UpstreamWatch;
  readonly redis: Redis;
  readonly waiting: () => number;
}

async function startWorker(catalog: ModelCatalog, random: () => number = Math.random): Promise<TestWorker> {
  const redis = connectPatient(server.url, 'test');
  const subscriber = connectPatient(server.url, 'test-subscriber');
  await Promise.all([redis.connect(), subscriber.connect()]);
  let waiting = 0;
  const onError = () => undefined;
  const watch = watchUpstreams({ redis, subscriber, clock, onError, onChange: () => chooser.wake() });
  const chooser: RouteChooser = createRouteChooser({
    ...{
      redis,
      clock,
      watch,
      random,
      onError,
      firstTokens: createFirstTokenTimes(),
      calls: createCallsLately(),
      ends: createEndJudge(),
    },
    catalog: () => catalog,
    languageModel: () => language,
    onWaiting: (count) => {
      waiting = count;
    },
  });
  await subscriber.subscribe(redisKeys.upstreamChanges);
  running.push(() => {
    watch.stop();
    redis.disconnect();
    subscriber.disconnect();
  });
  return { chooser, watch, redis, waiting: () => waiting };
}

let calls = 0;
function ask(over: Partial<Ask> = {}): Ask {
  return {
    model: 'm',
    callId: `call ${++calls}`,
    tried: new Set(),
    estimateTokens: () => 10,
    deadlineAt: later(clock.now(), 30_000),
    waits: true,
    signal: new AbortController().signal,
    ...over,
  };
}

type Route = Extract<Choice, { kind: 'route' }>;

async function take(worker: TestWorker, over: Partial<Ask> = {}): Promise<Route> {
  const choice = await worker.chooser.choose(ask({ waits: false, ...over }));
  if (choice.kind !== 'route') throw new Error(`no route: ${JSON.stringify(choice)}`);
  return choice;
}

async function fail(worker: TestWorker, kind: ModelErrorKind, times: number): Promise<void> {
  for (let time = 0; time < times; time++) (await take(worker)).done({ kind });
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}

const isOpen = (worker: TestWorker, upstream: string) => worker.watch.known(upstream, false).state.openUntil > 0;
/** As time passes: the breaker of an upstream may be tried again. */
async function makeProbeDue(upstream: string): Promise<void> {
  const read = async () =>
    JSON.parse((await server.client.get(redisKeys.upstream(upstream))) ?? '{}') as Record<string, number>;
  await until(async () => (await read())['openUntil'] !== undefined);
  const state = await read();
  const due = { ...state, seq: (state['seq'] ?? 0) + 1, openUntil: Date.now() - 1 };
  await server.client.set(redisKeys.upstream(upstream), JSON.stringify(due));
}

describe('without limits and troubles', () => {
  test.each([
    ['one route', { a: {} }],
    ['two routes', { a: {}, b: {} }],
  ])('Redis is asked nothing for a model with %s', async (_, upstreams) => {
    const worker = await startWorker(catalogOf(upstreams));
    await take(worker);
    // Known upstreams are looked at once.
    await worker.watch.look();
    await worker.redis.ping();
    const before = await commandsSeen();
    for (let index = 0; index < 100; index++) (await take(worker)).done({ kind: 'none', tokens: 5 });
    await delay(600);
    // What asks and the test's own looks.
    expect((await commandsSeen()) - before).toBeLessThan(5);
  });

  test('calls follow the weights', async () => {
    const worker = await startWorker(catalogOf({ a: { route: { weight: 3 } }, b: {} }));
    const counts = { a: 0, b: 0 };
    for (let index = 0; index < 2_000; index++) {
      const { upstream, done } = await take(worker);
      counts[upstream.name as 'a' | 'b']++;
      done({ kind: 'none' });
    }
    expect(counts.a / counts.b).toBeGreaterThan(2.4);
    expect(counts.a / counts.b).toBeLessThan(3.8);
  });
});

async function commandsSeen(): Promise<number> {
  const stats = await server.client.info('stats');
  return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]);
}

describe('the breaker of an upstream', () => {
  test('opens for all workers after five failures in a row, and one call tries it', async () => {
    const catalog = catalogOf({ a: {}, b: { route: { order: 1 } } });
    const [first, second] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    expect((await take(second)).upstream.name).toBe('a');
    await fail(first, 'server_error', 5);
    await until(() => isOpen(second, 'a'));
    for (const worker of [first, second]) expect((await take(worker)).upstream.name).toBe('b');

    await makeProbeDue('a');
    const taken: Route[] = [];
    // Copies are at most a quarter of a second old.
    await until(async () => {
      taken.push(await take(first), await take(second));
      return taken.some(({ upstream }) => upstream.name === 'a');
    });
    const probes = taken.filter(({ upstream }) => upstream.name === 'a');
    expect(probes).toHaveLength(1);
    probes[0]?.done({ kind: 'none' });
    await until(() => !isOpen(first, 'a') && !isOpen(second, 'a'));
    expect((await take(second)).upstream.name).toBe('a');
  });

  test('stays open for longer when the call that tries it fails', async () => {
    const worker = await startWorker(catalogOf({ a: {}, b: { route: { order: 1 } } }));
    await fail(worker, 'server_error', 5);
    await until(() => isOpen(worker, 'a'));
    await makeProbeDue('a');
    let probe: Route | undefined;
    await until(async () => {
      probe = await take(worker);
      return probe.upstream.name === 'a';
    });
    probe?.done({ kind: 'timed_out' });
    await until(() => worker.watch.known('a', false).state.opens === 2);
    const { openUntil } = worker.watch.known('a', false).state;
    expect(openUntil - Date.now()).toBeGreaterThan(8_000);
  });

  test('opens at once where credentials are refused', async () => {
    const worker = await startWorker(catalogOf({ a: {}, b: { route: { order: 1 } } }));
    await fail(worker, 'unauthorized', 1);
    expect((await take(worker)).upstream.name).toBe('b');
  });

  test.each<ModelErrorKind | 'ended by us'>(['cancelled', 'ended by us', 'content_blocked', 'context_exceeded'])(
    'does not open by what is not its doing: %s',
    async (kind) => {
      const worker = await startWorker(catalogOf({ a: {}, b: { route: { order: 1 } } }));
      for (let index = 0; index < 30; index++) {
        const { upstream, done } = await take(worker);
        expect(upstream.name).toBe('a');
        done({ kind });
      }
    },
  );

  test('opens for none where a worker reaches none of them: its own network is gone', async () => {
    const catalog = catalogOf({ a: {}, b: {}, c: {} });
    const [cutOff, well] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    for (let index = 0; index < 60; index++) (await take(cutOff)).done({ kind: 'connection' });
    await delay(100);
    const open = ['a', 'b', 'c'].filter((name) => isOpen(well, name));
    expect(open.length).toBeLessThanOrEqual(1);
  });

  /** Ends a call, and waits until Redis has noted it: so ends come in the order of the test. */
  async function end({ watch }: TestWorker, { upstream, done }: Route, outcome: Parameters<Route['done']>[0]) {
    const seen = async () =>
      JSON.parse((await server.client.get(redisKeys.upstream(upstream.name))) ?? '{"seq":0}').seq;
    const before = await seen();
    done(outcome);
    await until(async () => (await seen()) > before);
    await watch.look();
  }
  const four = (catalog: ModelCatalog) => Promise.all([0, 1, 2, 3].map(() => startWorker(catalog)));
  const hanging = { kind: 'timed_out' } as const;

  test.each([1, 2, 3])('opens after five stalls, in whatever order calls of before end (seed %i)', async (seed) => {
    const workers = await four(catalogOf({ a: { maxInFlight: 8 }, b: { maxInFlight: 8, route: { order: 1 } } }));
    const random = seededRandom(seed);
    const of = (index: number) => workers[index % 4] as TestWorker;
    const begun: { readonly worker: TestWorker; readonly route: Route; readonly isWell: boolean }[] = [];
    for (let index = 0; index < 8; index++) {
      begun.push({ worker: of(index), route: await take(of(index)), isWell: index < 3 });
    }
    let stalls = 0;
    for (let index = 0; stalls < 5; index++) {
      const [next] = begun.splice(Math.floor(random() * begun.length), 1);
      const { worker, route, isWell } = next ?? { worker: of(index), route: await take(of(index)), isWell: false };
      expect(route.upstream.name).toBe('a');
      stalls = isWell ? 0 : stalls + 1;
      await end(worker, route, isWell ? { kind: 'none' } : hanging);
    }
    await until(() => workers.every((worker) => isOpen(worker, 'a')));
    for (const worker of workers) expect((await take(worker)).upstream.name).toBe('b');
  });

  test('opens though all that it is asked has stalled at another one before', async () => {
    const workers = await four(catalogOf({ slow: { maxInFlight: 8 }, hangs: { maxInFlight: 8, route: { order: 1 } } }));
    const tried = new Set(['slow/x']);
    for (let index = 0; index < 5; index++) {
      const worker = workers[index % 4] as TestWorker;
      // The slow one answers every other call.
      for (const outcome of [{ kind: 'none' }, hanging] as const) {
        const first = await take(worker);
        expect(first.upstream.name).toBe('slow');
        await end(worker, first, outcome);
      }
      const second = await take(worker, { tried });
      expect(second.upstream.name).toBe('hangs');
      await end(worker, second, { ...hanging, doubt: 'request' });
    }
    await until(() => workers.every((worker) => isOpen(worker, 'hangs')));
    expect(workers.some((worker) => isOpen(worker, 'slow'))).toBe(false);
  });

  test.each([
    [true, 'opens by our own deadlines where another one answers within them'],
    [false, 'does not open by them where none does'],
  ])('%s: %s', async (isAnswered) => {
    const limits = { maxInFlight: 8 };
    const workers = await four(catalogOf({ hangs: limits, other: { ...limits, route: { order: 1 } } }));
    const late = { kind: 'ended by us', doubt: 'deadline' } as const;
    for (let index = 0; index < 8 && !isOpen(workers[0] as TestWorker, 'hangs'); index++) {
      const worker = workers[index % 4] as TestWorker;
      const silent = await take(worker);
      const other = await take(worker, { tried: new Set(['hangs/x']) });
      expect([silent.upstream.name, other.upstream.name]).toEqual(['hangs', 'other']);
      await end(worker, other, isAnswered ? { kind: 'none' } : late);
      await end(worker, silent, late);
      if (index === 4) await Promise.all(workers.map(({ watch }) => watch.look()));
    }
    expect(workers.map((worker) => isOpen(worker, 'hangs'))).toEqual(workers.map(() => isAnswered));
    // Too little time says nothing of how many calls are borne.
    for (const { watch } of workers) expect(watch.known('hangs', true).state.limit).toBe(0);
    expect(workers.some((worker) => isOpen(worker, 'other'))).toBe(false);
  });

  test('binds nobody where there is no file of models', async () => {
    const worker = await startWorker(catalogOf({ a: {} }, 'variables'));
    await fail(worker, 'server_error', 20);
    await until(() => isOpen(worker, 'a'));
    expect((await take(worker)).upstream.name).toBe('a');
  });

  test('says when to come again, where no route is left', async () => {
    const worker = await startWorker(catalogOf({ a: {} }));
    await fail(worker, 'unauthorized', 1);
    const choice = await worker.chooser.choose(ask({ deadlineAt: later(clock.now(), 2_000) }));
    expect(choice).toEqual({ kind: 'none', retryInMs: expect.any(Number) });
    expect((choice as { retryInMs: number }).retryInMs).toBeGreaterThan(3_000);
  });
});

describe('an upstream that takes no more', () => {
  test('is left alone by all for as long as it says', async () => {
    const catalog = catalogOf({ a: {}, b: { route: { order: 1 } } });
    const [first, second] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    (await take(second)).done({ kind: 'none' });
    (await take(first)).done({ kind: 'rate_limited', retryAfterMs: 700 });
    await until(() => second.watch.known('a', false).state.aloneUntil > 0);
    const { aloneUntil } = second.watch.known('a', false).state;
    for (const worker of [first, second]) expect((await take(worker)).upstream.name).toBe('b');
    await until(() => Date.now() > aloneUntil);
    expect((await take(second)).upstream.name).toBe('a');
    expect(Date.now()).toBeGreaterThanOrEqual(aloneUntil);
  });

  test('is tried by one call of all workers then, and by the others once that is answered', async () => {
    const catalog = catalogOf({ a: {}, b: { route: { order: 1 } } });
    const [first, second] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    await take(second);
    // Seven stay in flight: half of all is room for three.
    const held = await Promise.all(Array.from({ length: 8 }, () => take(first)));
    held[0]?.done({ kind: 'rate_limited', retryAfterMs: 1_000 });
    await until(() => second.watch.known('a', false).state.tryFrom > 0);
    const { aloneUntil } = second.watch.known('a', false).state;
    for (const { done } of held.slice(1)) done({ kind: 'ended by us' });
    await until(() => Date.now() > aloneUntil);
    const taken = await Promise.all([first, second, first, second].map((worker) => take(worker)));
    const trials = taken.filter(({ upstream }) => upstream.name === 'a');
    expect(trials).toHaveLength(1);
    trials[0]?.done({ kind: 'none' });
    await until(() => [first, second].every(({ watch }) => watch.known('a', false).state.tryFrom === 0));
    for (const worker of [first, second]) expect((await take(worker)).upstream.name).toBe('a');
  });

  test('that wants a year is asked again after five minutes', async () => {
    const worker = await startWorker(catalogOf({ a: {}, b: { route: { order: 1 } } }));
    (await take(worker)).done({ kind: 'rate_limited', retryAfterMs: 31_536_000_000 });
    await until(() => worker.watch.known('a', false).state.seq > 0);
    expect(worker.watch.known('a', false).state.aloneUntil - Date.now()).toBeLessThanOrEqual(300_000);
  });

  test('is taken to bear half of what it had, over all workers', async () => {
    const catalog = catalogOf({ a: {} });
    const [first, second] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    await server.client.hset(redisKeys.workers, 'one', '1', 'two', '1');
    await take(second);
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(first)));
    taken[0]?.done({ kind: 'rate_limited', retryAfterMs: 0 });
    // Eight of each of two workers: half of them is eight, of which eight are in flight still.
    await until(() => second.watch.known('a', false).state.limit === 8_000);
    await until(async () => (await server.client.zcard(redisKeys.upstreamPlaces('a'))) === 8);
    const none = await second.chooser.choose(ask({ waits: false }));
    expect(none.kind).toBe('none');
    taken[1]?.done({ kind: 'none' });
    await until(async () => (await server.client.zcard(redisKeys.upstreamPlaces('a'))) === 7);
    expect((await take(second)).upstream.name).toBe('a');
  });
});

describe('places', () => {
  test('hold over all workers, and those who wait for one get it in the order in which they came', async () => {
    const catalog = catalogOf({ a: { maxInFlight: 3 } });
    const [first, second] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    const taken = [await take(first), await take(second), await take(first)];
    const came: number[] = [];
    const waiting = [0, 1, 2].map(async (index) => {
      const choice = (await second.chooser.choose(ask())) as Route;
      came.push(index);
      return choice;
    });
    await until(() => second.waiting() === 3);
    for (const { done } of taken) done({ kind: 'none' });
    await Promise.all(waiting);
    expect(came).toEqual([0, 1, 2]);
    expect(second.waiting()).toBe(0);
    expect(await server.client.zcard(redisKeys.upstreamPlaces('a'))).toBe(3);
  });

  test('who leaves, and who has no time left, waits no longer', async () => {
    const worker = await startWorker(catalogOf({ a: { maxInFlight: 1 } }));
    const { done } = await take(worker);
    const leaving = new AbortController();
    const gone = worker.chooser.choose(ask({ signal: leaving.signal }));
    const last = worker.chooser.choose(ask());
    leaving.abort('cancelled');
    expect(await gone).toMatchObject({ kind: 'none' });
    done({ kind: 'none' });
    expect(await last).toMatchObject({ kind: 'route' });
  });

  test('of a worker that died come back by themselves', async () => {
    const catalog = catalogOf({ a: { maxInFlight: 1 } });
    const [dead, other] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    await take(dead);
    const [callId = ''] = await server.client.zrange(redisKeys.upstreamPlaces('a'), '0', '-1');
    const endsAt = Number(await server.client.zscore(redisKeys.upstreamPlaces('a'), callId));
    expect(endsAt - Date.now()).toBeLessThanOrEqual(10_000);
    dead.watch.stop();
    await server.client.zadd(redisKeys.upstreamPlaces('a'), Date.now() - 1, 'call of the dead');
    await server.client.zremrangebyscore(redisKeys.upstreamPlaces('a'), `${Date.now() + 1}`, '+inf');
    expect((await take(other)).upstream.name).toBe('a');
  });

  test('of a worker that is well are renewed', async () => {
    const worker = await startWorker(catalogOf({ a: { maxInFlight: 1 } }));
    await take(worker, { callId: 'long' });
    const first = Number(await server.client.zscore(redisKeys.upstreamPlaces('a'), 'long'));
    await until(async () => Number(await server.client.zscore(redisKeys.upstreamPlaces('a'), 'long')) > first);
  });
});

describe('rates', () => {
  test('no more calls in a minute than the upstream takes', async () => {
    const catalog = catalogOf({ a: { requestsPerMinute: 5 }, b: { route: { order: 1 } } });
    const [first, second] = await Promise.all([startWorker(catalog), startWorker(catalog)]);
    const names: string[] = [];
    for (let index = 0; index < 8; index++) {
      const { upstream, done } = await take(index % 2 ? first : second);
      names.push(upstream.name);
      done({ kind: 'none' });
    }
    expect(names).toEqual(['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b']);
  });

  test('tokens count as they were used, not as they were expected', async () => {
    const worker = await startWorker(catalogOf({ a: { tokensPerMinute: 100 }, b: { route: { order: 1 } } }));
    const used = async (expected: number, tokens: number) => {
      const { upstream, done } = await take(worker, { estimateTokens: () => expected });
      done({ kind: 'none', tokens });
      const told = upstream.name === 'a' ? 1 : 0;
      const before = worker.watch.known('a', true).state.seq;
      if (told === 1) await until(() => worker.watch.known('a', true).state.seq > before || before > 0);
      await delay(20);
      return upstream.name;
    };
    // One that is expected to use more than there is in a minute is let go where nothing else was used.
    expect(await used(500, 20)).toBe('a');
    expect(await used(60, 70)).toBe('a');
    expect(await used(60, 10)).toBe('b');
    expect(await used(10, 10)).toBe('a');
  });
});

describe('without Redis', () => {
  test('outcomes that it gets late say nothing of an upstream, and give places back', async () => {
    const worker = await startWorker(catalogOf({ a: { maxInFlight: 1 } }));
    await take(worker, { callId: 'held' });
    const failed = { class: 'failed', kind: 'server_error', beganAt: Date.now(), count: 1, inFlight: 1 } as const;
    const outcomes = ['held', '2', '3', '4', '5', '6'].map((id) => Object.assign({ id }, failed));
    const told = { upstream: 'a', outcomes, moreTokens: 0 };
    const late = await noteOutcomes(worker.redis, { ...told, toldAt: later(clock.now(), -6_000) });
    expect([late.state.openUntil, late.state.failuresInRow, late.taken]).toEqual([0, 0, 0]);
    const inTime = await noteOutcomes(worker.redis, { ...told, toldAt: clock.now() });
    expect(inTime.state.openUntil).toBeGreaterThan(0);
  });

  test('workers go by what they know', async () => {
    const own = await startTestRedis();
    const catalog = catalogOf({ a: { maxInFlight: 2 }, b: { route: { order: 1 } } });
    const redis = connectPatient(own.url, 'test');
    const subscriber = connectPatient(own.url, 'test-subscriber');
    await Promise.all([redis.connect(), subscriber.connect()]);
    const onError = () => undefined;
    const watch = watchUpstreams({ redis, subscriber, clock, onError, onChange: () => undefined });
    const chooser = createRouteChooser({
      ...{
        redis,
        clock,
        watch,
        random: Math.random,
        onError,
        onWaiting: onError,
        firstTokens: createFirstTokenTimes(),
        calls: createCallsLately(),
        ends: createEndJudge(),
      },
      catalog: () => catalog,
      languageModel: () => language,
    });
    const worker = { chooser, watch, redis, waiting: () => 0 };
    for (const connection of [redis, subscriber]) connection.on('error', onError);
    await own.kill();
    const names = [await take(worker), await take(worker), await take(worker)].map(({ upstream }) => upstream.name);
    expect(names).toEqual(['a', 'a', 'b']);
    // Its own failures open the breaker in its own copy.
    const state = () => watch.known('b', false).state;
    for (let index = 0; index < 5; index++) (await take(worker)).done({ kind: 'server_error' });
    expect(state().openUntil).toBeGreaterThan(0);
    watch.stop();
    redis.disconnect();
    subscriber.disconnect();
    await own.stop();
  });
});
