import type { ModelCatalog, ProviderName, UpstreamConfig } from '@lontar/shared/models/catalog.ts';
import type { SettingNames } from '../model/upstream-advice.ts';

/** Who answers for the first model. */
export function firstProviderOf(catalog: ModelCatalog): ProviderName {
  const [model] = catalog.models.values();
  return catalog.upstreams.get(model?.routes[0]?.upstream ?? '')?.provider ?? 'demo';
}

/** One sentence for the operator: who answers. Without secrets and hosts. */
export function noticeOf(catalog: ModelCatalog): string {
  if (catalog.source === 'file') {
    const { models, upstreams, digest } = catalog;
    return `The file of models is in force (${models.size} models, ${upstreams.size} upstreams, digest ${digest}).`;
  }
  const models = [...catalog.models.values()];
  const names = models.map(({ name, routes }) => `${name} is ${routes[0]?.model}`).join(', ');
  const [first] = catalog.upstreams.values();
  if (first?.provider === 'gemini') return `Gemini answers (${names}).`;
  if (first?.provider === 'openai') {
    return `The server at OPENAI_BASE_URL answers (${names}; MODEL_MAP changes that).`;
  }
  return 'The built-in demo model answers, with made-up text: the README has the lines for a real one.';
}

/** What the operator is told to set where an upstream fails; the demo model does not fail. */
export function settingNamesOf(
  { name, provider, apiKey }: UpstreamConfig,
  catalog: () => ModelCatalog,
): SettingNames | undefined {
  if (provider === 'demo') return undefined;
  const { source } = catalog();
  const prefix = ({ gemini: 'GEMINI', openai: 'OPENAI', anthropic: 'ANTHROPIC' } as const)[provider];
  const key = apiKey?.variable ?? `${prefix}_API_KEY`;
  if (source === 'file') {
    return {
      url: `base_url of the upstream ${name} in the file of models`,
      key,
      useModel: (upstreamName, insteadOf) =>
        `Put "model: ${upstreamName}" (or another of them) in place of ${insteadOf} into the file of models.`,
    };
  }
  return {
    url: `${prefix}_BASE_URL`,
    key,
    useModel(upstreamName, insteadOf) {
      const wrong = [...catalog().models.values()].filter(({ routes }) => routes[0]?.model === insteadOf);
      const map = Object.fromEntries(wrong.map((model) => [model.name, upstreamName]));
      return `Set MODEL_MAP='${JSON.stringify(map)}' (or another of them), and start the worker again (npm start: Ctrl-C, then npm start; containers: docker compose up -d worker).`;
    },
  };
}
