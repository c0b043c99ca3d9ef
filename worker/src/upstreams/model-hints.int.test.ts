import { parseEnv } from 'node:util';
import { expect, test } from '@jest/globals';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { fixedSource } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { MODEL_HINTS } from '@lontar/shared/models/model-hints.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { startStrictUpstream } from '@lontar/shared/testing/strict-upstream.ts';
import { workerSettings } from '../config.ts';
import { openUpstreams } from './open-upstreams.ts';

const HAS = {
  Gemini: ['gemini-2.5-flash', 'gemini-2.5-pro'],
  OpenAI: ['gpt-4.1', 'gpt-4.1-mini'],
  local: ['llama3.2'],
} as const;

/** For Anthropic's `npm start` writes a file of models: model-hints.int.test.ts in cli/src/start. */
const HINTS = MODEL_HINTS.filter(({ upstream }) => upstream !== 'Anthropic');

test.each(HINTS)('the lines for $upstream work as they are pasted', async ({ upstream: name, lines }) => {
  const models = HAS[name as keyof typeof HAS] ?? HAS.local;
  const pasted = parseEnv(`${lines.map((line) => `    ${line}`).join('\n')}\n`) as Record<string, string>;
  const key = pasted['OPENAI_API_KEY'] ?? pasted['GEMINI_API_KEY'];
  const upstream = await startStrictUpstream({ models, ...(key !== undefined && { key }) });
  const environment = {
    REDIS_URL: 'redis://x',
    ...pasted,
    GEMINI_BASE_URL: upstream.geminiUrl,
    ...(pasted['OPENAI_BASE_URL'] !== undefined && { OPENAI_BASE_URL: upstream.openAiUrl }),
  };
  // The path that the pasted address has is the one that such servers serve.
  expect(pasted['OPENAI_BASE_URL'] ?? '/v1').toMatch(/\/v1$/);
  const catalog = catalogOfVariables(readConfig(workerSettings, environment));
  const settings = { timeoutMs: 30_000, maxAnswerBytes: 1_000_000, secretOf: secretsIn(environment) };
  const upstreams = openUpstreams(fixedSource(catalog), settings);
  try {
    for (const model of PUBLIC_MODELS) {
      const route = catalog.models.get(model)?.routes[0];
      const request = {
        requestId: 'req_test',
        model: route?.model ?? '',
        chat: { messages: [{ role: 'user' as const, content: 'Hello.' }] },
        maxOutputTokens: 100,
      };
      const answer = await upstreams
        .languageModel(route?.upstream ?? '')
        ?.generate(request, new AbortController().signal);
      expect(answer?.text).toBe(`${route?.model} answers.`);
    }
  } finally {
    await upstreams.close();
    await upstream.stop();
  }
});
