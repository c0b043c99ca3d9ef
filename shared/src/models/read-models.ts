import type { z } from 'zod';
import {
  type CatalogProblem,
  type Deadlines,
  type ModelConfig,
  type ProviderName,
  type RouteConfig,
  type UpstreamConfig,
} from './catalog.ts';
import { CONNECT_TIMEOUT_MS } from './catalog-of-variables.ts';
import { findConflicts } from './find-conflicts.ts';
import { type ModelsFile, modelsFileSchema } from './models-schema.ts';
import { readYamlTree, type YamlTree } from './yaml-tree.ts';

/** Where something stands in the file; the first line and column are 1. */
export type Place = Pick<CatalogProblem, 'line' | 'column'>;

/** What a file of models says. */
export interface ReadModels {
  readonly upstreams: readonly UpstreamConfig[];
  readonly models: readonly ModelConfig[];
  /** Where the key of each upstream is named that has one. */
  readonly secretPlaces: Readonly<Record<string, Place>>;
}

export type ModelsReading =
  | { readonly ok: true; readonly file: ReadModels }
  /** In the order of their lines. */
  | { readonly ok: false; readonly problems: readonly CatalogProblem[] };

/** Where the services of the providers themselves are. */
const OWN_URLS: Partial<Record<ProviderName, string>> = {
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
  anthropic: 'https://api.anthropic.com/v1',
};
/** For a model's first token, and then for each further one, where the file does not say. */
const TOKEN_TIMEOUT_MS = 60_000;
/** The deadline of the request comes earlier, or as early. */
const TOTAL_TIMEOUT_MS = 3_600_000;
const MOST_PROBLEMS = 100;

/**
 * Reads the text of a file of models, and finds all that is wrong with it at once. Values of the file are in no problem: a
 * secret may stand anywhere by mistake. Never throws.
 */
export function readModels(text: string): ModelsReading {
  const { tree, problems, isWhole } = readYamlTree(text);
  if (!isWhole) return refuse(problems);
  if (tree.value === null) {
    return refuse([...problems, { line: 1, column: 1, message: 'the file is empty: it needs upstreams and models' }]);
  }
  const parsed = modelsFileSchema.safeParse(tree.value);
  const faults = (parsed.error?.issues ?? []).flatMap((issue) => problemsOf(issue, tree));
  const conflicts = findConflicts(tree);
  if (parsed.success && problems.length + conflicts.length === 0)
    return { ok: true, file: describeFile(parsed.data, tree) };
  return refuse([...problems, ...faults, ...conflicts]);
}

function refuse(problems: readonly CatalogProblem[]): ModelsReading {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const shown = sorted.slice(0, MOST_PROBLEMS);
  const last = shown.at(-1);
  const more = sorted.length - shown.length;
  const rest = more > 0 && last ? [{ ...last, message: `… and ${more} further problems` }] : [];
  return { ok: false, problems: [...shown, ...rest] };
}

/** What the schema finds, in words that begin with what they are about. */
function problemsOf(issue: z.core.$ZodIssue, tree: YamlTree): CatalogProblem[] {
  const { path } = issue;
  const at = (message: string, where: readonly PropertyKey[] = path) => ({ ...tree.placeOf(where), message });
  const subject = nameOf(path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => at(`this key is not known in ${subject}: is it misspelt?`, [...path, key]));
    case 'invalid_key':
      return issue.issues.map(({ message }) => at(message));
    case 'invalid_type':
      if (valueAt(tree.value, path) === undefined) return [at(`${subject} is missing`)];
      return [at(`${subject} ${issue.message.startsWith('Invalid') ? 'must be a map' : issue.message}`)];
    default:
      return [at(`${subject} ${issue.message}`)];
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown> | undefined)?.[step], value);
}

/** The last step that the schema names; names that the operator chose are not repeated. */
function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  const last = path.at(-1);
  if (typeof last === 'number') return path.at(-2) === 'routes' ? 'a route' : `an entry of ${String(path.at(-2))}`;
  if (path.length === 2 && path[0] === 'upstreams') return 'the upstream';
  if (path.length === 2 && path[0] === 'models') return 'the model';
  return String(last);
}

function describeFile({ upstreams, models }: ModelsFile, tree: YamlTree): ReadModels {
  const withKey = Object.entries(upstreams).filter(([, { api_key: key }]) => key !== undefined);
  return {
    upstreams: Object.entries(upstreams).map(([name, upstream]) => describeUpstream(name, upstream)),
    models: Object.entries(models).map(([name, model]) => describeModel(name, model)),
    secretPlaces: Object.fromEntries(withKey.map(([name]) => [name, tree.placeOf(['upstreams', name, 'api_key'])])),
  };
}

function describeUpstream(name: string, upstream: ModelsFile['upstreams'][string]): UpstreamConfig {
  const { provider, base_url: given, api_key: variable, context, stream } = upstream;
  const baseUrl = given ?? OWN_URLS[provider];
  return {
    name,
    provider,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(variable !== undefined && { apiKey: { variable } }),
    ...(context !== undefined && { context }),
    stream,
    ...(upstream.max_in_flight !== undefined && { maxInFlight: upstream.max_in_flight }),
    ...(upstream.requests_per_minute !== undefined && { requestsPerMinute: upstream.requests_per_minute }),
    ...(upstream.tokens_per_minute !== undefined && { tokensPerMinute: upstream.tokens_per_minute }),
  };
}

function describeModel(name: string, model: ModelsFile['models'][string]): ModelConfig {
  const { aliases, routes, deadlines, price, hedge_after: hedgeAfter } = model;
  return {
    name,
    aliases,
    routes: routes satisfies RouteConfig[],
    deadlines: describeDeadlines(deadlines),
    ...(price && {
      price: {
        input: price.input,
        ...(price.cached_input !== undefined && { cachedInput: price.cached_input }),
        output: price.output,
      },
    }),
    ...(hedgeAfter && { hedgeAfter }),
  };
}

function describeDeadlines(given: ModelsFile['models'][string]['deadlines']): Deadlines {
  return {
    connectMs: given.connect ?? CONNECT_TIMEOUT_MS,
    firstTokenMs: given.first_token ?? TOKEN_TIMEOUT_MS,
    idleMs: given.idle ?? TOKEN_TIMEOUT_MS,
    totalMs: given.total ?? TOTAL_TIMEOUT_MS,
  };
}
