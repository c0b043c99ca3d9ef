import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import type { LanguageModel, ModelPart, ModelRequest } from './language-model.ts';
import { createDecoder } from './openai/decoder.ts';
import { openAiModel } from './openai-model.ts';

/** Upstreams behind a proxy that compresses, though no compression is asked for. */
const CAP = 100_000;

let upstream: FakeUpstream;
let model: LanguageModel;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  const limits = { timeoutMs: 30_000, connectTimeoutMs: 30_000, maxAnswerBytes: CAP };
  model = openAiModel({ ...limits, apiKey: undefined, baseUrl: upstream.openAiUrl });
});
afterEach(() => upstream.reset());
afterAll(async () => {
  await model.close();
  await upstream.stop();
});

const REQUEST: ModelRequest = {
  requestId: 'req_test',
  model: 'some-model',
  chat: { messages: [{ role: 'user', content: 'Hello, upstream.' }] },
  maxOutputTokens: 9_000,
};
const signal = new AbortController().signal;

const ENCODINGS: readonly [string, (bytes: string) => Buffer][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
];

const answer = (content: string) => JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] });
const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

const raw = (
  encoding: string,
  pieces: readonly Uint8Array[],
  more: Partial<Extract<FakeBehaviour, { kind: 'raw' }>> = {},
): FakeBehaviour => ({ kind: 'raw', pieces, headers: { 'content-encoding': encoding }, ...more });

describe.each(ENCODINGS)('in %s', (encoding, compress) => {
  test('an answer in one piece is read', async () => {
    upstream.behave(raw(encoding, [compress(answer('Hi ☕'))], { contentType: 'application/json' }));
    await expect(model.generate(REQUEST, signal)).resolves.toMatchObject({ text: 'Hi ☕' });
  });

  test('a stream is read, wherever it is cut', async () => {
    const bytes = compress(`${chunk('Hi')}${chunk(' ☕')}${chunk('', 'stop')}${DONE}`);
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    upstream.behave(raw(encoding, pieces));
    await expect(model.generate(REQUEST, signal, () => undefined)).resolves.toMatchObject({ text: 'Hi ☕' });
  });

  test('a refusal has its words', async () => {
    const refusal = JSON.stringify({ error: { code: 'context_length_exceeded', message: 'Too long.' } });
    upstream.behave(raw(encoding, [compress(refusal)], { status: 400, contentType: 'application/json' }));
    await expect(model.generate(REQUEST, signal)).rejects.toMatchObject({ kind: 'context_exceeded' });
  });

  test('an answer that is larger than allowed ends the call, however small it was', async () => {
    const bomb = compress(' '.repeat(100 * CAP));
    upstream.behave(raw(encoding, [bomb], { contentType: 'application/json' }));
    await expect(model.generate(REQUEST, signal)).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('a stream that breaks is cut off', async () => {
    const bytes = compress(`${chunk('Hi')}${chunk('?'.repeat(400))}${DONE}`);
    upstream.behave(raw(encoding, [bytes.subarray(0, -12)]));
    await expect(model.generate(REQUEST, signal, () => undefined)).rejects.toMatchObject({ kind: 'cut_off' });
  });
});

test('each token is given as it comes', async () => {
  const gzip = createGzip();
  const flushed = async (text: string) => {
    gzip.write(text);
    await new Promise<void>((resolve) => {
      gzip.flush(constants.Z_SYNC_FLUSH, resolve);
    });
    return gzip.read() as Buffer;
  };
  const first = await flushed(chunk('At once'));
  upstream.behave(raw('gzip', [first], { end: 'open' }));
  const leaving = new AbortController();
  const part = new Promise<ModelPart>((resolve) => {
    model.generate(REQUEST, leaving.signal, resolve).catch(() => undefined);
  });
  expect(await part).toEqual({ kind: 'text', text: 'At once' });
  const call = await upstream.nextCall();
  leaving.abort();
  await call.whenAborted;
});

test('what is said to be compressed and is not ends the call', async () => {
  upstream.behave(raw('gzip', [Buffer.from(answer('Hi'))], { contentType: 'application/json' }));
  await expect(model.generate(REQUEST, signal)).rejects.toMatchObject({ kind: 'invalid_answer' });
});

test('a connection is used again after it', async () => {
  upstream.behave(raw('gzip', [gzipSync(answer('One'))], { contentType: 'application/json' }));
  await model.generate(REQUEST, signal);
  upstream.behave({ kind: 'answer', text: 'Two' });
  await expect(model.generate(REQUEST, signal)).resolves.toMatchObject({ text: 'Two' });
});

test('what decodes to nothing is not kept in memory: the upstream waits until it is decoded', async () => {
  const whole = gzipSync(answer('After all'));
  // A stored block without content, as many as make 256 KB.
  const nothing = Buffer.alloc(5 * 52_428, Buffer.from([0, 0, 0, 0xff, 0xff]));
  const pieces = [whole.subarray(0, 10), ...Array.from({ length: 64 }, () => nothing), whole.subarray(10)];
  upstream.behave(raw('gzip', pieces, { contentType: 'application/json' }));
  await expect(model.generate(REQUEST, signal)).resolves.toMatchObject({ text: 'After all' });

  let onDrain = (): void => undefined;
  const drained = new Promise<void>((resolve) => {
    onDrain = resolve;
  });
  const ignore = () => undefined;
  const decoder = createDecoder('gzip', { onData: ignore, onDrain, onEnd: ignore, onError: ignore });
  decoder?.write(whole.subarray(0, 10));
  expect(decoder?.write(nothing)).toBe(false);
  await drained;
  decoder?.stop();
});
