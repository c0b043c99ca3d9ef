import { expect, test } from '@jest/globals';
import type { Instance } from '@lontar/shared/instances.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { healthSchema } from '@lontar/shared/utility-answers.ts';
import { type HealthReading, judgeHealth } from './judge-health.ts';

const NOW = redisTime(Date.UTC(2026, 0, 31));
const worker = (part: Partial<Instance> = {}): Instance => ({
  id: 'worker-1',
  service: 'worker',
  version: '0.1.0',
  metricsUrl: '',
  startedAt: later(NOW, -3_600_000),
  inFlight: 2,
  slots: 10,
  lastProgressAt: later(NOW, -1_000),
  draining: false,
  model: { provider: 'demo', lastOutcome: 'ok', at: later(NOW, -1_000) },
  ...part,
});
const gateway: Instance = { ...worker(), id: 'gateway-1', service: 'gateway' };
const reading = (part: Partial<HealthReading> = {}): HealthReading => ({
  now: NOW,
  version: '0.1.0',
  startedAt: later(NOW, -5_000),
  redisWriteMs: 0.4,
  queue: { waiting: 3, active: 2, delayed: 0, failed: 0, paused: false, oldestWaitingAgeMs: 40_000 },
  instances: [gateway, worker()],
  lagMs: 0,
  requestTimeoutMs: 120_000,
  ...part,
});
const stuck = { lastProgressAt: later(NOW, -60_000) };

test.each<[string, Partial<HealthReading>, string, string]>([
  ['all is well', {}, 'ok', 'ok'],
  ['no worker', { instances: [gateway] }, 'down', 'down'],
  ['all workers drain', { instances: [gateway, worker({ draining: true })] }, 'down', 'down'],
  ['the only worker is stuck', { instances: [gateway, worker(stuck)] }, 'down', 'down'],
  ['one of two is stuck', { instances: [gateway, worker(), worker({ id: 'w2', ...stuck })] }, 'degraded', 'degraded'],
  ['paused', { queue: { ...reading().queue!, paused: true } }, 'degraded', 'degraded'],
  [
    'the model failed last',
    { instances: [gateway, worker({ model: { provider: 'x', lastOutcome: 'failed', at: NOW } })] },
    'degraded',
    'degraded',
  ],
  [
    'a model has no route that is up',
    { instances: [gateway, worker({ routes: { a: [0, 2], b: [1, 1] } })] },
    'degraded',
    'degraded',
  ],
  ['a route of a model is down', { instances: [gateway, worker({ routes: { a: [1, 2] } })] }, 'ok', 'ok'],
  ['events are late', { lagMs: 60_000 }, 'degraded', 'ok'],
  ['no gateway is registered', { instances: [worker()] }, 'degraded', 'ok'],
])('%s', (_, part, status, generation) => {
  const health = healthSchema.strict().parse(judgeHealth(reading(part)));
  expect([health.status, health.endpoints['/api/ai']]).toEqual([status, generation]);
});

test('without Redis everything but health itself is down', () => {
  const { redisWriteMs: _, queue: __, instances: ___, lagMs: ____, ...rest } = reading();
  const health = judgeHealth(rest);
  expect(health.status).toBe('down');
  expect(health.endpoints).toMatchObject({ '/api/ai': 'down', '/api/usage': 'down', '/api/health': 'ok' });
});

test('the last model outcome of all workers counts', () => {
  const older = worker({ id: 'a', model: { provider: 'x', lastOutcome: 'failed', at: later(NOW, -9_000) } });
  const never = worker({ id: 'b', model: { provider: 'x', lastOutcome: 'none', at: NOW } });
  expect(judgeHealth(reading({ instances: [gateway, older, worker(), never] })).model).toMatchObject({
    status: 'ok',
    last_outcome: 'ok',
  });
});

test('of each model it is told how many routes are up, as the workers see it that reach most', () => {
  const instances = [
    worker({ routes: { a: [0, 2], b: [2, 2] } }),
    worker({ id: 'w2', routes: { a: [1, 2], c: [0, 1] } }),
  ];
  expect(judgeHealth(reading({ instances })).models).toEqual({
    a: { status: 'degraded', routes: 2, up: 1 },
    b: { status: 'ok', routes: 2, up: 2 },
    c: { status: 'down', routes: 1, up: 0 },
  });
});
