import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient, type Redis } from '@lontar/shared/redis-connection.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { startTcpProxy, type TcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';
import { startJobRunner } from '../job-runner.ts';
import type { JobStart } from '../job-start.ts';
import { createTurns } from '../turns.ts';
import { giveBackUnheard } from './unheard-takes.ts';

let server: TestRedis;
let proxy: TcpProxy;
let redis: Redis;
let queue: GenerationQueue;

beforeAll(async () => {
  server = await startTestRedis();
  proxy = await startTcpProxy(server.port);
  queue = openGenerationQueue(server.client);
  // So that Redis knows the script, and a take is one piece.
  await runTurn(server.client, { endings: [], take: 1, lock: 'none' });
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});
beforeEach(async () => {
  await server.client.flushall();
  redis = connectPatient(`redis://127.0.0.1:${proxy.port}`, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
});
afterEach(() => {
  proxy.intercept(() => 'pass');
  redis.disconnect();
});

const idOf = (number: number) => `req_${String(number).padStart(22, '0')}`;
const waiting = async () => (await server.client.lrange(queueKeys.waiting, 0, -1)).toReversed();
const startsOf = (number: number) => server.client.hget(queueKeys.job(idOf(number)), 'ats');

async function enqueue(count: number): Promise<void> {
  const now = redisTime();
  for (let number = 1; number <= count; number++) {
    const job: GenerationJob = {
      ...{ v: 1, id: idOf(number), endpoint: '/api/ai', prompt: 'hi', model: 'ai-2.5-flash', temperature: 1 },
      ...{ maxOutputTokens: 9, keyId: 'k', gateway: 'g', receivedAt: now, deadlineAt: later(now, 60_000) },
    };
    await queue.add(job, now);
  }
}

/** The first piece that names the locks of a worker reaches Redis, and its answer is lost with the connection. */
function cutTheFirstTakeOf(name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.intercept((piece) => {
    if (!piece.includes(`${name}:`)) return 'pass';
    proxy.intercept(() => 'pass');
    resolve();
    return 'cut after';
  });
  return promise;
}

test('jobs of a take whose reply was lost are given back, before the rest of the queue; those it brought the second time stay', async () => {
  await enqueue(8);
  const turns = createTurns({ redis, waiting: redis, name: 'w', places: () => 5, isWaiting: () => false });
  const cut = cutTheFirstTakeOf('w');
  await Promise.all([turns.take(), cut]);
  while ((await waiting()).length < 5) await new Promise(setImmediate);
  expect(await waiting()).toEqual([1, 2, 3, 4, 5].map(idOf));
  expect(await Promise.all([1, 5, 6].map(startsOf))).toEqual(['0', '0', '1']);
  expect([turns.next(), turns.next(), turns.next()].map((job) => job?.requestId)).toEqual([6, 7, 8].map(idOf));
  await turns.close();
});

test('a worker that loses the reply of a take runs each job once, and none counts as lost', async () => {
  await enqueue(20);
  const cut = cutTheFirstTakeOf('w');
  const starts: JobStart[] = [];
  const all = Promise.withResolvers<void>();
  const runner = startJobRunner({
    name: 'w',
    redis,
    clock: { now: redisTime, stop: () => undefined },
    concurrency: 7,
    logger: createLogger('test', 'silent'),
    process(start) {
      if (starts.push(start) === 20) all.resolve();
      return Promise.resolve({ kind: 'done' });
    },
    onGivenUp: () => Promise.resolve(),
    onStalled: () => undefined,
    untilSteady: () => Promise.resolve(),
  });
  await Promise.all([cut, all.promise]);
  await runner.stop(0);
  expect(starts.map(({ job }) => job.id).toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => idOf(index + 1)));
  expect(starts.every(({ number, losses }) => number === 1 && losses === 0)).toBe(true);
});

test('nothing is asked of Redis where no connection breaks', async () => {
  await enqueue(3);
  const turns = createTurns({ redis, waiting: redis, name: 'w', places: () => 5, isWaiting: () => false });
  await server.client.config('RESETSTAT');
  await turns.take();
  await turns.close();
  const scripts = /cmdstat_evalsha:calls=(\d+)/.exec(await server.client.info('commandstats'))?.[1];
  // The take, and its jobs given back at the end.
  expect(scripts).toBe('2');
});

test('only jobs under the lock of the take are given back, and none that its reply brought', async () => {
  await enqueue(5);
  for (const lock of ['a:1', 'a:1', 'a:1', 'a:2', 'b:1']) await runTurn(server.client, { endings: [], take: 1, lock });
  const doubtful = [{ lock: 'a:1', heard: [idOf(2)] }];
  expect(await giveBackUnheard(server.client, doubtful)).toEqual([3, 1].map(idOf));
  expect(await giveBackUnheard(server.client, doubtful)).toEqual([]);
  expect(await waiting()).toEqual([1, 3].map(idOf));
  expect(await server.client.lrange(queueKeys.active, 0, -1)).toEqual([5, 4, 2].map(idOf));
  expect(await server.client.zrange(queueKeys.marker, '0', '-1')).toEqual(['0']);
});
