import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { eventOf } from '@lontar/shared/testing/slow-answers.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

let stack: Stack;
let key: { id: string; key: string };

beforeAll(async () => {
  stack = await startStack({ workers: 2, durable: true, settings: { REQUEST_TIMEOUT_MS: '60000' } });
  key = await stack.createKey('--credits', '1000');
});
afterAll(() => stack.stop());

const charged = async () => Number(await stack.redis.client.hget(redisKeys.apiKey(key.id), 'charged'));

/** A stream that is read as it comes. */
async function readStream(prompt: string) {
  const response = await fetch(`${stack.url}/api/ai2`, {
    method: 'POST',
    headers: { 'x-api-key': key.key, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ prompt }),
  });
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  })();
  return {
    status: response.status,
    /** All that has come. */
    soFar: () => text,
    /** Events and their data, once the stream has ended. */
    async events() {
      await reading;
      return text
        .split('\n\n')
        .filter((event) => event.includes('data: '))
        .map((event) => ({
          event: /event: (.*)/.exec(event)?.[1],
          data: JSON.parse(/data: (.*)/.exec(event)?.[1] ?? '{}') as Record<string, unknown>,
        }));
    },
  };
}

const chunk = (content: string) => eventOf({ choices: [{ index: 0, delta: { content } }] });

/** The worker that has the only job in work. */
async function killWorker(): Promise<void> {
  const { client } = stack.redis;
  const [requestId = ''] = await client.lrange('{lontar}:generation:active', '0', '-1');
  const lock = await client.get(`{lontar}:generation:${requestId}:lock`);
  for (const worker of stack.workers) {
    const name = String((await worker.logged('the worker takes jobs'))['instance']);
    if (lock?.startsWith(`${name}:`)) await worker.end('SIGKILL');
  }
  await stack.startWorker();
}

test('a worker that dies in mid-stream ends the stream with an error: the model is not asked again, nothing is charged', async () => {
  stack.upstream.behave({ kind: 'raw', pieces: [chunk('Once upon '), chunk('a time there')], end: 'open' });
  const before = { charged: await charged(), calls: stack.upstream.calls.length };
  const stream = await readStream('break off');
  await until(async () => stream.soFar().includes('a time'));
  await killWorker();
  const events = await stream.events();
  expect(stream.status).toBe(200);
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 502 } });
  const said = events.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
  // The last word may go on: it is withheld.
  expect(said.join('')).toBe('Once upon a time ');
  expect(stack.upstream.calls.length - before.calls).toBe(1);
  expect(await charged()).toBe(before.charged);
  expect(await countReservations(stack.redis.client)).toBe(0);
  expect(await stack.redis.client.keys('{lontar}:partial:*')).toEqual([]);
});

test('an upstream that breaks off in mid-stream costs none of the words that masking gives, and shows no fragment of a secret', async () => {
  const secret = ['ghp', 'Zq7Xw2Lm9Tn4Vb6Rk1'.repeat(2)].join('_');
  const pieces = ['words, ', secret.slice(0, 20), `${secret.slice(20)} `, 'and ', secret.slice(0, 25)];
  // Behind words that are seen, all within one tick.
  const words = Array.from({ length: 60 }, (_, index) => `w${index} `);
  const rest = pieces.map(chunk).join('');
  const failing = eventOf({ error: { message: 'it broke', type: 'server_error' } });
  for (const [last, end] of [
    [rest, 'cut'],
    [rest, 'whole'],
    [rest + failing, 'whole'],
  ] as const) {
    stack.upstream.behave({ kind: 'raw', paceMs: 12, pieces: [...words.map(chunk), last], end });
    const before = await charged();
    const stream = await readStream('break the upstream');
    const events = await stream.events();
    const said = events.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
    expect({ said: said.join(''), last: events.at(-1)?.event }).toEqual({
      said: `${words.join('')}words, ***API_KEY*** and `,
      last: 'error',
    });
    expect(events.at(-1)).toMatchObject({ data: { code: 502 } });
    expect(await charged()).toBe(before);
  }
});

test('one that dies before the first word is followed by another: the answer is whole, and charged once', async () => {
  let calls = 0;
  stack.upstream.behave(() => Promise.resolve(++calls === 1 ? 'hang' : { kind: 'answer', text: 'All of it.' }));
  const before = await charged();
  const stream = readStream('begin anew');
  await until(() => Promise.resolve(calls === 1));
  await killWorker();
  const events = await (await stream).events();
  const said = events.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
  expect({ said: said.join(''), last: events.at(-1)?.event, calls }).toEqual({
    said: 'All of it.',
    last: 'done',
    calls: 2,
  });
  expect((await charged()) - before).toBe(1);
});

test('a Redis that is killed and started again in mid-stream costs no word: the text is whole, in order and charged once', async () => {
  const words = Array.from({ length: 300 }, (_, index) => `w${index} `);
  stack.upstream.behave({ kind: 'answer', text: words.join(''), pieceLength: 5, paceMs: 10 });
  const before = await charged();
  const stream = await readStream('go on');
  await until(async () => stream.soFar().includes('w20 '));
  await stack.redis.kill();
  await stack.redis.start();
  const events = await stream.events();
  const said = events.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
  expect({ said: said.join(''), last: events.at(-1)?.event }).toEqual({ said: words.join(''), last: 'done' });
  expect((await charged()) - before).toBe(1);
});

test('no fragment of a secret that only the answer held is anywhere: stream, Redis, its file, or logs', async () => {
  const secret = ['ghp', 'Zq7Xw2Lm9Tn4Vb6Rk1'.repeat(2)].join('_');
  const text = `Take ${secret} for it. ${'This goes on for a while. '.repeat(200)}And postgres://ana:Pf83kdq@10.9.8.7/x too.`;
  stack.upstream.behave({ kind: 'answer', text, pieceLength: 5 });
  const stream = await readStream('tell a secret');
  const events = await stream.events();
  const said = events.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
  expect(said.join('')).toMatch(/^Take \*\*\*API_KEY\*\*\* for it\. .*And \*\*\*DB_CONNECTION\*\*\* too\.$/);
  const [, folder = ''] = await stack.redis.client.config('GET', 'dir');
  const files = await readdir(join(folder, 'appendonlydir'));
  const kept = await Promise.all(files.map((file) => readFile(join(folder, 'appendonlydir', file), 'latin1')));
  expect(kept.join('')).toContain('***API_KEY***');
  for (const place of [stream.soFar(), kept.join(''), stack.logs()])
    for (const fragment of ['Zq7X', 'ghp_', 'Pf83', '10.9.8']) expect(place.includes(fragment)).toBe(false);
});
