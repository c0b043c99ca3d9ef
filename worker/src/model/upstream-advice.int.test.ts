import { afterEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { fixedSource } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { type StrictUpstream, startStrictUpstream } from '@lontar/shared/testing/strict-upstream.ts';
import { workerSettings } from '../config.ts';
import { previewPrompt } from '../mask-answer.ts';
import { createMasker } from '../masking/mask.ts';
import { type OpenUpstreams, openUpstreams } from '../upstreams/open-upstreams.ts';
import type { ModelError } from './language-model.ts';

const KEY = ['key', 'of', 'the', 'operator', '0123456789'].join('-');
const LLAMA = 'llama3.2:3b';

const running: { stop(): Promise<void> }[] = [];
const open: OpenUpstreams[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((upstreams) => upstreams.close()));
  await Promise.all(running.splice(0).map((upstream) => upstream.stop()));
});

async function start(names: readonly string[], key?: string): Promise<StrictUpstream> {
  const upstream = await startStrictUpstream({ models: names, ...(key !== undefined && { key }) });
  running.push(upstream);
  return upstream;
}

/** What a worker with these settings is answered, or why it is not. */
function worker(settings: Record<string, string>) {
  const config = readConfig(workerSettings, { REDIS_URL: 'redis://x', ...settings });
  const masker = createMasker({ knownValues: [KEY] });
  const catalog = catalogOfVariables(config);
  const upstreams = openUpstreams(
    fixedSource(catalog),
    { timeoutMs: 30_000, maxAnswerBytes: 1_000_000, secretOf: secretsIn(settings) },
    { redact: (words) => previewPrompt(masker, words) },
  );
  open.push(upstreams);
  const route = catalog.models.get('ai-2.5-flash')?.routes[0];
  const request = {
    requestId: 'req_test',
    model: route?.model ?? '',
    chat: { messages: [{ role: 'user' as const, content: 'Hello.' }] },
    maxOutputTokens: 10,
  };
  const ask = async () =>
    upstreams.languageModel(route?.upstream ?? '')?.generate(request, new AbortController().signal);
  const failure = () =>
    ask().then(
      () => undefined,
      (error: ModelError) => error,
    );
  return { ask, failure };
}

describe('a model that the upstream does not have', () => {
  test.each([
    ['openai', LLAMA],
    ['gemini', 'gemini-3-flash'],
  ] as const)('is said with what it has, which then answers: %s', async (provider, has) => {
    const upstream = await start([has, 'qwen3-32b'], KEY);
    const own: Record<string, string> =
      provider === 'openai'
        ? { OPENAI_BASE_URL: upstream.openAiUrl, OPENAI_API_KEY: KEY }
        : { GEMINI_BASE_URL: upstream.geminiUrl, GEMINI_API_KEY: KEY };
    const wrong = worker(own);
    const wanted = provider === 'openai' ? 'ai-2.5-flash' : 'gemini-2.5-flash';
    const failure = await wrong.failure();
    expect(failure?.upstream).toMatchObject({
      upstreamStatus: 404,
      upstreamHost: `127.0.0.1:${upstream.port}`,
      upstreamMessage: expect.stringContaining(wanted),
      advice: `The upstream has no model ${wanted}; it has ${has}, qwen3-32b. Set MODEL_MAP='{"ai-2.5-flash":"${has}"}' (or another of them), and start the worker again (npm start: Ctrl-C, then npm start; containers: docker compose up -d worker).`,
    });
    expect(JSON.stringify(failure?.upstream)).not.toContain(KEY);
    await wrong.failure();
    // One list for all that fail in the same minute.
    expect(upstream.lists).toBeLessThanOrEqual(provider === 'openai' ? 2 : 1);
    const [, map = ''] = /MODEL_MAP='([^']*)'/.exec(failure?.upstream?.advice ?? '') ?? [];
    await expect(worker({ ...own, MODEL_MAP: map }).ask()).resolves.toMatchObject({ text: `${has} answers.` });
  });

  test('is said with ten names at most, and none that looks like a secret', async () => {
    const secret = ['sk', '-', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6'].join('');
    const upstream = await start([secret, ...Array.from({ length: 14 }, (_, index) => `model-${index}`)]);
    const advice = (await worker({ OPENAI_BASE_URL: upstream.openAiUrl }).failure())?.upstream?.advice;
    expect(advice).toContain('it has model-0, model-1,');
    expect(advice).toContain('model-9 and 4 more.');
    expect(advice).not.toContain(secret);
  });

  test('is said without names where the upstream has no list', async () => {
    const upstream = await start([]);
    const advice = (await worker({ OPENAI_BASE_URL: upstream.openAiUrl }).failure())?.upstream?.advice;
    expect(advice).toBe(
      `The upstream has no model ai-2.5-flash. Set MODEL_MAP='{"ai-2.5-flash":"ITS_NAME"}' (or another of them), and start the worker again (npm start: Ctrl-C, then npm start; containers: docker compose up -d worker).`,
    );
  });
});

test('a base URL without its version is said to be wrong, and not the model', async () => {
  const upstream = await start([LLAMA]);
  const failure = await worker({ OPENAI_BASE_URL: upstream.openAiUrl.replace('/v1', '') }).failure();
  expect(failure?.upstream?.advice).toMatch(/nothing at this path of the upstream.*correct OPENAI_BASE_URL.*\/v1/);
});

test('a wrong key is said by the name of its setting, and never shown', async () => {
  const upstream = await start([LLAMA], 'another key');
  const failure = await worker({ OPENAI_BASE_URL: upstream.openAiUrl, OPENAI_API_KEY: KEY }).failure();
  expect(failure).toMatchObject({ kind: 'unauthorized' });
  expect(failure?.upstream).toMatchObject({
    upstreamStatus: 401,
    upstreamCode: 'invalid_api_key',
    upstreamRequestId: 'theirs-1',
    advice: expect.stringContaining('set OPENAI_API_KEY'),
  });
  expect(JSON.stringify(failure)).not.toContain(KEY);
});

test('an upstream that is not there is said to be so', async () => {
  const port = await freePort();
  const failure = await worker({ OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }).failure();
  expect(failure?.upstream).toEqual({
    upstreamHost: `127.0.0.1:${port}`,
    upstreamCode: 'ECONNREFUSED',
    advice: `The worker cannot reach 127.0.0.1:${port}: start that server, or correct OPENAI_BASE_URL.`,
  });
});
