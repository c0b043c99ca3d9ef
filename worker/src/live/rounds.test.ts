import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Outgoing } from './frame-batches.ts';
import type { LiveStream } from './live-stream.ts';
import { createRounds } from './rounds.ts';

/** A turn masks for 8 ms: the next stream has the next one. */
const LONGER_THAN_A_TURN_MS = 9;

afterEach(() => {
  jest.useRealTimers();
});

/** A stream that was seen before, and takes long to mask. */
function slowStream(number: number): LiveStream {
  const stream = {
    standing: 'visible',
    advance() {
      const until = performance.now() + LONGER_THAN_A_TURN_MS;
      while (performance.now() < until);
      return false;
    },
    outgoing: () => ({ number }) as Outgoing,
  };
  return stream as unknown as LiveStream;
}

function startRounds(count: number) {
  const sent: number[][] = [];
  const send = (all: readonly Outgoing[]) => all.length > 0 && sent.push(all.map(({ number }) => number));
  const ends: number[] = [];
  const sendAtEnd = (all: readonly Outgoing[]) => send(all) && ends.push(sent.length);
  const rounds = createRounds({ send, sendAtEnd }, () => undefined);
  const streams = Array.from({ length: count }, (_, index) => slowStream(index + 1));
  for (const stream of streams) {
    rounds.add(stream);
    rounds.note(stream);
  }
  return { rounds, sent, ends, streams };
}

test('a tick that takes two turns is sent once', async () => {
  const { sent } = startRounds(2);
  await turn();
  expect(sent).toEqual([]);
  await turn();
  expect(sent).toEqual([[1, 2]]);
});

test('one that takes longer is sent in parts', async () => {
  const { sent } = startRounds(9);
  while (sent.flat().length < 9) await turn();
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('what is gathered is sent when it is counted on, and before what follows it', async () => {
  const { rounds, sent, ends, streams } = startRounds(3);
  await turn();
  rounds.sendGathered();
  expect(sent).toEqual([[1]]);
  await turn();
  rounds.sendAtOnce(streams[0] as LiveStream);
  expect(sent).toEqual([[1], [2, 1]]);
  await turn();
  expect(sent).toEqual([[1], [2, 1], [3]]);
  // A turn ends with the last alone: what a settlement follows is written with it.
  expect(ends).toEqual([3]);
});

test('many streams have ticks as far apart when only some of them have something new', () => {
  jest.useFakeTimers();
  const sent: number[] = [];
  const send = (all: readonly Outgoing[]) => void (all.length > 0 && sent.push(all.length));
  const rounds = createRounds({ send, sendAtEnd: send }, () => undefined);
  const stream = { standing: 'visible', advance: () => false, outgoing: () => ({ number: 1 }) as Outgoing };
  const streams = Array.from({ length: 1_000 }, () => ({ ...stream }) as unknown as LiveStream);
  for (const one of streams) rounds.add(one);
  const noteSome = () => {
    for (const one of streams.slice(0, 10)) rounds.note(one);
  };
  // Three ticks, each 1,000 / 14 ms after the one before, though ten streams alone would have one every 25 ms.
  noteSome();
  jest.advanceTimersByTime(1);
  expect(sent).toEqual([10]);
  for (const ticks of [2, 3]) {
    noteSome();
    jest.advanceTimersByTime(60);
    expect(sent).toHaveLength(ticks - 1);
    jest.advanceTimersByTime(15);
    expect(sent).toHaveLength(ticks);
  }
});
