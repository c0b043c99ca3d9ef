import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Instance } from '@lontar/shared/instances.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { judgeTroubles, type TroubleReading } from './judge-troubles.ts';
import { rememberSince, withLink } from './watch-troubles.ts';

const NOW = redisTime(1_800_000_000_000);
const BACKLOG = { waiting: 0, active: 0, delayed: 0, failed: 0, paused: false, oldestWaitingAgeMs: 0 };

const worker = (more: Partial<Instance> = {}): Instance => ({
  id: 'w',
  service: 'worker',
  version: '1',
  metricsUrl: 'x',
  startedAt: redisTime(NOW - 600_000),
  lastProgressAt: NOW,
  inFlight: 0,
  slots: 10,
  draining: false,
  ...more,
});
const failing = (reason: string, times: number, sinceMs = 60_000) =>
  worker({
    model: {
      provider: 'openai',
      lastOutcome: 'failed',
      at: NOW,
      failure: { reason, times, since: redisTime(NOW - sinceMs), upstreamHost: 'llm.internal' },
    },
  });
const well = worker({ model: { provider: 'openai', lastOutcome: 'ok', at: NOW } });

const FILE = { digest: 'd', source: 'file', broken: false } as const;

function judge(instances: readonly Instance[], more: Partial<TroubleReading> = {}) {
  const recent = { successes: 0, failures: 0 };
  return judgeTroubles({ now: NOW, instances, backlog: BACKLOG, recent, longestJobMs: 120_000, ...more });
}

describe('what is wrong', () => {
  const stuck = worker({ lastProgressAt: redisTime(NOW - 300_000) });
  const waiting = { backlog: { ...BACKLOG, waiting: 2, oldestWaitingAgeMs: 300_000 } };
  test.each([
    ['nothing', [well], {}, []],
    ['nothing before the first call', [worker()], {}, []],
    ['no worker', [], {}, [['no_workers', true, 'all callers']]],
    ['only a draining one', [worker({ draining: true })], {}, [['no_workers', true, 'all callers']]],
    ['a worker that stands still', [stuck], waiting, [['workers_stuck', true, 'all callers']]],
    ['one of two', [stuck, well], waiting, [['workers_stuck', false, 'callers whose requests they have']]],
    ['a paused queue', [well], { backlog: { ...BACKLOG, paused: true } }, [['queue_paused', true, 'all callers']]],
    ['a wrong key', [failing('unauthorized', 1)], {}, [['model_failing', true, 'all callers']]],
    ['one slow answer', [failing('timed_out', 1)], {}, []],
    ['slow answers in a row', [failing('timed_out', 3)], {}, [['model_failing', true, 'all callers']]],
    [
      'a model that fails for some',
      [failing('connection', 9), well],
      {},
      [['model_failing', false, 'callers whose requests 1 of 2 workers take']],
    ],
    [
      'a file of models that is broken for one of two',
      [well, worker({ models: { ...FILE, broken: true } }), worker({ service: 'gateway', models: FILE })],
      {},
      [['models_file_broken', false, 'callers who ask for models that are new']],
    ],
    ['a few failures', [well], { recent: { successes: 0, failures: 4 } }, []],
    ['failures among many', [well], { recent: { successes: 1_000, failures: 20 } }, []],
    [
      'a bad rate',
      [well],
      { recent: { successes: 30, failures: 10 } },
      [['failing_requests', false, 'callers who got 5xx']],
    ],
  ] as [string, Instance[], Partial<TroubleReading>, unknown[]][])('%s', (_what, instances, more, expected) => {
    const found = judge(instances, more);
    expect(found.map(({ id, isDown, whom }) => [id, isDown, whom])).toEqual(expected);
    for (const { runbook } of found) {
      expect(existsSync(new URL(`../../../docs/runbooks/${runbook}.md`, import.meta.url))).toBe(true);
    }
  });

  test('says why the model fails and since when, the worst first', () => {
    const [first, second] = judge([failing('unauthorized', 5)], { recent: { successes: 5, failures: 20 } });
    expect(first).toMatchObject({ since: NOW - 60_000, what: 'Calls to the model fail: unauthorized, llm.internal.' });
    expect(second).toMatchObject({ id: 'failing_requests', what: expect.stringContaining('About 80 %') });
  });

  test.each([
    [true, / None failed in the last minute\.$/],
    [false, /failed on our side\.$/],
  ])('says of a bad rate whether it is over: %s', (hasRecovered, words) => {
    const [found] = judge([worker()], { recent: { successes: 5, failures: 20, hasRecovered } });
    expect(found).toMatchObject({ id: 'failing_requests', parts: { hasRecovered } });
    expect(found?.what).toMatch(words);
  });

  test('names the quota where that is it', () => {
    expect(judge([failing('rate_limited', 3)])[0]?.runbook).toBe('model-quota-exhausted');
  });
});

test('a trouble keeps the time when it was seen first, and one that comes back begins anew', () => {
  const found = judge([]);
  const first = rememberSince(found, [], 1_000);
  expect(rememberSince(found, first, 2_000)).toEqual(first);
  expect(rememberSince(found, rememberSince([], first, 2_000), 3_000)[0]?.since).toBe(3_000);
});

describe('a file of models', () => {
  const models = { digest: 'x', source: 'file', broken: false } as const;
  const routed = (routes: Instance['routes'], openUpstreams: Instance['openUpstreams'] = {}) =>
    worker({ models, routes, openUpstreams });

  test('has no trouble while all routes are up', () => {
    expect(judge([routed({ a: [2, 2] })])).toEqual([]);
  });

  test('has a model without a route, and it says which upstreams fail and which refuse their credentials', () => {
    const instances = [routed({ a: [1, 2], b: [0, 1] }, { u1: 'timed_out', u2: 'unauthorized' })];
    const troubles = judge(instances);
    expect(troubles.map(({ id, isDown, runbook }) => [id, isDown, runbook])).toEqual([
      ['models_down', true, 'all-routes-down'],
      ['upstreams_unauthorized', false, 'upstream-unauthorized'],
      ['upstreams_open', false, 'upstream-open'],
    ]);
    expect(troubles[0]?.what).toContain(' b:');
    expect(troubles[1]?.what).toContain('u2');
    expect(troubles[2]?.what).toContain('u1');
    for (const { runbook } of troubles) {
      expect(existsSync(new URL(`../../../docs/runbooks/${runbook}.md`, import.meta.url))).toBe(true);
    }
  });

  test('has none where one worker alone sees no route', () => {
    expect(judge([routed({ a: [0, 2] }), routed({ a: [2, 2] })])).toEqual([]);
  });
});

test('a trouble has the address of its runbook where the operator has said where they are', () => {
  const [trouble] = rememberSince(judge([]), [], 1_000);
  if (trouble === undefined) throw new Error('no trouble without workers');
  expect(withLink(trouble, undefined)).toEqual(trouble);
  for (const url of ['https://git.example.com/runbooks', 'https://git.example.com/runbooks/']) {
    expect(withLink(trouble, url).runbookUrl).toBe('https://git.example.com/runbooks/no-workers.md');
  }
});
