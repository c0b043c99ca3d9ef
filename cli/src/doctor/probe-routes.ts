import { ConfigError } from '@lontar/shared/config/read-config.ts';
import type { RouteConfig } from '@lontar/shared/models/catalog.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { tryRoute } from '@lontar/worker/try-route.ts';
import { readCatalog } from '../models/read-catalog.ts';
import type { Surroundings } from '../settings/environment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Calls are paid for: a file with thousands of routes is not asked through. */
const MOST_PROBED = 50;

/**
 * Asks each route a tiny question, one after the other, and says what came of it. It costs what so short answers cost.
 *
 * @throws what is no problem of the file or the settings
 */
export async function probeRoutes(surroundings: Surroundings): Promise<Finding[]> {
  try {
    const catalog = await readCatalog(surroundings, 'with secrets');
    const secretOf = secretsIn(surroundings.environment);
    // Several models may ask one upstream for the same.
    const routes = new Map<string, RouteConfig>();
    for (const { routes: all } of catalog.models.values()) {
      for (const route of all) routes.set(`route ${route.upstream}/${route.model}`, route);
    }
    const findings: Finding[] = [];
    for (const [name, route] of [...routes].slice(0, MOST_PROBED)) {
      const trial = await tryRoute(catalog, route, secretOf);
      if (trial.ok) findings.push(ok(name, `answered in ${trial.tookMs} ms`));
      else findings.push(failed(name, `${trial.error} after ${trial.tookMs} ms: ${trial.words ?? 'it said nothing'}`));
    }
    const left = routes.size - MOST_PROBED;
    if (left > 0) findings.push(warning('routes', `${left} more were not asked. See: lontar models test NAME`));
    return findings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.slice(0, 1).map((problem) => failed('routes', `They cannot be asked: ${problem}`));
  }
}
