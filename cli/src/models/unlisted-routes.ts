import type { ModelCatalog, UpstreamConfig } from '@lontar/shared/models/catalog.ts';
import type { SecretOf } from '@lontar/shared/models/secrets.ts';
import { createModelList } from '@lontar/worker/list-models.ts';
import { LIST_WITHIN_MS } from './find-upstreams.ts';

/** A route whose upstream lists its models, and not this one. Some servers answer such names with another model. */
export interface UnlistedRoute {
  readonly model: string;
  readonly upstream: string;
  readonly asks: string;
}

/** Compares the names of all routes with what their upstreams list. Those that list nothing are passed over. Never rejects. */
export async function findUnlistedRoutes(catalog: ModelCatalog, secretOf: SecretOf): Promise<UnlistedRoute[]> {
  const lists = new Map(
    await Promise.all(
      [...catalog.upstreams.values()].map(async (upstream) => {
        const listed = await listOf(upstream, secretOf);
        return [upstream.name, listed] as const;
      }),
    ),
  );
  return [...catalog.models.values()].flatMap(({ name, routes }) =>
    routes
      .filter(({ upstream, model }) => lists.get(upstream)?.has(model) === false)
      .map(({ upstream, model }) => ({ model: name, upstream, asks: model })),
  );
}

async function listOf(upstream: UpstreamConfig, secretOf: SecretOf): Promise<ReadonlySet<string> | undefined> {
  const { provider, baseUrl, apiKey } = upstream;
  if (provider === 'demo' || baseUrl === undefined) return undefined;
  const key = apiKey && secretOf(apiKey);
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`;
  if (provider === 'gemini') url.searchParams.set('pageSize', '1000');
  if (provider === 'anthropic') url.searchParams.set('limit', '1000');
  const listed = await createModelList({
    url: url.href,
    headers: headersOf(provider, key),
    redact: (name) => name,
    timeoutMs: LIST_WITHIN_MS,
  })();
  return listed.kind === 'names' ? new Set(listed.names) : undefined;
}

function headersOf(provider: 'gemini' | 'openai' | 'anthropic', key: string | undefined): Record<string, string> {
  if (!key) return {};
  if (provider === 'gemini') return { 'x-goog-api-key': key };
  return provider === 'openai'
    ? { authorization: `Bearer ${key}` }
    : { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
}
