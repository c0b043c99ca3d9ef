import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GENERATION_JOB, type PromptJob } from '@lontar/shared/generation-job.ts';
import { jobKeys, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry, type WorkerMetrics, workerMetrics } from '@lontar/shared/metrics.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { type Ended, runTurn } from '@lontar/shared/settlement/turn.ts';
import { readSettlement } from '@lontar/shared/testing/read-settlement.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { countReservations, reserve } from '@lontar/shared/testing/reservations.ts';
import { WITHDRAWALS_FIRST_MS } from '@lontar/shared/time-budget.ts';
import { oneUpstream } from '../testing/one-upstream.ts';
import { startJobRunner } from './job-runner.ts';
import type { AbortReason, JobEnd, JobStart } from './job-start.ts';
import { createLivePlane } from './live/live-plane.ts';
import { createMasker, type Masker } from './masking/mask.ts';
import {
  type LanguageModel,
  MODEL_ERROR_KINDS,
  ModelError,
  type ModelRequest,
  type ModelResult,
} from './model/language-model.ts';
import { type ProcessDeps, processGeneration } from './process-generation.ts';
import { createQuarantine } from './quarantine.ts';
import { settleGivenUp } from './settle-job.ts';

const NOW = redisTime(1_800_000_000_000);
const requestId = 'req_0000000000000000000001';
const SECRET = 'the unmasked text';

let server: TestRedis;
let asked: ModelRequest[];
let registry: ReturnType<typeof createRegistry>;
let metrics: WorkerMetrics;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  asked = [];
  registry = createRegistry('worker', 'test');
  metrics = workerMetrics(registry, MODEL_ERROR_KINDS);
  await server.client.flushall();
  await server.client.hset(redisKeys.apiKey('k'), { id: 'k', charged: 1 });
  await reserve(server.client, requestId, 'k');
  await server.client.xadd(redisKeys.inbox('g'), '*', 'opened', '1');
});

type Generate = LanguageModel['generate'];
const answer: ModelResult = { text: `Here is ${SECRET}.`, usage: { input: 3, output: 4 }, finishReason: 'stop' };
const masker: Masker = {
  ...({} as Masker),
  *maskInSlices(text) {
    yield;
    return {
      text: text.replaceAll(SECRET, '***API_KEY***'),
      spans: [{ type: 'key', rule: 'r', source: 's', start: 0, end: 1 }],
    };
  },
  maskBeginning: (text) => ({ text: text.replaceAll(SECRET, '***API_KEY***'), whole: true }),
};

function deps(generate: Generate, over: Partial<ProcessDeps> = {}): ProcessDeps {
  return {
    redisReturnedAt: () => redisTime(0),
    redisPromotedAt: () => redisTime(0),
    redisOutageEndedAt: () => redisTime(0),
    quarantine: createQuarantine(() => undefined),
    redis: server.client,
    clock: { now: () => redisTime(NOW), stop: () => undefined },
    logger: createLogger('test', 'silent'),
    metrics: over.metrics ?? metrics,
    ...oneUpstream(
      {
        provider: 'demo',
        generate: (request, signal, onPart) => {
          asked.push(request);
          return generate(request, signal, onPart);
        },
        close: () => Promise.resolve(),
      },
      (model) => `upstream ${model}`,
    ),
    personas: { '/api/ai': 'one', '/api/ai2': 'two', '/api/ai3': 'three' },
    masker,
    live: createLivePlane({ redis: server.client, worker: 'w', metrics, onRedisFailure: () => undefined }),
    freeFailuresPerHour: 5,
    keepPreviews: true,
    random: () => 0.5,
    noteModelOutcome: () => undefined,
    onRedisFailure: () => undefined,
    ...over,
  };
}

function start(job: Partial<PromptJob> = {}, over: Partial<JobStart> = {}): JobStart {
  const data: PromptJob = {
    v: 1,
    id: requestId,
    endpoint: '/api/ai2',
    prompt: `Tell me ${SECRET}`,
    model: 'ai-2.5-pro',
    temperature: 0.7,
    maxOutputTokens: 10,
    keyId: 'k',
    gateway: 'g',
    receivedAt: later(NOW, -10),
    deadlineAt: later(NOW, 10_000),
    ...job,
  };
  const settleAlone: JobStart['settle'] = (settlement) => settle(server.client, { requestId: data.id, ...settlement });
  const { signal } = new AbortController();
  return { job: data, number: 1, attempt: 1, losses: 0, signal, settle: settleAlone, ...over };
}

