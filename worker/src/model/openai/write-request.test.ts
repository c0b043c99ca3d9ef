import { expect, test } from '@jest/globals';
import { suitReasoningModels } from './write-request.ts';

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
