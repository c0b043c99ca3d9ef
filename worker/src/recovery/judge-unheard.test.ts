import { describe, expect, test } from '@jest/globals';
import { REDIS_AWAY_MS, WARY_LOOK_MS, WORKER_GONE_MS, WORKER_LOOK_MS } from '@lontar/shared/time-budget.ts';
import { judgeUnheard, type UnheardWorker } from './judge-unheard.ts';

/** A look: when it is answered, how long it was under way, and how often the worker `a` had said that it is there; absent where it listens. */
interface Look {
  readonly at: number;
  readonly took?: number;
  readonly said?: string;
}

/** When `a` counts as gone, ms; undefined where it never does. */
function goneAt(looks: readonly Look[]): number | undefined {
  const judge = judgeUnheard();
  for (const { at, took = 0, said } of looks) {
    const unheard: UnheardWorker[] = said === undefined ? [] : [{ name: 'a', said }];
    if (judge.note(unheard, { sentAt: at - took, answeredAt: at }).length > 0) return at;
  }
  return undefined;
}

/** Looks every so often, from one moment to another. */
function looks(from: number, to: number, said: (at: number) => string | undefined, everyMs = WARY_LOOK_MS): Look[] {
  return Array.from({ length: Math.floor((to - from) / everyMs) + 1 }, (_, index) => {
    const at = from + index * everyMs;
    const saying = said(at);
    return { at, ...(saying !== undefined && { said: saying }) };
  });
}

const silent = () => '1';
const LONG = 10 * WORKER_GONE_MS;

describe('a worker on whose channel no connection listens', () => {
  test('is gone after the time that a worker needs for a new connection, and not before', () => {
    expect(goneAt(looks(0, LONG, silent, 100))).toBe(WORKER_GONE_MS);
  });

  test.each<[string, Look[]]>([
    ['listens again in time', looks(0, LONG, (at) => (at % WORKER_GONE_MS < WARY_LOOK_MS ? undefined : '1'))],
    ['says that it is there', looks(0, LONG, (at) => String(Math.floor(at / WORKER_LOOK_MS)))],
    ['listens', looks(0, LONG, () => undefined)],
  ])('is not gone where it %s', (_what, seen) => {
    expect(goneAt(seen)).toBeUndefined();
  });
});

describe('time in which Redis was not seen to serve does not count', () => {
  const PAUSE_MS = 5_000;
  test.each<[string, number]>([
    ['before the worker was first unheard', 0],
    ['after it', 2 * WARY_LOOK_MS],
  ])('where it stood still %s', (_when, unheardFor) => {
    const resumedAt = unheardFor + PAUSE_MS;
    const before = unheardFor === 0 ? looks(0, 0, () => undefined) : looks(0, unheardFor, silent);
    expect(goneAt([...before, ...looks(resumedAt, resumedAt + LONG, silent)])).toBe(resumedAt + WORKER_GONE_MS + 50);
  });

  test('where every answer comes too late for the next look', () => {
    const slow = REDIS_AWAY_MS + 1;
    const seen = Array.from({ length: 20 }, (_, index) => ({ at: index * slow, took: slow, said: '1' }));
    expect(goneAt(seen)).toBeUndefined();
  });

  test('where an answer was read long after Redis gave it', () => {
    const first = looks(0, WORKER_GONE_MS - WARY_LOOK_MS, silent, 100);
    const late = { at: WORKER_GONE_MS + 100, took: 400, said: '1' };
    expect(goneAt([...first, late])).toBeUndefined();
    expect(goneAt([...first, late, { at: late.at + 1, said: '1' }])).toBe(late.at + 1);
  });
});

test('is wary while a worker may be gone, and of each by itself', () => {
  const judge = judgeUnheard();
  const look = (at: number, ...names: string[]) =>
    judge
      .note(
        names.map((name) => ({ name, said: '1' })),
        { sentAt: at, answeredAt: at },
      )
      .map(({ name }) => name);
  look(0);
  expect(judge.isWary).toBe(false);
  look(500, 'a');
  expect(judge.isWary).toBe(true);
  look(1_000, 'a', 'b');
  look(1_500, 'a', 'b');
  expect(look(500 + WORKER_GONE_MS, 'a', 'b')).toEqual(['a']);
  look(2_000, 'b');
  expect(look(1_000 + WORKER_GONE_MS, 'b')).toEqual(['b']);
  look(2_300);
  expect(judge.isWary).toBe(false);
});

test('Redis is steady once it was seen to serve for as long as a worker needs for a new connection', () => {
  const judge = judgeUnheard();
  const isSteadyAt = (at: number) => {
    judge.note([], { sentAt: at, answeredAt: at });
    return judge.isSteady;
  };
  const steady = (from: number) => [0, 500, 1_000, WORKER_GONE_MS, 1_500].map((after) => isSteadyAt(from + after));
  expect(steady(0)).toEqual([false, false, false, true, true]);
  expect(steady(1_500 + REDIS_AWAY_MS + 1)).toEqual([false, false, false, true, true]);
});
