import { expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import { suitReasoningModels, writeRequest } from './write-request.ts';

test.each<[string, boolean]>([
  ['gpt-5', true],
  ['openai/gpt-5-mini', true],
  ['o3', true],
  ['gpt-4o', false],
  ['gpt-5-chat-latest', false],
  ['llama3', false],
  ['qwen/o-model', false],
])('%s is a reasoning model of OpenAI: %p', (model, isReasoning) => {
  const body = { model, max_tokens: 5, temperature: 0.7, messages: [] };
  const suited = isReasoning ? { model, max_completion_tokens: 5, messages: [] } : body;
  expect(suitReasoningModels(body)).toEqual(suited);
});

test('who speaks is said where the caller says it', () => {
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: 'Be two.', name: 'rules' },
    { role: 'user', content: 'Hi', name: 'Ada' },
    { role: 'assistant', content: 'Hello', name: 'Bo' },
    { role: 'user', content: 'And?' },
  ];
  const request = { requestId: 'req_x', model: 'm', chat: { messages }, maxOutputTokens: 5 };
  const body = JSON.parse(writeRequest(request, { isStream: false, limit: 'both', asksUsage: false })) as object;
  expect(body).toMatchObject({ messages });
  expect(JSON.stringify(body).match(/"name"/g)).toHaveLength(3);
});

test.each([
  [false, 'Let me look.'],
  [true, undefined],
])('what the model thought before is sent back, or left out (%p)', (omitsThoughts, sent) => {
  const messages: ChatRequest['messages'] = [
    {
      role: 'assistant',
      content: '',
      reasoning: 'Let me look.',
      toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }],
    },
  ];
  const request = { requestId: 'req_x', model: 'm', chat: { messages }, maxOutputTokens: 5 };
  const form = { isStream: false, limit: 'both', asksUsage: false, omitsThoughts } as const;
  const body = JSON.parse(writeRequest(request, form)) as { messages: { reasoning_content?: string }[] };
  expect(body.messages[0]?.reasoning_content).toBe(sent);
});