/** What the metric of model calls has counted, as `outcome charge`. */
async function calls(): Promise<string[]> {
  const { values } = await (registry.getSingleMetric('model_calls_total') as { get(): Promise<Counted> }).get();
  return values.flatMap(({ labels, value }) =>
    Array.from({ length: value }, () => `${labels.outcome} ${labels.charge}`),
  );
}
interface Counted {
  readonly values: readonly { readonly value: number; readonly labels: { outcome: string; charge: string } }[];
}

const settled = () => readSettlement(server.client, requestId);
const charged = async () => Number(await server.client.hget(redisKeys.apiKey('k'), 'charged'));
const answers: Generate = () => Promise.resolve(answer);
function fails(error: ModelError): Generate {
  return () => Promise.reject(error);
}
const never: Generate = (_request, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ModelError('cancelled')), { once: true });
  });

describe('one start of a job', () => {
  test('calls the model with its persona and settles the masked answer', async () => {
    expect(await processGeneration(deps(answers), start())).toEqual({ kind: 'done' });
    expect(asked).toEqual([
      {
        requestId,
        model: 'upstream ai-2.5-pro',
        chat: {
          messages: [
            { role: 'system', content: 'two' },
            { role: 'user', content: `Tell me ${SECRET}` },
          ],
          temperature: 0.7,
        },
        maxOutputTokens: 10,
        deadlines: { connectMs: 10_000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
      },
    ]);
    expect(await settled()).toMatchObject({
      outcome: 'answered',
      route: 'only/upstream ai-2.5-pro',
      text: 'Here is ***API_KEY***.',
      masked: { key: 1, url: 0, ip: 0, connection: 0 },
      usage: { input: 3, output: 4 },
      work: { attempts: 1, queuedMs: 10, promptPreview: 'Tell me ***API_KEY***' },
    });
    expect(await charged()).toBe(1);
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', undefined],
    ['other', undefined],
  ] as const)('says that an answer was cut: %s', async (finishReason, told) => {
    await processGeneration(
      deps(() => Promise.resolve({ ...answer, finishReason })),
      start(),
    );
    const { finishReason: kept } = { finishReason: undefined, ...(await settled()) };
    expect(kept).toBe(told);
  });

  test('settles what is masked, not the JSON in which a long answer came', async () => {
    const text = `${'leaf '.repeat(4_000)}${SECRET}`;
    const long: ModelResult = { ...answer, text, literal: { text, json: Buffer.from(JSON.stringify(text)) } };
    const settleByTurn: JobStart['settle'] = async (settle) => {
      const { ended } = await runTurn(server.client, { endings: [{ requestId, settle }], take: 0, lock: 'l' });
      return (ended[0] as Ended).settled ?? { kind: 'gone' };
    };
    await processGeneration(
      deps(() => Promise.resolve(long)),
      start({}, { settle: settleByTurn }),
    );
    expect(await settled()).toMatchObject({ text: text.replace(SECRET, '***API_KEY***') });
    expect(JSON.stringify(await server.client.hgetall(redisKeys.request(requestId)))).not.toContain(SECRET);
  });

  test('keeps why the model call failed, and tells it to the heartbeat', async () => {
    const noted: unknown[] = [];
    const upstream = { upstreamHost: 'llm.internal', upstreamStatus: 401, upstreamMessage: 'Wrong key.' };
    const over = { noteModelOutcome: (failure: unknown) => noted.push(failure) };
    await processGeneration(deps(fails(new ModelError('unauthorized', { upstream })), over), start());
    const cause = { reason: 'unauthorized', ...upstream };
    const work = { attempts: 1, queuedMs: 10, modelMs: expect.any(Number) };
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'upstream_error', cause, work });
    await processGeneration(
      deps(fails(new ModelError('content_blocked')), over),
      start({ id: `${requestId.slice(0, -1)}2` }),
    );
    expect(noted).toEqual([cause, undefined]);
  });

  test('says why no upstream was asked', async () => {
    const chooser = { choose: () => ({ kind: 'none', retryInMs: 3_000 }) } as unknown as ProcessDeps['chooser'];
    await processGeneration(deps(answers, { chooser }), start());
    const cause = { reason: 'left_alone', advice: expect.stringContaining('left alone for another 3 s') };
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'service_unavailable', cause });
  });

  test('keeps no preview where the operator wants none', async () => {
    await processGeneration(deps(answers, { keepPreviews: false }), start());
    expect(JSON.stringify(await settled())).not.toContain('Tell me');
  });

  test('gives the caller what its key shows, and the log what everybody may see', async () => {
    const { endpoint: _endpoint, prompt: _prompt, temperature: _temperature, ...common } = start().job as PromptJob;
    const messages = [{ role: 'user' as const, content: 'It listens on 10.1.2.3.' }];
    const policy = { mask: ['ip' as const], keepOwn: true };
    const job = { ...common, v: 2 as const, endpoint: '/v1/chat/completions' as const, chat: { messages }, policy };
    const token = ['gho', 'A1b2C3d4E5'.repeat(4)].join('_');
    const text = `${token} for 10.1.2.3 and 10.1.2.4`;
    const real = { masker: createMasker() };
    await processGeneration(
      deps(async () => ({ ...answer, text }), real),
      start({}, { job }),
    );
    expect(await settled()).toMatchObject({
      text: `${token} for 10.1.2.3 and ***IP_ADDRESS***`,
      masked: { key: 0, ip: 1 },
      work: {
        promptPreview: 'It listens on ***IP_ADDRESS***.',
        answerPreview: '***API_KEY*** for ***IP_ADDRESS*** and ***IP_ADDRESS***',
      },
    });
  });

  const broken: Masker = {
    ...masker,
    maskInSlices: (text) => {
      throw new RangeError(text);
    },
  };

  test('refuses the answer when masking throws: no text anywhere, and the credit back', async () => {
    await processGeneration(deps(answers, { masker: broken }), start());
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'masking_failed' });
    expect(JSON.stringify(await server.client.xrange(redisKeys.inbox('g'), '-', '+'))).not.toContain(SECRET);
    expect(await charged()).toBe(0);
    expect(await registry.metrics()).toContain('masking_operations_total{result="failed",service="worker"} 1');
  });

  test('refuses an answer that would take too much work to mask: no text anywhere, and the credit back', async () => {
    let text = SECRET;
    for (let number = 0; text.length < 60_000; number++) text += `secret=${'abc'.charAt(number % 3)}${number}/`;
    await processGeneration(
      deps(async () => ({ ...answer, text }), { masker: createMasker() }),
      start(),
    );
    const kept = await settled();
    expect(kept).toMatchObject({ outcome: 'failed', error: 'masking_failed' });
    expect(JSON.stringify(kept)).not.toContain('secret=');
    expect(JSON.stringify(await server.client.xrange(redisKeys.inbox('g'), '-', '+'))).not.toContain('secret=');
    expect(await charged()).toBe(0);
    expect(await registry.metrics()).toContain('masking_operations_total{result="refused",service="worker"} 1');
  });

  test('gives the credit for answers that cannot be masked back within the free failures alone', async () => {
    await processGeneration(deps(answers, { masker: broken, freeFailuresPerHour: 1 }), start());
    expect(await settled()).toMatchObject({ error: 'masking_failed', charged: false });
    const second = 'req_0000000000000000000002';
    await reserve(server.client, second, 'k');
    await processGeneration(deps(answers, { masker: broken, freeFailuresPerHour: 1 }), start({ id: second }));
    expect(await readSettlement(server.client, second)).toMatchObject({ error: 'masking_failed', charged: true });
    expect(await calls()).toEqual(['none charged', 'none given_back']);
  });

  test.each([
    ['rate_limited', { kind: 'again', delayMs: 1_125 }],
    ['connection', { kind: 'again', delayMs: 1_125 }],
  ] as const)('goes back to the queue after %s, unsettled', async (kind, end) => {
    expect(await processGeneration(deps(fails(new ModelError(kind, { retryAfterMs: 1_000 }))), start())).toEqual(end);
    expect(await settled()).toBeUndefined();
    expect(await charged()).toBe(1);
  });

  test.each([
    ['refused', 1, 'upstream_error', 0],
    ['content_blocked', 1, 'content_blocked', 1],
    ['server_error', 5, 'upstream_error', 0],
  ] as const)('is settled for good after %s at attempt %i', async (kind, attempt, error, charges) => {
    expect(await processGeneration(deps(fails(new ModelError(kind))), start({}, { attempt }))).toEqual({
      kind: 'done',
    });
    expect(await settled()).toMatchObject({ outcome: 'failed', error });
    expect(await charged()).toBe(charges);
  });

  test('takes an error that is no ModelError for a failed answer, and shows nothing of it', async () => {
    await processGeneration(
      deps(() => Promise.reject(new Error(SECRET))),
      start(),
    );
    expect(JSON.stringify(await settled())).not.toContain(SECRET);
    expect(await settled()).toMatchObject({ error: 'upstream_error' });
  });
});

