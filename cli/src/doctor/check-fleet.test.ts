import { describe, expect, test } from '@jest/globals';
import type { Instance } from '@lontar/shared/instances.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { checkFleet, type FleetReading } from './check-fleet.ts';

const NOW = redisTime(1_800_000_000_000);
const BACKLOG = { waiting: 0, active: 0, delayed: 0, failed: 0, paused: false, oldestWaitingAgeMs: 0 };

const instance = (service: Instance['service'], more: Partial<Instance> = {}): Instance => ({
  id: `${service}-1`,
  service,
  version: '0.1.0',
  metricsUrl: 'http://x',
  startedAt: redisTime(NOW - 600_000),
  inFlight: 0,
  draining: false,
  ...more,
});
const worker = (model: Partial<NonNullable<Instance['model']>>, more: Partial<Instance> = {}) =>
  instance('worker', {
    slots: 10,
    lastProgressAt: NOW,
    model: { provider: 'openai', lastOutcome: 'ok', at: NOW, ...model },
    ...more,
  });
const failing = (reason: string, times: number) =>
  ({ lastOutcome: 'failed', failure: { reason, since: redisTime(NOW - 60_000), times } }) as const;

function check(instances: readonly Instance[], more: Partial<FleetReading> = {}) {
  const all = [instance('gateway'), instance('stats-service'), ...instances];
  return checkFleet({ instances: all, backlog: BACKLOG, now: NOW, longestJobMs: 120_000, ...more });
}
const of = (name: string, findings: ReturnType<typeof check>) => findings.find((found) => found.check === name);

describe('the model, as the workers know it', () => {
  test.each([
    ['a wrong key at the first call', failing('unauthorized', 1), 'failed'],
    ['an upstream that is not there', failing('connection', 1), 'failed'],
    ['one call that was too slow', failing('timed_out', 1), 'warning'],
    ['calls that were too slow, over and over', failing('timed_out', 3), 'failed'],
    ['a call that was answered', {}, 'ok'],
    ['no call yet', { lastOutcome: 'none' }, 'ok'],
    ['the demo model', { provider: 'demo' }, 'warning'],
  ] as const)('%s', (_what, model, status) => {
    expect(of('model', check([worker(model)]))?.status).toBe(status);
  });

  test('fails for nobody while another worker is answered', () => {
    const found = of('model', check([worker(failing('connection', 9)), worker({}, { id: 'worker-2' })]));
    expect(found).toMatchObject({ status: 'warning', detail: expect.stringContaining('1 of 2 workers') });
  });

  test('is said with cause, since when, and what to do', () => {
    const failure = {
      ...failing('unauthorized', 2).failure,
      upstreamHost: 'llm.example:443',
      upstreamStatus: 401,
      upstreamCode: 'invalid_api_key',
      upstreamRequestId: 'theirs-1',
      upstreamMessage: 'Incorrect API key provided.',
      advice: 'Set OPENAI_API_KEY.',
    };
    expect(of('model', check([worker({ lastOutcome: 'failed', failure })]))?.detail).toBe(
      'The last 2 calls of the model failed (since 2027-01-15 07:59:00 UTC, the last one at 2027-01-15 08:00:00 UTC): unauthorized, llm.example:443, HTTP 401, invalid_api_key, its request theirs-1, "Incorrect API key provided.". Set OPENAI_API_KEY.',
    );
  });
});

describe('processes', () => {
  test('that are missing, or draining, serve nobody', () => {
    expect(of('worker', check([]))?.status).toBe('failed');
    expect(of('worker', check([worker({}, { draining: true })]))?.status).toBe('failed');
  });

  test('workers that stand still while jobs wait', () => {
    const stuck = worker({}, { lastProgressAt: redisTime(NOW - 300_000) });
    const backlog = { ...BACKLOG, waiting: 3, oldestWaitingAgeMs: 300_000 };
    expect(of('worker', check([stuck], { backlog }))).toMatchObject({ status: 'failed' });
    expect(of('worker', check([stuck, worker({}, { id: 'b' })], { backlog }))).toMatchObject({ status: 'warning' });
  });
});

test('settings that differ from those of this shell are named, and no others', () => {
  const settings = { MODEL_MAP: 'aaaaaa', MODEL_PROVIDER: 'bbbbbb' };
  const own = { worker: { MODEL_MAP: 'cccccc', MODEL_PROVIDER: 'bbbbbb', NEW_ONE: 'dddddd' } };
  const found = of('settings', check([worker({}, { settings })], { ownSettings: own }));
  expect(found).toMatchObject({ status: 'warning', detail: expect.stringContaining('shell: MODEL_MAP. ') });
  expect(of('settings', check([worker({}, { settings })], { ownSettings: { worker: settings } }))).toBeUndefined();
});
