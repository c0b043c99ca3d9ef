import { createHash } from 'node:crypto';

/** Who can stand behind an upstream. */
export const PROVIDERS = ['gemini', 'openai', 'anthropic', 'demo'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The variable of the worker's environment that holds a secret (or, with `_FILE` behind it, names its file). */
export interface SecretRef {
  readonly variable: string;
}

/** A server that runs models, or an account there. */
export interface UpstreamConfig {
  /** The operator's word for it: in logs, metrics and on the dashboard, which never show its host. */
  readonly name: string;
  readonly provider: ProviderName;
  /** With its version: `https://host/v1`; absent for the provider's own. */
  readonly baseUrl?: string;
  /** Where the key is, never the key itself: only workers read it. */
  readonly apiKey?: SecretRef;
  /** How much prompt and answer may hold together, tokens. */
  readonly context?: number;
  /** Whether it is asked for a stream where the caller wants its answer in one piece. */
  readonly stream: 'auto' | 'always' | 'never';
  readonly maxInFlight?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** One way to answer as a model. */
export interface RouteConfig {
  readonly upstream: string;
  /** The upstream's name of the model. */
  readonly model: string;
  /** Its share among the routes of the same order. */
  readonly weight: number;
  /** Routes of a higher order are taken only when none of a lower one can answer. */
  readonly order: number;
}

/** How long each part of one attempt may take, ms; the deadline of the request binds too. */
export interface Deadlines {
  readonly connectMs: number;
  readonly firstTokenMs: number;
  /** Between two tokens. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly cachedInput?: number;
  readonly output: number;
}

/** A model as callers know it. */
export interface ModelConfig {
  readonly name: string;
  readonly aliases: readonly string[];
  /** 1 to 16. */
  readonly routes: readonly RouteConfig[];
  readonly deadlines: Deadlines;
  readonly price?: Price;
  readonly hedgeAfter?: 'p95';
}

/** Which models there are, and who answers for each. Immutable: an edited file makes a new one. */
export interface ModelCatalog {
  readonly source: 'file' | 'variables';
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  /** By public name; aliases are not among the keys. */
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** The public name that a name or alias stands for; undefined where there is none. */
  resolve(name: string): string | undefined;
  /** Of all that is in it, and it holds no secret; equal catalogs have equal digests. */
  readonly digest: string;
}

/** What is wrong in a file, and where; the first line and column are 1. */
export interface CatalogProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The catalog in force. */
export interface CatalogSource {
  readonly current: ModelCatalog;
  /** Why a newer file is not in force; empty where the newest is. */
  readonly problems: readonly CatalogProblem[];
  /** @returns a function that ends the listening */
  onChange(listener: (catalog: ModelCatalog) => void): () => void;
  stop(): Promise<void>;
}

/** Puts a catalog together of parts that were checked: names are unique, and each route leads to an upstream. */
export function createCatalog(
  source: ModelCatalog['source'],
  upstreams: readonly UpstreamConfig[],
  models: readonly ModelConfig[],
): ModelCatalog {
  const names = new Map<string, string>();
  for (const { name, aliases } of models) {
    for (const each of [name, ...aliases]) names.set(each, name);
  }
  return {
    source,
    upstreams: new Map(upstreams.map((upstream) => [upstream.name, upstream])),
    models: new Map(models.map((model) => [model.name, model])),
    resolve: (name) => names.get(name),
    digest: createHash('sha256')
      .update(JSON.stringify([upstreams, models]))
      .digest('hex')
      .slice(0, 16),
  };
}

/** A source whose catalog never changes. */
export function fixedSource(current: ModelCatalog): CatalogSource {
  return { current, problems: [], onChange: () => () => undefined, stop: () => Promise.resolve() };
}
