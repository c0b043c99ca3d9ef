import { expect, test } from '@jest/globals';
import { createCatalog, type ModelConfig } from './catalog.ts';
import { viewOfCatalog } from './catalog-view.ts';

const deadlines = { connectMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 };
const routes = [{ upstream: 'a', model: 'x', weight: 2, order: 1 }];
const modelOf = (name: string): ModelConfig => ({ name, aliases: [`${name}-alias`], routes, deadlines });

test('operators see models, routes and limits, and neither hosts nor names of secrets', () => {
  const upstream = { name: 'a', provider: 'openai', stream: 'auto', maxInFlight: 5 } as const;
  const hidden = { baseUrl: 'https://host.example/v1', apiKey: { variable: 'A_KEY' } };
  const view = viewOfCatalog(createCatalog('file', [{ ...upstream, ...hidden }], [modelOf('m')]));
  expect(view).toEqual({
    source: 'file',
    upstreams: [{ name: 'a', provider: 'openai', maxInFlight: 5 }],
    models: [{ name: 'm', aliases: ['m-alias'], routes, deadlines }],
    modelsLeftOut: 0,
  });
});

test('of thousands of models the first ones are shown', () => {
  const models = Array.from({ length: 10_000 }, (_, index) => modelOf(`m${index}`));
  const view = viewOfCatalog(createCatalog('file', [{ name: 'a', provider: 'demo', stream: 'auto' }], models));
  expect([view.models.length, view.modelsLeftOut]).toEqual([500, 9_500]);
});