describe('no model is called', () => {
  test('after the deadline', async () => {
    await processGeneration(deps(answers), start({ deadlineAt: NOW }));
    expect(asked).toHaveLength(0);
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'timed_out' });
  });

  test.each([
    ['a second start', {}, { number: 2 }],
    ['a late first start', { receivedAt: later(NOW, -5_000) }, {}],
  ] as const)('on %s of a request that is settled, and the reply is sent again', async (_what, job, over) => {
    const settlement = { v: 1, outcome: 'failed', error: 'timed_out' } as const;
    await settle(server.client, { requestId, keyId: 'k', settlement });
    await processGeneration(deps(answers), start(job, over));
    expect(asked).toHaveLength(0);
    expect(await server.client.xlen(redisKeys.inbox('g'))).toBe(2);
  });

  test('for a request that Redis does not know any more', async () => {
    await server.client.del(redisKeys.keyFlight('k'));
    await processGeneration(deps(answers), start({}, { number: 2 }));
    expect(asked).toHaveLength(0);
  });
});

test('a job that cannot be read is settled for the key that has its reservation, and gives its credit back', async () => {
  for (let other = 0; other < 250; other++) await reserve(server.client, `req_of_${other}`, `key-${other}`);
  await settleGivenUp({ redis: server.client, freeFailuresPerHour: 5 }, requestId, undefined);
  expect(await settled()).toMatchObject({ outcome: 'failed', error: 'internal_error' });
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
  expect(await countReservations(server.client)).toBe(250);
  await settleGivenUp({ redis: server.client, freeFailuresPerHour: 5 }, 'req_unknown', undefined);
  expect(await countReservations(server.client)).toBe(250);
});

