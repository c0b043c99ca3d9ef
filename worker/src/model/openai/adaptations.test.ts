import { expect, test } from '@jest/globals';
import type { ModelRequest } from '../language-model.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import { readParsed } from '../upstream-said.ts';
import { adaptationFor, adaptForm, createAdaptations } from './adaptations.ts';

const request = (model: string): ModelRequest => ({
  requestId: 'req_test',
  model,
  chat: { messages: [{ role: 'user', content: 'Hello.' }] },
  maxOutputTokens: 8_192,
  isDefaultOutput: true,
});
const REFUSAL = new UpstreamRefusal(400, {}, readParsed({ error: { message: 'max_model_len=2048' } }));

test('what was learned is tried anew after ten minutes', () => {
  let now = 0;
  const adaptations = createAdaptations(() => now);
  adaptations.learn(request('m'), 'no_limit', REFUSAL);
  now = 9 * 60_000;
  expect(adaptations.known(request('m'))).toEqual(new Set(['no_limit']));
  now = 11 * 60_000;
  expect(adaptations.known(request('m'))).toEqual(new Set());
});

test('of ten thousand models the last hundred are remembered', () => {
  const adaptations = createAdaptations();
  const names = Array.from({ length: 10_000 }, (_, at) => `model-${at}`);
  for (const name of names) adaptations.learn(request(name), 'older_name', REFUSAL);
  const known = names.filter((name) => adaptations.known(request(name)).size > 0);
  expect(known).toEqual(names.slice(-100));
});

test('what is known of one request is not changed by what another one learns', () => {
  const adaptations = createAdaptations();
  adaptations.learn(request('m'), 'older_name', REFUSAL);
  const known = adaptations.known(request('m'));
  known.add('no_limit');
  expect(adaptations.known(request('m'))).toEqual(new Set(['older_name']));
});

const FORM = { isStream: true, limit: 'both', asksUsage: true } as const;
const thought: ModelRequest = {
  ...request('m'),
  chat: {
    messages: [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hi.', reasoning: 'Hm.' },
    ],
  },
};

test.each([
  [
    'Groq',
    "'messages.1' : for 'role:assistant' the following must be satisfied: property 'reasoning_content' is unsupported",
  ],
  ['Gemini', 'Invalid JSON payload received. Unknown name "reasoning_content": Cannot find field.'],
  ['OpenAI', "Additional properties are not allowed ('reasoning_content' was unexpected) - 'messages.1'"],
])('%s is asked again without what the model thought before', (_server, message) => {
  const refusal = new UpstreamRefusal(400, {}, readParsed({ error: { message } }));
  expect(adaptationFor(refusal, thought, FORM)).toBe('no_thoughts');
  expect(adaptForm(FORM, new Set(['no_thoughts']))).toMatchObject({ omitsThoughts: true });
  expect(adaptationFor(refusal, thought, { ...FORM, omitsThoughts: true })).toBeUndefined();
  expect(adaptationFor(refusal, { ...request('m'), isDefaultOutput: false }, FORM)).toBeUndefined();
});

test.each([
  'The `reasoning_content` in the thinking mode must be passed back to the API.',
  'Missing `reasoning_content` field in the assistant message at message index 2.',
])('DeepSeek, which wants it, is not: %s', (message) => {
  const refusal = new UpstreamRefusal(400, {}, readParsed({ error: { message } }));
  expect(adaptationFor(refusal, thought, FORM)).toBeUndefined();
});
