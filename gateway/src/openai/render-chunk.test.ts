import { describe, expect, test } from '@jest/globals';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { refuse } from '../envelope/answer.ts';
import { BEGINNING, type Cursor } from '../live/cursor.ts';
import { chatChunks } from './render-chunk.ts';

const requestId = 'req_0000000000000000000001';
const id = 'chatcmpl-0000000000000000000001';
const job = { model: 'ai-2.5-flash', receivedAt: redisTime(1_800_000_000_999) } as const;
const common = { id, object: 'chat.completion.chunk', created: 1_800_000_000, model: 'ai-2.5-flash' };
const settled = {
  v: 1,
  outcome: 'answered',
  text: '',
  masked: { url: 1, key: 2, ip: 0, connection: 0 },
  usage: { input: 3, output: 5 },
  work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 },
} satisfies Answered;
const answer = refuse('internal_error');
const at = (over: Partial<Cursor>): Cursor => ({ ...BEGINNING, ...over });

/** Events as a client reads them: the id, where there is one, and the data. */
function read(events: string): { id: string | undefined; data: unknown }[] {
  expect(events.endsWith('\n\n')).toBe(true);
  return events
    .slice(0, -2)
    .split('\n\n')
    .map((event) => {
      const [, named, data = ''] = /^(?:id: (.*)\n)?data: (.*)$/.exec(event) ?? [];
      return { id: named, data: data === '[DONE]' ? data : JSON.parse(data) };
    });
}
const delta = (fields: object) => [{ index: 0, delta: fields, logprobs: null, finish_reason: null }];

describe('chunks', () => {
  test('of a refusal have it in place of content, and where it goes on nothing else', () => {
    const chunks = chatChunks({ requestId, job }, false);
    const events = chunks.refusal('I can', at({ text: 5 })) + chunks.refusal('not.', at({ text: 9 }));
    expect(read(events)).toEqual([
      {
        id: `${id}:0.5.0`,
        data: { ...common, choices: delta({ role: 'assistant', content: null, refusal: 'I can' }) },
      },
      { id: `${id}:0.9.0`, data: { ...common, choices: delta({ refusal: 'not.' }) } },
    ]);
  });

  test('have the role first, then pieces, the reason of the end, and [DONE]', () => {
    const chunks = chatChunks({ requestId, job }, false);
    const events = [
      chunks.reasoning('hm "x"', at({ reasoning: 6 })),
      chunks.text('Palm', at({ reasoning: 6, text: 4 })),
      chunks.text(' 😀', at({ reasoning: 6, text: 7 })),
      chunks.done(answer, settled, at({})),
    ];
    expect(read(events.join(''))).toEqual([
      { id: `${id}:6.0.0`, data: { ...common, choices: delta({ role: 'assistant', reasoning_content: 'hm "x"' }) } },
      { id: `${id}:6.4.0`, data: { ...common, choices: delta({ content: 'Palm' }) } },
      { id: `${id}:6.7.0`, data: { ...common, choices: delta({ content: ' 😀' }) } },
      {
        id: undefined,
        data: {
          ...common,
          choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
          lontar: { masked: { url: 1, key: 2, ip: 0, connection: 0 } },
        },
      },
      { id: undefined, data: '[DONE]' },
    ]);
  });

  test('say what was used where that was asked for, in a chunk of its own', () => {
    const chunks = chatChunks({ requestId, job }, true);
    const events = read(chunks.text('a', at({ text: 1 })) + chunks.done(answer, settled, at({})));
    expect(events.map(({ data }) => data)).toMatchObject([
      { usage: null },
      { usage: null, choices: [{ finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
      '[DONE]',
    ]);
  });

  test('of tool calls have index, id and name once, and arguments in parts', () => {
    const chunks = chatChunks({ requestId, job }, false);
    const call = { id: 'call_1', name: 'look' };
    const events = [
      chunks.call({ index: 0, call, arguments: '{"a":' }, at({})),
      chunks.call({ index: 0, arguments: '1}' }, at({ calls: 1 })),
      chunks.done(answer, { ...settled, toolCalls: [{ ...call, arguments: '{"a":1}' }] }, at({ calls: 1 })),
    ];
    expect(read(events.join('')).slice(0, 3)).toMatchObject([
      {
        id: undefined,
        data: {
          choices: delta({
            role: 'assistant',
            content: null,
            tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a":' } }],
          }),
        },
      },
      { id: `${id}:0.0.1`, data: { choices: delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }) } },
      { data: { choices: [{ finish_reason: 'tool_calls' }] } },
    ]);
  });

  test('of an empty answer are two: the role, and the end', () => {
    const events = read(
      chatChunks({ requestId, job }, false).done(answer, { ...settled, finishReason: 'length' }, at({})),
    );
    expect(events).toMatchObject([
      { data: { choices: delta({ role: 'assistant', content: '' }) } },
      { data: { choices: [{ finish_reason: 'length' }] } },
      { data: '[DONE]' },
    ]);
  });

  test('end with an error of the catalog, and [DONE], where the answer broke off', () => {
    const { failure, howToResume } = chatChunks({ requestId, job }, true);
    expect(read(failure(refuse('stream_broken', { message: 'It broke off.' })))).toEqual([
      {
        id: undefined,
        data: { error: { message: 'It broke off.', type: 'server_error', param: null, code: 'stream_broken' } },
      },
      { id: undefined, data: '[DONE]' },
    ]);
    expect(howToResume(at({ text: 17 }))).toContain(`/v1/chat/completions/${id}?stream=true&starting_after=17`);
  });
});
