import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { curlLine, readAnswer } from './trial.ts';

const trial = { endpoint: '/api/ai', model: 'ai-2.5-flash', temperature: 0.7 } as const;

test.each(['plain', "it's", '"quoted" $HOME `id` \\', 'line\nbreak', '日本語'])(
  'a shell reads %j back as it was',
  (prompt) => {
    const line = curlLine({ ...trial, prompt }, 'http://127.0.0.1:1').replace('curl ', 'printf "%s\\0" ');
    const words = execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { LONTAR_KEY: 'k' } }).split('\0');
    expect(words.slice(0, 5)).toEqual([
      'http://127.0.0.1:1/api/ai',
      '-H',
      'Authorization: Bearer k',
      '-H',
      'Content-Type: application/json',
    ]);
    expect(JSON.parse(words[6] ?? '')).toEqual({ prompt, model: 'ai-2.5-flash', temperature: 0.7 });
  },
);

test('an answer, an error and nonsense are distinguished', () => {
  const headers = new Headers({ 'x-masked': '2', 'x-request-id': 'req_1', 'x-other': 'y' });
  const good = readAnswer(200, headers, JSON.stringify({ status: true, result: 'text' }));
  expect(good).toMatchObject({
    text: 'text',
    masked: 2,
    headers: [
      ['x-request-id', 'req_1'],
      ['x-masked', '2'],
    ],
  });
  expect(readAnswer(401, new Headers(), '{"message":"no such key"}')).toMatchObject({ problem: 'no such key' });
  for (const body of ['<html>', 'null', '[]', '{"result":5}']) {
    expect(readAnswer(200, new Headers(), body).problem).toMatch(/not in the form/);
  }
});
