import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import type { LanguageModel } from '../src/model/language-model.ts';
import type { ProcessDeps } from '../src/process-generation.ts';

/**
 * One upstream that answers for every public model.
 *
 * @param nameOf its own name of a public model
 */
export function oneUpstream(
  language: LanguageModel,
  nameOf: (model: string) => string = (model) => model,
): Pick<ProcessDeps, 'catalog' | 'upstreams' | 'modelLabel'> {
  const deadlines = { connectMs: 10_000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
  const models = PUBLIC_MODELS.map((name) => {
    const routes = [{ upstream: 'only', model: nameOf(name), weight: 1, order: 1 }];
    return { name, aliases: [], routes, deadlines };
  });
  const current = createCatalog('variables', [{ name: 'only', provider: 'demo', stream: 'auto' }], models);
  return {
    catalog: { current, onChange: () => () => undefined },
    upstreams: { languageModel: (name) => (name === 'only' ? language : undefined) },
    modelLabel: (model) => model,
  };
}
