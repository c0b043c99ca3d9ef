import type { CatalogSource, RouteConfig } from '@lontar/shared/models/catalog.ts';
import type { LanguageModel } from '../model/language-model.ts';
import type { OpenUpstreams } from './open-upstreams.ts';

/** Who is asked for a model, and for which of its own. */
export interface ChosenRoute {
  readonly route: RouteConfig;
  readonly language: LanguageModel;
}

/**
 * The first route of a model.
 *
 * @param model its public name
 * @returns undefined where the catalog in force has no such model
 */
export function firstRoute(
  deps: { readonly catalog: Pick<CatalogSource, 'current'>; readonly upstreams: Pick<OpenUpstreams, 'languageModel'> },
  model: string,
): ChosenRoute | undefined {
  const route = deps.catalog.current.models.get(model)?.routes[0];
  const language = route && deps.upstreams.languageModel(route.upstream);
  return language && { route, language };
}