test('a fresh job of another primary runs once gateways have had the time to withdraw it from this one, if they have not', async () => {
  let now = NOW;
  const clock = { now: () => redisTime(now), stop: () => undefined };
  const promoted = () => redisTime(NOW + 10);
  const both = [requestId, 'req_0000000000000000000009'] as const;
  await reserve(server.client, both[1], 'k');
  const processed = both.map((id) =>
    processGeneration(deps(answers, { clock, redisPromotedAt: promoted }), start({ id })),
  );
  const refused = { v: 1, outcome: 'failed', error: 'service_unavailable' } as const;
  await settle(server.client, { requestId: both[1], keyId: 'k', settlement: refused, takeBack: true });
  expect(asked).toHaveLength(0);
  now = redisTime(NOW + 10 + WITHDRAWALS_FIRST_MS);
  await Promise.all(processed);
  expect(asked).toHaveLength(1);
  expect(await settled()).toMatchObject({ outcome: 'answered' });
});

test('a job that starts again while Redis refuses writes waits until it may go on', async () => {
  await server.client.config('SET', 'min-replicas-to-write', '1');
  let processed: Promise<unknown> | undefined;
  await new Promise<void>((refused) => {
    processed = processGeneration(deps(answers, { onRedisFailure: () => refused() }), start({}, { number: 2 }));
  });
  expect(asked).toHaveLength(0);
  await server.client.config('SET', 'min-replicas-to-write', '0');
  expect(await processed).toEqual({ kind: 'done' });
  expect(await settled()).toMatchObject({ outcome: 'answered' });
});

test('a settlement that Redis refuses is tried again until it is taken', async () => {
  await server.client.config('SET', 'min-replicas-to-write', '1');
  let processed: Promise<unknown> | undefined;
  await new Promise<void>((refused) => {
    processed = processGeneration(deps(answers, { onRedisFailure: () => refused() }), start());
  });
  expect(await settled()).toBeUndefined();
  await server.client.config('SET', 'min-replicas-to-write', '0');
  expect(await processed).toEqual({ kind: 'done' });
  expect(await settled()).toMatchObject({ outcome: 'answered' });
});

