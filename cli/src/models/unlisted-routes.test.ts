import { expect, test } from '@jest/globals';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import { startStrictUpstream } from '@lontar/shared/testing/strict-upstream.ts';
import { findUnlistedRoutes } from './unlisted-routes.ts';

test('names that an upstream does not list are found, by its own protocol; who lists nothing is passed over', async () => {
  const key = ['key', 'of', 'test'].join('-');
  const upstream = await startStrictUpstream({ models: ['here'], key });
  const apiKey = { variable: 'A_KEY' };
  const routes = ['open', 'gem', 'gone', 'demo'].flatMap((name) =>
    ['here', 'nowhere'].map((model) => ({ upstream: name, model, weight: 1, order: 1 })),
  );
  const deadlines = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
  const catalog = createCatalog(
    'file',
    [
      { name: 'open', provider: 'openai', baseUrl: upstream.openAiUrl, apiKey, stream: 'auto' },
      { name: 'gem', provider: 'gemini', baseUrl: upstream.geminiUrl, apiKey, stream: 'auto' },
      { name: 'gone', provider: 'openai', baseUrl: 'http://127.0.0.1:1/v1', stream: 'auto' },
      { name: 'demo', provider: 'demo', stream: 'auto' },
    ],
    [{ name: 'm', aliases: [], routes, deadlines }],
  );
  expect(await findUnlistedRoutes(catalog, () => key)).toEqual([
    { model: 'm', upstream: 'open', asks: 'nowhere' },
    { model: 'm', upstream: 'gem', asks: 'nowhere' },
  ]);
  await upstream.stop();
});
