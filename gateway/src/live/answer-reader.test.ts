import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Frame } from '@lontar/shared/live/frames.ts';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import type { EventSink } from '../envelope/streamed-answer.ts';
import { AnswerReader } from './answer-reader.ts';
import { BEGINNING, type Cursor } from './cursor.ts';
import type { AnswerFinder } from './find-answer.ts';
import type { FoundAnswer } from './recent-answers.ts';
import type { StreamRendering } from './stream-rendering.ts';

const settled = (text: string, over: Partial<Answered> = {}): Answered => ({
  v: 1,
  outcome: 'answered',
  text,
  masked: { url: 0, key: 0, ip: 0, connection: 0 },
  usage: { input: 0, output: 0 },
  work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 },
  ...over,
});
const form: StreamRendering = {
  from: BEGINNING,
  reasoning: (text) => `(${text})`,
  text: (text) => text,
  refusal: (text) => `!${text}`,
  call: (part) => `#${part.arguments}`,
  done: () => '',
  failure: () => '',
  howToResume: () => '',
};

/** A caller who takes some events and then has no room, until asked to go on. */
class SlowCaller implements EventSink {
  got = '';
  left = 0;
  isOver = false;
  isBegun = false;
  /** Events that were written though there was no room. */
  tooMuch = 0;
  private listeners: (() => void)[] = [];

  get hasRoom(): boolean {
    return this.left > 0 && !this.isOver;
  }

  write(events: string): void {
    if (!this.hasRoom) this.tooMuch++;
    this.left--;
    this.got += events;
  }

  onRoom(listener: () => void): void {
    this.listeners.push(listener);
  }

  room(): Promise<void> {
    return this.hasRoom || this.isOver ? Promise.resolve() : new Promise((resolve) => this.once(resolve));
  }

  takeMore(events: number): void {
    this.left = events;
    for (const listener of this.listeners.slice()) listener();
  }

  leave(): void {
    this.isOver = true;
    this.takeMore(0);
  }

  private once(listener: () => void): void {
    const notify = () => {
      this.listeners = this.listeners.filter((one) => one !== notify);
      listener();
    };
    this.listeners.push(notify);
  }
}

function open(found: () => FoundAnswer | undefined, keep = 10) {
  const caller = new SlowCaller();
  let looks = 0;
  const finder: AnswerFinder = {
    find: async () => {
      looks++;
      await turn();
      return found();
    },
  };
  const metrics = { streamGapsFilled: { inc: () => undefined } };
  const input = { requestId: 'req', from: BEGINNING satisfies Cursor, sink: caller, form, keep };
  const reader = new AnswerReader(
    { finder, metrics } as unknown as ConstructorParameters<typeof AnswerReader>[0],
    input,
  );
  const take = (at: number, text: string) => reader.take(['req', 1, 'text', at, text] satisfies Frame);
  return { caller, reader, take, looks: () => looks };
}

test('readers of a long answer get it one in each turn of the event loop, and one of a short answer at once', async () => {
  const openWithRoom = () => {
    const one = open(() => undefined);
    one.caller.takeMore(1_000);
    return one;
  };
  const readers = Array.from({ length: 4 }, openWithRoom);
  const text = 'word '.repeat(10_000);
  const ends = Promise.all(readers.map(({ reader }) => reader.finish(settled(text))));
  const served = () => readers.filter(({ caller }) => caller.got !== '').length;
  const other = openWithRoom();
  expect(await other.reader.finish(settled('short'))).toBe('whole');
  expect([other.caller.got, served()]).toEqual(['short', 0]);

  const steps: number[] = [];
  for (let before = 0; before < readers.length; before = served()) {
    await turn();
    steps.push(served() - before);
  }
  expect(Math.max(...steps)).toBe(1);
  expect(await ends).toEqual(readers.map(() => 'whole'));
  expect(readers.map(({ caller }) => caller.got === text)).toEqual(readers.map(() => true));
});

test('a reader who comes in the midst of a long answer gets what there is of it in a turn of its own', async () => {
  const { caller, reader, take } = open(() => undefined);
  caller.takeMore(1_000);
  const text = 'word '.repeat(10_000);
  void reader.follow({ reasoning: '', text });
  take(text.length, 'and on');
  expect(caller.got).toBe('');
  await turn();
  await turn();
  expect(caller.got).toBe(`${text}and on`);
  reader.close();
});

