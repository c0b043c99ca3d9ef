import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry, workerMetrics } from '@lontar/shared/metrics.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readSettlement, settle } from '@lontar/shared/settlement/settle.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { countReservations, reserve } from '@lontar/shared/testing/reservations.ts';
import type { AbortReason, JobStart } from './job-runner.ts';
import type { Masker } from './masking/mask.ts';
import { type LanguageModel, type ModelAnswer, ModelError, type ModelRequest } from './model/language-model.ts';
import { type ProcessDeps, processGeneration, settleGivenUp } from './process-generation.ts';

const NOW = 1_800_000_000_000;
const requestId = 'req_0000000000000000000001';
const SECRET = 'the unmasked text';

let server: TestRedis;
let asked: ModelRequest[];
let registry: ReturnType<typeof createRegistry>;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  asked = [];
  registry = createRegistry('worker', 'test');
  await server.client.flushall();
  await server.client.hset(redisKeys.apiKey('k'), { id: 'k', charged: 1 });
  await reserve(server.client, requestId, 'k');
  await server.client.xadd(redisKeys.inbox('g'), '*', 'opened', '1');
});

type Generate = LanguageModel['generate'];
const answer: ModelAnswer = { text: `Here is ${SECRET}.`, usage: { input: 3, output: 4 }, finishReason: 'stop' };
const masker: Masker = {
  ...({} as Masker),
  mask: (text) => ({
    text: text.replaceAll(SECRET, '***API_KEY***'),
    spans: [{ type: 'key', rule: 'r', start: 0, end: 1 }],
  }),
};

function deps(generate: Generate, over: Partial<ProcessDeps> = {}): ProcessDeps {
  return {
    redisReturnedAt: () => 0,
    redis: server.client,
    clock: { now: () => NOW, stop: () => undefined },
    logger: createLogger('test', 'silent'),
    metrics: over.metrics ?? workerMetrics(registry),
    model: {
      provider: 'demo',
      generate: (request, signal) => {
        asked.push(request);
        return generate(request, signal);
      },
      close: () => Promise.resolve(),
    },
    upstreamName: (model) => `upstream ${model}`,
    personas: { '/api/ai': 'one', '/api/ai2': 'two', '/api/ai3': 'three' },
    masker,
    keepPreviews: true,
    random: () => 0.5,
    noteModelOutcome: () => undefined,
    onRedisFailure: () => undefined,
    ...over,
  };
}

function start(job: Partial<GenerationJob> = {}, over: Partial<JobStart> = {}): JobStart {
  const data: GenerationJob = {
    v: 1,
    id: requestId,
    endpoint: '/api/ai2',
    prompt: `Tell me ${SECRET}`,
    model: 'ai-2.5-pro',
    temperature: 0.7,
    maxOutputTokens: 10,
    keyId: 'k',
    gateway: 'g',
    receivedAt: NOW - 10,
    deadlineAt: NOW + 10_000,
    ...job,
  };
  return { job: data, start: 1, attempt: 1, signal: new AbortController().signal, ...over };
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
  test('asks the model with its persona and settles the masked answer', async () => {
    expect(await processGeneration(deps(answers), start())).toEqual({ kind: 'done' });
    expect(asked).toEqual([
      {
        requestId,
        system: 'two',
        prompt: `Tell me ${SECRET}`,
        model: 'upstream ai-2.5-pro',
        temperature: 0.7,
        maxOutputTokens: 10,
      },
    ]);
    expect(await settled()).toMatchObject({
      outcome: 'answered',
      text: 'Here is ***API_KEY***.',
      masked: { key: 1, url: 0, ip: 0, connection: 0 },
      usage: { input: 3, output: 4 },
      work: { attempts: 1, queuedMs: 10, promptPreview: 'Tell me ***API_KEY***' },
    });
    expect(await charged()).toBe(1);
  });

  test('keeps no preview where the operator wants none', async () => {
    await processGeneration(deps(answers, { keepPreviews: false }), start());
    expect(JSON.stringify(await settled())).not.toContain('Tell me');
  });

  test('refuses the answer when masking throws: no text anywhere, and the credit back', async () => {
    const broken: Masker = {
      ...masker,
      mask: (text) => {
        throw new RangeError(text);
      },
    };
    await processGeneration(deps(answers, { masker: broken }), start());
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'masking_failed' });
    expect(JSON.stringify(await server.client.xrange(redisKeys.inbox('g'), '-', '+'))).not.toContain(SECRET);
    expect(await charged()).toBe(0);
    expect(await registry.metrics()).toContain('masking_operations_total{result="failed",service="worker"} 1');
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
    ['a second start', {}, { start: 2 }],
    ['a late first start', { receivedAt: NOW - 5_000 }, {}],
  ] as const)('on %s of a request that is settled, and the reply is sent again', async (_what, job, over) => {
    const settlement = { v: 1, outcome: 'failed', error: 'timed_out' } as const;
    await settle(server.client, { requestId, keyId: 'k', settlement });
    await processGeneration(deps(answers), start(job, over));
    expect(asked).toHaveLength(0);
    expect(await server.client.xlen(redisKeys.inbox('g'))).toBe(2);
  });

  test('for a request that nobody knows any more', async () => {
    await server.client.del(redisKeys.keyFlight('k'));
    await processGeneration(deps(answers), start({}, { start: 2 }));
    expect(asked).toHaveLength(0);
  });
});

test('a job that nobody can read is settled for the key that has its reservation, and gives its credit back', async () => {
  for (let other = 0; other < 250; other++) await reserve(server.client, `req_of_${other}`, `key-${other}`);
  await settleGivenUp({ redis: server.client }, requestId, undefined);
  expect(await settled()).toMatchObject({ outcome: 'failed', error: 'internal_error' });
  expect(await server.client.hget(redisKeys.apiKey('k'), 'charged')).toBe('0');
  expect(await countReservations(server.client)).toBe(250);
  await settleGivenUp({ redis: server.client }, 'req_unknown', undefined);
  expect(await countReservations(server.client)).toBe(250);
});

test('a job that starts again while Redis refuses writes waits until it may go on', async () => {
  await server.client.config('SET', 'min-replicas-to-write', '1');
  let processed: Promise<unknown> | undefined;
  await new Promise<void>((refused) => {
    processed = processGeneration(deps(answers, { onRedisFailure: () => refused() }), start({}, { start: 2 }));
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

  test.each(['cancelled', 'lock lost'] as const)('that was %s settles nothing', async (reason) => {
    expect(await abortedBy(reason)).toEqual({ kind: 'done' });
    expect(await settled()).toBeUndefined();
  });

  test('because the worker stops hands the job back', async () => {
    expect(await abortedBy('stopping')).toEqual({ kind: 'again', delayMs: 0 });
    expect(await settled()).toBeUndefined();
  });

  test('by the deadline settles a timeout', async () => {
    await processGeneration(deps(never), start({ deadlineAt: NOW + 20 }));
    expect(await settled()).toMatchObject({ outcome: 'failed', error: 'timed_out' });
    expect(await charged()).toBe(0);
  });
});

test('a start that a later one has overtaken cannot settle', async () => {
  const overtaken: Generate = async () => {
    await processGeneration(
      deps(answers, { metrics: workerMetrics(createRegistry('worker', 'test')) }),
      start({}, { start: 2 }),
    );
    return { ...answer, text: 'too late' };
  };
  await processGeneration(deps(overtaken), start());
  expect(await settled()).toMatchObject({ text: 'Here is ***API_KEY***.' });
  expect(await charged()).toBe(1);
  expect(await server.client.xlen(redisKeys.inbox('g'))).toBe(2);
});
