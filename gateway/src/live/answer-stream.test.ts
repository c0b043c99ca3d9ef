import { describe, expect, test } from '@jest/globals';
import type { ToolCall } from '@lontar/shared/chat-request.ts';
import type { Frame } from '@lontar/shared/live/frames.ts';
import { type AnswerOutlet, AnswerStream, type WholeAnswer } from './answer-stream.ts';
import { BEGINNING, type Cursor, NO_REASONING, writeCursor } from './cursor.ts';

const call = (id: string, args = '{}'): ToolCall => ({ id, name: 'look', arguments: args });
const frame = (track: Frame[2], offset: number, data: string, start = 1): Frame => ['req', start, track, offset, data];
const callFrame = (number: number, one: ToolCall, start = 1) => frame('call', number, JSON.stringify(one), start);
const whole = (over: Partial<WholeAnswer> = {}): WholeAnswer => ({
  reasoningLength: 0,
  textLength: 0,
  calls: [],
  ...over,
});

function reader(from: Cursor = BEGINNING) {
  const got: string[] = [];
  const outlet = { room: Number.POSITIVE_INFINITY };
  const note = (text: string): void => {
    outlet.room--;
    got.push(text);
  };
  const answer: AnswerOutlet = {
    hasRoom: () => outlet.room > 0,
    writeReasoning: (text) => note(`(${text})`),
    writeText: note,
    writeCall: ({ index, call: head, arguments: args }) => note(`#${index}${head?.id ?? ''}:${args}`),
  };
  return { got, outlet, stream: new AnswerStream(from, answer) };
}

describe('an answer that comes in frames', () => {
  test('is reasoning, text and calls, each with offsets of its own', () => {
    const { stream, got } = reader();
    for (const one of [frame('reasoning', 0, 'hm'), frame('text', 0, 'ab'), frame('reasoning', 2, '!')])
      stream.take(one);
    stream.take(callFrame(0, call('c0')));
    stream.take(callFrame(0, call('c0')));
    stream.take(callFrame(2, call('c2')));
    expect(got).toEqual(['(hm)', 'ab', '(!)', '#0c0:{}']);
    expect(writeCursor(stream)).toBe('3.2.1');
    expect(
      stream.finish(whole({ reasoningLength: 3, textLength: 2, calls: [call('c0'), call('c1'), call('c2')] })),
    ).toBe(true);
    expect(got.slice(4)).toEqual(['#1c1:{}', '#2c2:{}']);
  });

  test('never mixes the texts of two starts', () => {
    const { stream, got } = reader();
    stream.take(frame('text', 0, 'a', 2));
    stream.take(frame('text', 1, 'X', 1));
    stream.take(callFrame(0, call('X'), 3));
    stream.take(frame('text', 1, 'b', 2));
    expect(got).toEqual(['a', 'b']);
  });

  test('is not whole before its texts are there, whatever of it is known', () => {
    const { stream, got } = reader();
    stream.take(frame('text', 0, 'a'));
    expect(stream.finish(whole({ reasoningLength: 2, textLength: 3, calls: [call('c')] }))).toBe(false);
    expect(stream.finish(whole({ reasoning: 'hm', reasoningLength: 2, textLength: 3, calls: [call('c')] }))).toBe(
      false,
    );
    const all = whole({ reasoning: 'hm', reasoningLength: 2, text: 'abc', textLength: 3, calls: [call('c')] });
    expect(stream.finish(all)).toBe(true);
    expect(got).toEqual(['a', '(hm)', 'bc', '#0c:{}']);
  });

  test('goes on where the reader is', () => {
    const { stream, got } = reader({ reasoning: NO_REASONING, text: 2, calls: 1 });
    stream.take(frame('reasoning', 0, 'hm'));
    stream.takeTexts({ reasoning: 'hm', text: 'abc' });
    expect(
      stream.finish(
        whole({ reasoning: 'hm', reasoningLength: 2, text: 'abcd', textLength: 4, calls: [call('0'), call('1')] }),
      ),
    ).toBe(true);
    expect(got).toEqual(['c', 'd', '#11:{}']);
    expect(writeCursor(stream)).toBe('-.4.2');
  });

  test('gives long arguments in parts, as the reader takes them', () => {
    const { stream, got, outlet } = reader();
    const args = JSON.stringify('x'.repeat(4_998) + '😀'.repeat(3_000));
    outlet.room = 1;
    stream.take(callFrame(0, call('c', args)));
    expect([got.length, stream.calls]).toEqual([1, 0]);
    const settled = whole({ calls: [call('c', args)] });
    expect(stream.finish(settled)).toBe(false);
    outlet.room = 10;
    expect(stream.finish(settled)).toBe(true);
    expect(got.every((part) => part.isWellFormed() && part.length <= 5_010)).toBe(true);
    expect(got.map((part) => part.replace(/^#0c?:/, '')).join('')).toBe(args);
    expect(got.filter((part) => part.startsWith('#0c:'))).toHaveLength(1);
  });

  test('leaves out a call that cannot be read: the settlement has it', () => {
    const { stream, got } = reader();
    stream.take(frame('call', 0, '{"id":'));
    stream.take(frame('call', 0, '{"id":1}'));
    expect(got).toEqual([]);
    expect(stream.finish(whole({ calls: [call('c')] }))).toBe(true);
  });
});
