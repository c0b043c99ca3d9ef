import type { ModelConfig, RouteConfig } from '@lontar/shared/models/catalog.ts';
import type { RouteTrial } from '@lontar/worker/try-route.ts';

/** A file may have thousands of routes, and each that hangs takes half a minute: no further one is tried after this, ms. */
const OVER_AFTER_MS = 300_000;

/** What came of one route of a model. */
export type RouteResult = { readonly model: string; readonly upstream: string; readonly asks: string } & RouteTrial;

/**
 * Tries the routes of models one after the other: together they might meet the limits that each of them keeps.
 *
 * @param tryOne must not reject
 * @param now monotonic, ms
 * @returns what came of those that were tried within the time, and how many were left
 */
export async function tryRoutes(
  models: readonly ModelConfig[],
  tryOne: (route: RouteConfig) => Promise<RouteTrial>,
  now: () => number = () => performance.now(),
): Promise<{ readonly tried: readonly RouteResult[]; readonly left: number }> {
  const routes = models.flatMap(({ name, routes }) => routes.map((route) => ({ name, route })));
  const begun = now();
  const tried: RouteResult[] = [];
  for (const { name, route } of routes) {
    if (now() - begun >= OVER_AFTER_MS) break;
    tried.push({ model: name, upstream: route.upstream, asks: route.model, ...(await tryOne(route)) });
  }
  return { tried, left: routes.length - tried.length };
}