describe('an aborted call', () => {
  const abortedBy = (reason: AbortReason) => {
    const controller = new AbortController();
    const generate: Generate = (request, signal) => {
      queueMicrotask(() => controller.abort(reason));
      return never(request, signal);
    };
    return processGeneration(deps(generate), start({}, { signal: controller.signal }));
  };

  test('whose job another worker has settles nothing', async () => {
    expect(await abortedBy('lock lost')).toEqual({ kind: 'done' });
    expect(await settled()).toBeUndefined();
    expect(await registry.metrics()).toContain('queue_jobs_processed_total{outcome="lock_lost",service="worker"} 1');
  });

  test('because its caller left is charged: the model had been called', async () => {
    expect(await abortedBy('cancelled')).toEqual({ kind: 'done' });
    expect(await settled()).toMatchObject({ v: 1, outcome: 'failed', error: 'client_closed', charged: true });
    expect(await charged()).toBe(1);
    expect(await calls()).toEqual(['cancelled charged']);
  });

  test('before the model was asked is not: its caller left while it was being connected', async () => {
    const controller = new AbortController();
    const generate: Generate = () => {
      controller.abort('cancelled' satisfies AbortReason);
      return Promise.reject(Object.assign(new ModelError('cancelled'), { wasAsked: false }));
    };
    await processGeneration(deps(generate), start({}, { signal: controller.signal }));
    expect(await settled()).toMatchObject({ error: 'client_closed', charged: false });
    expect(await charged()).toBe(0);
    expect(await calls()).toEqual([]);
  });

  test('that had ended in a refusal is not', async () => {
    const controller = new AbortController();
    const generate: Generate = () => {
      controller.abort('cancelled' satisfies AbortReason);
      return Promise.reject(new ModelError('rate_limited'));
    };
    await processGeneration(deps(generate), start({}, { signal: controller.signal }));
    expect(await settled()).toMatchObject({ error: 'client_closed', charged: false });
    expect(await charged()).toBe(0);
  });

  test('because the worker stops hands the job back', async () => {
    expect(await abortedBy('stopping')).toEqual({ kind: 'handed back' });
    expect(await settled()).toBeUndefined();
  });

  test('by the deadline settles a timeout', async () => {
    await processGeneration(deps(never), start({ deadlineAt: later(NOW, 20) }));
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'timed_out' });
    expect(await charged()).toBe(0);
    expect(await calls()).toEqual(['cancelled given_back']);
  });
});

describe('a caller who left', () => {
  const aborted = AbortSignal.abort('cancelled' satisfies AbortReason);
  const leave = () => server.client.hset(redisKeys.request(requestId), 'left', '1');

  test('before the job began pays nothing, and the model is not called', async () => {
    expect(await processGeneration(deps(answers), start({}, { signal: aborted }))).toEqual({ kind: 'done' });
    expect(asked).toHaveLength(0);
    expect(await settled()).toMatchObject({ error: 'client_closed', charged: false });
    expect(await charged()).toBe(0);
  });

  test('from a worker that died pays, and the model is not called again', async () => {
    await leave();
    expect(await processGeneration(deps(answers), start({}, { number: 2, attempt: 1, losses: 1 }))).toEqual({
      kind: 'done',
    });
    expect(asked).toHaveLength(0);
    expect(await settled()).toMatchObject({ error: 'client_closed', charged: true });
    expect(await charged()).toBe(1);
  });

  test.each([
    ['rate_limited', false, 0],
    ['timed_out', true, 1],
  ] as const)('between two attempts, the first of them %s, pays: %s', async (kind, isCharged, charges) => {
    await processGeneration(deps(fails(new ModelError(kind))), start());
    await leave();
    await processGeneration(deps(answers), start({}, { number: 2, attempt: 2 }));
    expect(asked).toHaveLength(1);
    expect(await settled()).toMatchObject({ error: 'client_closed', charged: isCharged });
    expect(await charged()).toBe(charges);
  });
});

