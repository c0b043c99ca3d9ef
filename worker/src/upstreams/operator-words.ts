import type { ModelCatalog, ProviderName } from '@lontar/shared/models/catalog.ts';

/** Who answers for the first model. */
export function firstProviderOf(catalog: ModelCatalog): ProviderName {
  const [model] = catalog.models.values();
  return catalog.upstreams.get(model?.routes[0]?.upstream ?? '')?.provider ?? 'demo';
}

/** One sentence for the operator: who answers. Without secrets and hosts. */
export function noticeOf(catalog: ModelCatalog): string {
  const models = [...catalog.models.values()];
  const names = models.map(({ name, routes }) => `${name} is ${routes[0]?.model}`).join(', ');
  const [first] = catalog.upstreams.values();
  if (first?.provider === 'gemini') return `Gemini answers (${names}).`;
  if (first?.provider === 'openai') {
    return `The server at OPENAI_BASE_URL answers (${names}; MODEL_MAP changes that).`;
  }
  return 'The built-in demo model answers, with made-up text: set GEMINI_API_KEY or OPENAI_BASE_URL for a real one.';
}
