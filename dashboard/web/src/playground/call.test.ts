import { expect, test } from '@jest/globals';
import { bodyOf, readTools, type Settings, saidByModel } from './call.ts';

const settings: Settings = { key: 'k', endpoint: '/v1/chat/completions', model: 'm', system: '', tools: '' };
const hello = { role: 'user', content: 'Hello' } as const;

test('a conversation has what was set, and nothing that was not', () => {
  expect(bodyOf(settings, [hello])).toEqual({
    model: 'm',
    messages: [hello],
    stream: true,
    stream_options: { include_usage: true },
  });
  const all = { ...settings, system: 'Be brief.', temperature: 0, maxTokens: 5, tools: '{"type":"function"}' };
  expect(bodyOf(all, [hello])).toMatchObject({
    messages: [{ role: 'system', content: 'Be brief.' }, hello],
    temperature: 0,
    max_completion_tokens: 5,
    tools: [{ type: 'function' }],
  });
});

test('an endpoint with a persona gets the last prompt alone', () => {
  const messages = [hello, saidByModel('Hi', []), { role: 'user', content: 'And now?' } as const];
  expect(bodyOf({ ...settings, endpoint: '/api/ai', system: 'no', maxTokens: 9 }, messages)).toEqual({
    prompt: 'And now?',
    model: 'm',
    maxOutputTokens: 9,
  });
});

test('an answer goes back as it was, with its calls', () => {
  expect(saidByModel('Hi', [])).toEqual({ role: 'assistant', content: 'Hi' });
  expect(saidByModel('', [{ id: 'a', name: 'f', arguments: '{}' }])).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  });
});

test.each([
  ['', []],
  ['  \n', []],
  ['[{"type":"function"}]', [{ type: 'function' }]],
  ['{"type":"function"}', [{ type: 'function' }]],
  ['{', undefined],
  ['5', undefined],
  ['[[]]', undefined],
  ['null', undefined],
])('tools %j', (text, tools) => {
  expect(readTools(text)).toEqual(tools);
});