describe('a reader that is slow', () => {
  test('gets no event without room for it, looks for nothing meanwhile, and then for what it has missed', async () => {
    const { caller, take, looks } = open(() => ({ reasoning: '', text: 'abcdef' }));
    caller.takeMore(1);
    for (const [at, text] of 'abcdef'.split('').entries()) take(at, text);
    await turn();
    expect([caller.got, looks()]).toEqual(['a', 0]);
    caller.takeMore(5);
    await turn();
    await turn();
    expect([caller.got, looks(), caller.tooMuch]).toEqual(['abcdef', 1, 0]);
  });

  test('has its answer looked for again instead of kept, until it has taken all', async () => {
    const text = 'x'.repeat(25_000);
    const { caller, reader, looks } = open(() => settled(text));
    caller.takeMore(1);
    const finished = reader.finish(settled('', { textLength: text.length }));
    for (let takes = 0; takes < 4; takes++) {
      while (caller.hasRoom) await turn();
      caller.takeMore(1);
    }
    expect(await finished).toBe('whole');
    expect([caller.got === text, caller.tooMuch]).toEqual([true, 0]);
    expect(looks()).toBe(5);
  });

  test('and leaves is waited for no longer', async () => {
    const { caller, reader } = open(() => undefined);
    const finished = reader.finish(settled('abc'));
    caller.leave();
    expect(await finished).toBe('left');
  });
});

test('a settlement without texts is whole where all of them came as frames; where not, they are looked for', async () => {
  const all = open(() => undefined);
  all.caller.takeMore(100);
  all.take(0, 'abc');
  expect(await all.reader.finish(settled('', { textLength: 3 }))).toBe('whole');
  expect(all.looks()).toBe(0);
  const some = open(() => settled('abcdef', { reasoning: 'hm' }));
  some.caller.takeMore(100);
  some.take(0, 'abc');
  expect(await some.reader.finish(settled('', { textLength: 6, reasoningLength: 2 }))).toBe('whole');
  expect([some.caller.got, some.looks()]).toEqual(['abc(hm)def', 1]);
});

test('the beginning of the text is kept for the log, and no more', async () => {
  const { caller, reader, take } = open(() => undefined, 10);
  caller.takeMore(1_000);
  for (let at = 0; at < 100; at += 3) take(at, 'abc');
  expect(reader.beginning).toBe('abcabcabca');
});

test.each([1, 7, 255, 256, 257, 700])('in pieces of %d units, too', async (length) => {
  const { caller, reader, take } = open(() => undefined, 600);
  caller.takeMore(1_000);
  const text = Array.from({ length: 1_000 }, (_, index) => String(index % 10)).join('');
  for (let at = 0; at < text.length; at += length) take(at, text.slice(at, at + length));
  expect(reader.beginning).toBe(text.slice(0, 600));
});

test('whatever is lost and however slowly it is read, the answer is exact', async () => {
  const random = seededRandom(99);
  const below = (most: number) => Math.floor(random() * most);
  for (let round = 0; round < 60; round++) {
    const text = Array.from({ length: 1 + below(400) }, () => 'aé漢😀'[below(5)] ?? 'z').join('');
    let written = 0;
    let end: Answered | undefined;
    const { caller, reader, take } = open(() => end ?? { reasoning: '', text: text.slice(0, below(written + 1)) });
    while (written < text.length) {
      if (below(3) === 0) caller.takeMore(below(4));
      const piece = text.slice(written, written + 1 + below(9));
      if (below(4) > 0) take(written, piece);
      written += piece.length;
      if (below(4) === 0) await turn();
    }
    end = settled(text);
    const finished = reader.finish(settled('', { textLength: text.length }));
    let isOver = false;
    void finished.finally(() => (isOver = true));
    while (!isOver) {
      caller.takeMore(1 + below(3));
      await turn();
    }
    expect(await finished).toBe('whole');
    expect([caller.got === text, caller.tooMuch]).toEqual([true, 0]);
  }
});
