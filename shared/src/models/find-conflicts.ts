import { PUBLIC_MODELS } from '../endpoints.ts';
import type { CatalogProblem } from './catalog.ts';
import type { YamlTree } from './yaml-tree.ts';

/**
 * What the parts of a file of models say together, and must not: names that stand for two models, routes to nowhere,
 * upstreams without what their provider needs. What the schema refuses beside that is passed over.
 */
export function findConflicts(tree: YamlTree): CatalogProblem[] {
  const problems: CatalogProblem[] = [];
  const add: Add = (path, message) => void problems.push({ ...tree.placeOf(path), message });
  const upstreams = mapOf(mapOf(tree.value)?.['upstreams']);
  const models = mapOf(mapOf(tree.value)?.['models']);
  for (const [name, upstream] of Object.entries(upstreams ?? {})) checkUpstream(name, mapOf(upstream), add);
  if (models !== undefined) checkModels(models, upstreams ?? {}, add);
  return problems;
}

type Data = Readonly<Record<string, unknown>>;
type Add = (path: readonly PropertyKey[], message: string) => void;

function checkUpstream(name: string, upstream: Data | undefined, add: Add): void {
  if (upstream === undefined) return;
  const { provider, base_url: baseUrl, api_key: apiKey } = upstream;
  if (provider === 'openai' && baseUrl === undefined) {
    add(['upstreams', name], 'base_url is missing: provider openai needs one, such as http://127.0.0.1:11434/v1');
  }
  const variable = NEEDS_KEY[String(provider)];
  if (variable !== undefined && apiKey === undefined) {
    add(['upstreams', name], `api_key is missing: provider ${String(provider)} needs one, such as \${${variable}}`);
  }
  if (provider !== 'demo') return;
  for (const key of ['base_url', 'api_key']) {
    if (upstream[key] !== undefined) add(['upstreams', name, key], `provider demo answers by itself: take ${key} out`);
  }
}

/** Providers that take no request without a key, and the usual name of its variable. */
const NEEDS_KEY: Readonly<Record<string, string>> = {
  gemini: 'GEMINI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

function checkModels(models: Data, upstreams: Data, add: Add): void {
  const names = new Set(Object.keys(models));
  for (const required of PUBLIC_MODELS) {
    if (!names.has(required)) add(['models'], `models must have ${required}: callers of /api/ai ask for it`);
  }
  for (const [name, model] of Object.entries(models)) {
    for (const [index, alias] of listOf(mapOf(model)?.['aliases']).entries()) {
      if (typeof alias !== 'string') continue;
      if (names.has(alias)) {
        add(['models', name, 'aliases', index], 'this alias is a name or an alias already: each leads to one model');
      }
      names.add(alias);
    }
    for (const [index, route] of listOf(mapOf(model)?.['routes']).entries()) {
      const upstream = mapOf(route)?.['upstream'];
      if (typeof upstream !== 'string' || Object.hasOwn(upstreams, upstream)) continue;
      add(['models', name, 'routes', index, 'upstream'], 'this route leads nowhere: there is no upstream of that name');
    }
  }
}

function mapOf(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
