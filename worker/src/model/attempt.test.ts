import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type Attempt, startAttempt } from './attempt.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const deadlines = { connectMs: 100, firstTokenMs: 1_000, idleMs: 500, totalMs: 5_000 };

function start(): Attempt {
  return startAttempt(new AbortController().signal, deadlines);
}
const pass = (ms: number) => jest.advanceTimersByTime(ms);

test('each part of an attempt has a deadline of its own', () => {
  const connects = start();
  connects.connecting();
  pass(99);
  expect(connects.ended()).toBeUndefined();
  pass(2);
  expect(connects.ended()).toBe('connection');

  const waits = start();
  waits.connecting();
  pass(90);
  waits.sent(true);
  pass(999);
  expect(waits.ended()).toBeUndefined();
  pass(2);
  expect(waits.ended()).toBe('timed_out');

  const flows = start();
  flows.sent(true);
  pass(900);
  for (let parts = 0; parts < 5; parts++) {
    flows.heard();
    pass(400);
  }
  expect(flows.ended()).toBeUndefined();
  pass(101);
  expect(flows.ended()).toBe('timed_out');
});

test('an answer in one piece may be silent until the whole time is over', () => {
  const attempt = start();
  attempt.connecting();
  attempt.sent(false);
  pass(4_999);
  expect(attempt.ended()).toBeUndefined();
  pass(2);
  expect(attempt.ended()).toBe('timed_out');
});

test('a stream that never falls silent ends with the whole time', () => {
  const attempt = start();
  attempt.sent(true);
  let partsHeard = 0;
  while (attempt.ended() === undefined) {
    attempt.heard();
    pass(100);
    partsHeard++;
  }
  expect(attempt.ended()).toBe('timed_out');
  expect(partsHeard).toBe(50);
});

test('the caller ends it, once, and what is done at the end is done at once where it has come', () => {
  const caller = new AbortController();
  const attempt = startAttempt(caller.signal, deadlines);
  const ends: string[] = [];
  attempt.atEnd(() => ends.push('first'));
  attempt.atEnd(() => ends.push('second'));
  caller.abort();
  pass(10_000);
  expect([attempt.ended(), ends]).toEqual(['cancelled', ['second']]);
  attempt.atEnd(() => ends.push('late'));
  expect(ends).toEqual(['second', 'late']);
});

test('it says whether a model was asked: not before a connection is there, nor by a look at its models', () => {
  const attempt = start();
  attempt.connecting();
  expect(attempt.wasAsked()).toBe(false);
  attempt.sent(false, false);
  attempt.connecting();
  expect(attempt.wasAsked()).toBe(false);
  attempt.sent(true);
  attempt.connecting();
  expect(attempt.wasAsked()).toBe(true);
  attempt.finish();
});

test('after this process stood still, what came meanwhile is read first', () => {
  const attempt = start();
  attempt.sent(true);
  jest.setSystemTime(Date.now());
  const realNow = performance.now.bind(performance);
  const stall = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + 20_000);
  pass(1_001);
  expect(attempt.ended()).toBeUndefined();
  stall.mockRestore();
  attempt.heard();
  pass(400);
  expect(attempt.ended()).toBeUndefined();
  attempt.finish();
});

test('nothing of it is left when it is finished', () => {
  const caller = new AbortController();
  const attempt = startAttempt(caller.signal, deadlines);
  attempt.finish();
  attempt.heard();
  expect(jest.getTimerCount()).toBe(0);
  caller.abort();
  expect(attempt.ended()).toBeUndefined();
});