describe('a job that workers died of', () => {
  const after = (deaths: number) => ({ number: deaths + 1, losses: deaths });
  const die = (deaths: number) =>
    server.client.hset(redisKeys.request(requestId), {
      fence: deaths,
      begun: later(NOW, -5),
      losses: deaths - 1,
      deaths: deaths - 1,
    });

  test.each([
    [5, false, 0],
    [0, true, 1],
  ] as const)('is given up; with %i free failures an hour it is charged: %s', async (free, isCharged, charges) => {
    await die(GENERATION_JOB.deathsAtMost);
    const end = await processGeneration(
      deps(answers, { freeFailuresPerHour: free }),
      start({}, after(GENERATION_JOB.deathsAtMost)),
    );
    expect(end).toEqual({ kind: 'done' });
    expect(asked).toHaveLength(0);
    expect(await settled()).toMatchObject({ error: 'internal_error', charged: isCharged });
    expect(await charged()).toBe(charges);
    expect(await registry.metrics()).toContain('queue_jobs_given_up_total{reason="poison_pill",service="worker"} 1');
  });

  test('runs alone before that, and leaves the quarantine to the next', async () => {
    const waiting = Promise.withResolvers<void>();
    const quarantine = createQuarantine(() => waiting.resolve());
    const leave = await quarantine.enter(new AbortController().signal);
    await die(GENERATION_JOB.aloneAfterDeaths);
    const processed = processGeneration(
      deps(answers, { quarantine }),
      start({}, after(GENERATION_JOB.aloneAfterDeaths)),
    );
    await waiting.promise;
    const next = quarantine.enter(new AbortController().signal);
    leave?.();
    expect(await processed).toEqual({ kind: 'done' });
    expect(await settled()).toMatchObject({ outcome: 'answered' });
    expect(await next).toBeDefined();
  });

  test('whose caller leaves while it waits to run alone is settled, and the model not called', async () => {
    const leaving = new AbortController();
    const quarantine = createQuarantine(() => leaving.abort('cancelled' satisfies AbortReason));
    await quarantine.enter(new AbortController().signal);
    await die(GENERATION_JOB.aloneAfterDeaths);
    const suspect = start({}, { ...after(GENERATION_JOB.aloneAfterDeaths), signal: leaving.signal });
    expect(await processGeneration(deps(answers, { quarantine }), suspect)).toEqual({ kind: 'done' });
    expect(asked).toHaveLength(0);
    expect(await settled()).toMatchObject({ error: 'client_closed', charged: true });
  });
});

describe('a job that stopping workers hand back', () => {
  const trueClock = { now: () => redisTime(), stop: () => undefined };
  /** Takes the job from a real queue, and stops while `process` has it. */
  async function stopDuring(process: (start: JobStart) => Promise<JobEnd>): Promise<void> {
    const redis = connectPatient(server.url, 'test');
    await redis.connect();
    const begun = Promise.withResolvers<void>();
    const runner = startJobRunner({
      name: 'a worker',
      ...{ redis, clock: trueClock, concurrency: 1, logger: createLogger('test', 'silent') },
      ...{ onGivenUp: () => Promise.resolve(), onStalled: () => undefined, untilSteady: () => Promise.resolve() },
      process: (next) => {
        begun.resolve();
        return process(next);
      },
    });
    await begun.promise;
    await runner.stop(0);
    redis.disconnect();
  }
  const untilStopped = ({ signal }: JobStart) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
  /** As a gateway settles it whose caller leaves while the job waits. */
  const leave = () =>
    settle(server.client, {
      ...{ requestId, keyId: 'k', freeFailuresPerHour: 5, cancel: true, leaveToWorker: true },
      settlement: { v: 1, outcome: 'failed', error: 'client_closed' },
    });

  beforeEach(async () => {
    const queue = openGenerationQueue(server.client);
    await queue.add(start({ receivedAt: redisTime(), deadlineAt: later(redisTime(), 60_000) }).job, redisTime());
  });

  test('before the model was called costs its caller, who leaves then, nothing', async () => {
    for (let stop = 0; stop < 2; stop++) {
      await stopDuring(async (next) => {
        await untilStopped(next);
        return processGeneration(deps(answers), next);
      });
    }
    expect(asked).toHaveLength(0);
    expect(await leave()).toMatchObject({ kind: 'settled', settlement: { charged: false } });
    expect(await charged()).toBe(0);
  });

  test('and that is lost with a worker then is one that may have called it', async () => {
    await stopDuring(async (next) => {
      await untilStopped(next);
      return processGeneration(deps(answers), next);
    });
    await server.client.hincrby(jobKeys(requestId).job, 'ats', 1);
    expect(await leave()).toMatchObject({ settlement: { charged: true } });
  });

  test('after it was called is one that its caller, who leaves then, pays for', async () => {
    await stopDuring((next) =>
      processGeneration(deps(never, { clock: { now: () => redisTime(), stop: () => undefined } }), next),
    );
    expect(asked).toHaveLength(1);
    expect(await leave()).toMatchObject({ settlement: { charged: true } });
    expect(await charged()).toBe(1);
    expect(await calls()).toEqual(['cancelled open']);
  });

  test('before it was called has a call of its own that timed out made again, as any other', async () => {
    const end = await processGeneration(deps(fails(new ModelError('timed_out'))), start({}, { number: 3, attempt: 1 }));
    expect(end.kind).toBe('again');
  });
});

