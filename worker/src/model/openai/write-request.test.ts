import { expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import { keyHeaders, suitReasoningModels, writeRequest } from './write-request.ts';

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

test.each([
  ['gemini-3-pro-preview', true, true],
  ['google/gemini-flash-latest', true, true],
  ['gemini-2.5-pro', true, false],
  ['llama-4', true, false],
  ['gemini-3-pro-preview', false, false],
])(
  'calls that %s has made are sent back with a word for their signature (Google: %p): %p',
  (model, isGoogle, isSigned) => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'look', arguments: '{}' }));
    const messages: ChatRequest['messages'] = [
      { role: 'assistant', content: '', toolCalls: calls },
      { role: 'tool', toolCallId: 'a', content: '21' },
    ];
    const request = { requestId: 'req_x', model, chat: { messages }, maxOutputTokens: 5 };
    const form = { isStream: false, limit: 'both', asksUsage: false, isGoogle } as const;
    const body = JSON.parse(writeRequest(request, form)) as {
      messages: { tool_calls?: { extra_content?: object }[] }[];
    };
    const signature = { google: { thought_signature: 'skip_thought_signature_validator' } };
    expect(body.messages[0]?.tool_calls?.map((call) => call.extra_content)).toEqual(
      isSigned ? [signature, signature] : [undefined, undefined],
    );
  },
);

test.each([
  ['https://x.openai.azure.com/openai/deployments/y?api-version=1', { 'api-key': 'k' }],
  ['https://x.openai.azure.com/openai/v1', { authorization: 'Bearer k' }],
  ['https://llm.example/deployments/v1', { authorization: 'Bearer k' }],
])('%s gets its key in %j', (url, headers) => {
  expect(keyHeaders('k', new URL(url))).toEqual(headers);
  expect(keyHeaders('', new URL(url))).toEqual({});
});
