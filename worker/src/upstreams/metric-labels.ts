import type { ModelCatalog } from '@lontar/shared/models/catalog.ts';

/** Series are kept for each pair of a model and an upstream: a file with thousands of models must not fill a Prometheus. */
const MOST_MODELS = 200;
const MOST_UPSTREAMS = 100;
const OTHER = 'other';

export interface RouteLabels {
  readonly upstream: string;
  readonly model: string;
}

const known = new WeakMap<ModelCatalog, { models: ReadonlySet<string>; upstreams: ReadonlySet<string> }>();

/** What metrics call an upstream and a public model: of a catalog's first ones their names, `other` of all that follow. */
export function labelsOf(catalog: ModelCatalog, upstream: string, model: string): RouteLabels {
  let names = known.get(catalog);
  if (names === undefined) {
    const models = new Set([...catalog.models.keys()].slice(0, MOST_MODELS));
    names = { models, upstreams: new Set([...catalog.upstreams.keys()].slice(0, MOST_UPSTREAMS)) };
    known.set(catalog, names);
  }
  return {
    upstream: names.upstreams.has(upstream) ? upstream : OTHER,
    model: names.models.has(model) ? model : OTHER,
  };
}