describe('a call that may have cost money and brought no answer', () => {
  test.each([
    ['timed_out', 'timed_out'],
    ['cut_off', 'upstream_error'],
  ] as const)('(%s) is made again once in a request, whatever comes between', async (kind, error) => {
    const kinds = [kind, 'server_error', kind] as const;
    for (const [index, next] of kinds.entries()) {
      const end = await processGeneration(
        deps(fails(new ModelError(next))),
        start({}, { number: index + 1, attempt: index + 1 }),
      );
      expect(end.kind).toBe(index < 2 ? 'again' : 'done');
    }
    expect(await settled()).toMatchObject({ error, charged: false });
  });

  test('is not made again where a worker died over the one before', async () => {
    const end = await processGeneration(
      deps(fails(new ModelError('timed_out'))),
      start({}, { number: 2, attempt: 1, losses: 1 }),
    );
    expect(end).toEqual({ kind: 'done' });
  });

  test.each(['too_large', 'invalid_answer', 'empty_answer'] as const)(
    '(%s) is charged beyond the free ones',
    async (kind) => {
      await processGeneration(deps(fails(new ModelError(kind)), { freeFailuresPerHour: 0 }), start());
      expect(await settled()).toMatchObject({ error: 'upstream_error', charged: true });
      expect(await charged()).toBe(1);
      expect(await calls()).toEqual([`${kind} charged`]);
    },
  );

  test.each(['rate_limited', 'server_error', 'connection', 'refused', 'unauthorized'] as const)(
    'is none of %s, which is always given back',
    async (kind) => {
      const last = start({}, { number: 5, attempt: 5 });
      await processGeneration(deps(fails(new ModelError(kind)), { freeFailuresPerHour: 0 }), last);
      expect(await settled()).toMatchObject({ error: 'upstream_error', charged: false });
      expect(await charged()).toBe(0);
      expect(await calls()).toEqual([`${kind} given_back`]);
    },
  );

  test('counts although the last failure of its request cost nothing', async () => {
    await processGeneration(deps(fails(new ModelError('timed_out'))), start());
    const last = start({}, { number: 5, attempt: 5 });
    await processGeneration(deps(fails(new ModelError('server_error')), { freeFailuresPerHour: 0 }), last);
    expect(await settled()).toMatchObject({ error: 'upstream_error', charged: true });
  });

  test("is the caller's own doing where the output tokens were used up", async () => {
    await processGeneration(
      deps(() => Promise.resolve({ ...answer, text: ' ', finishReason: 'length' })),
      start(),
    );
    expect(await settled()).toMatchObject({ error: 'output_used_up', charged: true });
    expect(await charged()).toBe(1);
  });
});

test('a start that a later one has overtaken cannot settle', async () => {
  const overtaken: Generate = async () => {
    await processGeneration(deps(answers), start({}, { number: 2 }));
    return { ...answer, text: 'too late' };
  };
  await processGeneration(deps(overtaken), start());
  expect(await settled()).toMatchObject({ text: 'Here is ***API_KEY***.' });
  expect(await charged()).toBe(1);
  expect(await server.client.xlen(redisKeys.inbox('g'))).toBe(2);
});

test('a start that a later one has overtaken before it could ask does not call the model, and settles nothing', async () => {
  const third = start({}, { number: 3, losses: 2 });
  await processGeneration(deps(fails(new ModelError('rate_limited'))), third);
  // Its worker was slow: the job was taken back from it before the third start, and its second loss is not known to it.
  expect(await processGeneration(deps(answers), start({}, { number: 2, losses: 1 }))).toEqual({ kind: 'done' });
  expect(asked).toHaveLength(1);
  expect(await settled()).toBeUndefined();
});
