import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addBody, addEvent, MOST_TEXT, NO_ANSWER, readRefusal, tokensPerSecond } from './grow-answer.ts';

const grow = (...events: readonly object[]) =>
  events.reduce(
    (answer: typeof NO_ANSWER, event, index) => addEvent(answer, JSON.stringify(event), (index + 1) * 100),
    NO_ANSWER,
  );
const delta = (fields: object) => ({
  model: 'ai-2.5-pro',
  choices: [{ index: 0, delta: fields, finish_reason: null }],
});
const end = (reason: string) => ({
  choices: [{ index: 0, delta: {}, finish_reason: reason }],
  lontar: { masked: { url: 1, key: 2, ip: 0, connection: 0 } },
});

test('an answer grows, and ends with what was masked and used', () => {
  const grown = grow(
    delta({ role: 'assistant', reasoning_content: 'hm' }),
    delta({ content: 'Hel' }),
    delta({ content: 'lo' }),
  );
  expect(grown).toMatchObject({ state: 'growing', text: 'Hello', reasoning: 'hm', firstMs: 100, model: 'ai-2.5-pro' });
  const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 40, is_estimated: true } };
  const whole = [end('stop'), usage].reduce((answer, event) => addEvent(answer, JSON.stringify(event), 1_000), grown);
  expect(addEvent(whole, '[DONE]', 1_100)).toMatchObject({
    state: 'whole',
    finishReason: 'stop',
    masked: 3,
    kinds: { key: 2 },
    usage: { prompt: 3, completion: 40, isEstimated: true },
    firstMs: 100,
    ms: 1_100,
  });
  expect(tokensPerSecond(addEvent(whole, '[DONE]', 1_100))).toBe(40);
  expect(tokensPerSecond(whole)).toBeUndefined();
});

test('a refusal is shown in place of an answer', () => {
  const refused = grow(delta({ role: 'assistant', content: null, refusal: 'I can' }), delta({ refusal: 'not.' }));
  expect(refused).toMatchObject({ state: 'growing', text: 'I cannot.' });
});

test('a first chunk without words is no first piece', () => {
  expect(grow(delta({ role: 'assistant', content: '' }), delta({ content: 'a' })).firstMs).toBe(200);
});

test('calls come in pieces', () => {
  const call = (fields: object) => delta({ tool_calls: [fields] });
  const answer = grow(
    call({ index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":' } }),
    call({ index: 0, function: { arguments: '"Solo"}' } }),
    call({ index: 1, id: 'call_b', type: 'function', function: { name: 'time', arguments: '{}' } }),
  );
  expect(answer.calls).toEqual([
    { id: 'call_a', name: 'weather', arguments: '{"city":"Solo"}' },
    { id: 'call_b', name: 'time', arguments: '{}' },
  ]);
  expect(grow(call({ index: 500, function: { name: 'x' } }))).toMatchObject({ calls: [], isCut: true });
});

test('an error in the midst keeps what came, and the end of the stream does not make it whole', () => {
  const error = {
    error: { message: 'The worker was lost.', type: 'server_error', param: null, code: 'stream_broken' },
  };
  const failed = addEvent(grow(delta({ content: 'Hel' }), error), '[DONE]', 900);
  expect(failed).toMatchObject({ state: 'failed', text: 'Hel', ms: 200, problem: { code: 'stream_broken' } });
});

test('more than the page keeps is left out', () => {
  const answer = grow(delta({ content: 'x'.repeat(MOST_TEXT) }), delta({ content: 'y' }));
  expect([answer.text.length, answer.text.at(-1), answer.isCut]).toEqual([MOST_TEXT, 'x', true]);
});

test('nothing that a stream may hold throws', () => {
  const nasty = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .object({ key: fc.constantFrom('choices', 'delta', 'usage', 'error', 'tool_calls', '0'), maxDepth: 5 })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(nasty), (events) => {
      const answer = events.reduce((grown, event) => addEvent(grown, event, 1), NO_ANSWER);
      expect(typeof answer.text).toBe('string');
    }),
  );
});

test('an answer in one piece is read with its headers', () => {
  const metadata = { finish_reason: 'length', usage: { prompt_tokens: 1, completion_tokens: 2 } };
  const headers = new Headers({ 'x-masked': '2', 'x-model': 'ai-2.5-flash' });
  expect(addBody(NO_ANSWER, JSON.stringify({ status: true, result: 'text', metadata }), headers, 50)).toMatchObject({
    state: 'whole',
    text: 'text',
    masked: 2,
    model: 'ai-2.5-flash',
    finishReason: 'length',
    ms: 50,
  });
  for (const body of ['<html>', 'null', '[]', '{"result":5}']) {
    expect(addBody(NO_ANSWER, body, headers, 50)).toMatchObject({ state: 'failed', problem: { code: 'unreadable' } });
  }
});

test.each([
  [
    429,
    { error: { message: 'Slow down.', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
    'rate_limit_exceeded',
    'Slow down.',
  ],
  [
    401,
    { status: false, code: 401, message: 'No such key.', error: 'invalid_api_key' },
    'invalid_api_key',
    'No such key.',
  ],
  [502, '<html>', 'unreadable', /not in the form/],
])('a refusal with %d is read', (status, body, code, message) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expect(readRefusal(status, text, new Headers({ 'retry-after': '7' }))).toEqual({
    status,
    code,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    retryAfter: 7,
  });
});
