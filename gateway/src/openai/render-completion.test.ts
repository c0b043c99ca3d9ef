import { expect, test } from '@jest/globals';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { completionSchema } from '../reference/openai-schemas.ts';
import { renderCompletion } from './render-completion.ts';

const token = 'x'.repeat(22);
const CALL = { id: 'call_1', name: 'look', arguments: '{"at":1}' };
const rendered = (over: Partial<Answered>) => {
  const settlement: Answered = {
    v: 1,
    outcome: 'answered',
    text: 'Hi.',
    masked: { url: 0, key: 1, ip: 0, connection: 0 },
    usage: { input: 3, output: 4 },
    work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 },
    ...over,
  };
  const job = { model: 'ai-2.5-pro', receivedAt: 1_700_000_000_999 as RedisTime } as const;
  const completion = renderCompletion(settlement, { requestId: `req_${token}`, job });
  expect(completionSchema.strict().parse(completion)).toEqual(completion);
  return completion;
};

test('an answer has the id of its request, and what was masked', () => {
  expect(rendered({})).toEqual({
    id: `chatcmpl-${token}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'ai-2.5-pro',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi.', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    lontar: { masked: { url: 0, key: 1, ip: 0, connection: 0 } },
  });
});

test.each([
  [{ text: '', toolCalls: [CALL] }, { content: null }, 'tool_calls'],
  [{ text: 'Wait.', toolCalls: [CALL], finishReason: 'stop' }, { content: 'Wait.' }, 'tool_calls'],
  [{ text: '', toolCalls: [CALL], finishReason: 'length' }, { content: null }, 'length'],
  [{ text: '', finishReason: 'length' }, { content: '' }, 'length'],
  [{ reasoning: 'Hm.' }, { content: 'Hi.', reasoning_content: 'Hm.' }, 'stop'],
  [{ finishReason: 'content_filter' }, { content: 'Hi.' }, 'content_filter'],
  [{ text: 'I cannot.', isRefusal: true }, { content: null, refusal: 'I cannot.' }, 'stop'],
] as const)('%j', (over, message, reason) => {
  const [choice] = rendered(over as Partial<Answered>).choices;
  expect(choice?.finish_reason).toBe(reason);
  expect(choice?.message).toMatchObject(message);
  const calls =
    'toolCalls' in over
      ? [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }]
      : undefined;
  expect(choice?.message.tool_calls).toEqual(calls);
});

test('estimated usage is said to be', () => {
  expect(rendered({ usage: { input: 1, output: 1, isEstimated: true } }).usage).toMatchObject({ is_estimated: true });
});

test('parts of the usage are those of which the upstream spoke', () => {
  const { usage } = rendered({ usage: { input: 9, output: 4, cachedInput: 8, reasoning: 2 } });
  expect(usage).toEqual({
    prompt_tokens: 9,
    completion_tokens: 4,
    total_tokens: 13,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 2 },
  });
});
