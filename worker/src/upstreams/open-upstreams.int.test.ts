import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { CatalogSource, ModelCatalog, UpstreamConfig } from '@lontar/shared/models/catalog.ts';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import type { ModelRequest } from '../model/language-model.ts';
import { type OpenUpstreams, openUpstreams } from './open-upstreams.ts';

let server: Server;
let url: string;
let upstreams: OpenUpstreams;
/** Each call to the server, with the connection it came on; the test answers it. */
let arrived: (call: { response: ServerResponse; key: string | undefined; socket: Socket; body: string }) => void;

beforeEach(async () => {
  server = createServer((request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (text: string) => {
        body += text;
      })
      .once('end', () => {
        arrived({ response, key: request.headers.authorization, socket: request.socket, body });
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  await upstreams.close();
  server.closeAllConnections();
  server.close();
});

const nextCall = () =>
  new Promise<Parameters<typeof arrived>[0]>((resolve) => {
    arrived = resolve;
  });

function answer(response: ServerResponse): void {
  const message = { role: 'assistant', content: 'Hello.' };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
}

function sourceOf(first: UpstreamConfig[]): CatalogSource & { change(next: UpstreamConfig[]): void } {
  const listeners = new Set<(catalog: ModelCatalog) => void>();
  let current = createCatalog('file', first, []);
  return {
    get current() {
      return current;
    },
    problems: [],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => Promise.resolve(),
    change(next) {
      current = createCatalog('file', next, []);
      for (const listener of listeners) listener(current);
    },
  };
}

const one = (more: Partial<UpstreamConfig> = {}): UpstreamConfig => ({
  ...{ name: 'one', provider: 'openai', baseUrl: url, stream: 'never', ...more },
});
const demo: UpstreamConfig = { name: 'demo', provider: 'demo', stream: 'auto' };
const settings = {
  timeoutMs: 30_000,
  maxAnswerBytes: 10_000,
  secretOf: ({ variable }: { variable: string }) => `key-${variable}`,
};
const request: ModelRequest = {
  ...{ requestId: 'req_test', model: 'm', maxOutputTokens: 10 },
  chat: { messages: [{ role: 'user', content: 'Hi' }] },
};
const signal = new AbortController().signal;

test('an upstream that did not change keeps its connection, whatever changes beside it', async () => {
  const source = sourceOf([one(), demo]);
  upstreams = openUpstreams(source, settings);
  const before = upstreams.languageModel('one');
  const sockets: Socket[] = [];
  for (const next of [[one({ maxInFlight: 3 })], [demo, one()], [one({ tokensPerMinute: 9 })], [one()]]) {
    const called = nextCall();
    const asked = upstreams.languageModel('one')?.generate(request, signal);
    const { response, socket } = await called;
    sockets.push(socket);
    answer(response);
    expect(await asked).toMatchObject({ text: 'Hello.' });
    source.change(next);
  }
  expect(upstreams.languageModel('one')).toBe(before);
  // A pool may open a second connection while the first one ends its answer; without it there were one for each change.
  expect(new Set(sockets).size).toBeLessThan(3);
});

test('one that is gone answers what it was asked, and then closes its connections', async () => {
  const source = sourceOf([one(), demo]);
  upstreams = openUpstreams(source, settings);
  const called = nextCall();
  const asked = upstreams.languageModel('one')?.generate(request, signal);
  const { response, socket } = await called;
  const closed = once(socket, 'close');
  source.change([demo]);
  expect(upstreams.languageModel('one')).toBeUndefined();
  answer(response);
  expect(await asked).toMatchObject({ text: 'Hello.' });
  await closed;
});

test('one with another key is asked with that, by a connection of its own', async () => {
  const source = sourceOf([one({ apiKey: { variable: 'A' } })]);
  upstreams = openUpstreams(source, settings);
  const keys: (string | undefined)[] = [];
  for (const variable of ['A', 'B']) {
    source.change([one({ apiKey: { variable } })]);
    const called = nextCall();
    const asked = upstreams.languageModel('one')?.generate(request, signal);
    const { response, key } = await called;
    keys.push(key);
    answer(response);
    await asked;
  }
  expect(keys).toEqual(['Bearer key-A', 'Bearer key-B']);
});

test('all are closed at the end, those too that are gone and still asked', async () => {
  const source = sourceOf([one()]);
  upstreams = openUpstreams(source, settings);
  const called = nextCall();
  const asked = upstreams.languageModel('one')?.generate(request, signal);
  await called;
  source.change([]);
  await Promise.all([upstreams.close(), expect(asked).rejects.toMatchObject({ name: 'ModelError' })]);
});

test.each([
  ['our own limit is lowered to what the context leaves', { isDefaultOutput: true }, 48],
  ["a caller's own is not", {}, 60],
])('%s', async (_, more, expected) => {
  upstreams = openUpstreams(sourceOf([one({ context: 50 })]), settings);
  const called = nextCall();
  const asked = upstreams.languageModel('one')?.generate({ ...request, maxOutputTokens: 60, ...more }, signal);
  const { response, body } = await called;
  answer(response);
  await asked;
  expect(JSON.parse(body)).toMatchObject({ max_tokens: expected });
});
