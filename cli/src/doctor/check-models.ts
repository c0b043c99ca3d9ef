import { ConfigError } from '@lontar/shared/config/read-config.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { readCatalog } from '../models/read-catalog.ts';
import type { Surroundings } from '../settings/environment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const CHECK = 'models file';
const MOST_SHOWN = 20;

/**
 * What the file of models says, where there is one; without Redis. What is wrong with it is a finding.
 *
 * @throws what is no problem of the file or the settings
 */
export async function checkModelsFile(surroundings: Surroundings): Promise<Finding[]> {
  if (!surroundings.environment['MODELS_FILE']) return [];
  try {
    const { models, upstreams, digest } = await readCatalog(surroundings, 'with secrets');
    return [ok(CHECK, `${models.size} models over ${upstreams.size} upstreams, digest ${digest}`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.slice(0, MOST_SHOWN).map((problem) => failed(CHECK, problem));
  }
}

/**
 * Whether all gateways and workers go by the same file of models, and by its newest form.
 *
 * @throws when Redis fails
 */
export async function checkModelsInForce(redis: Redis): Promise<Finding[]> {
  const instances = await listInstances(redis);
  const inForce = instances.flatMap(({ id, models }) => (models === undefined ? [] : [{ id, ...models }]));
  const files = inForce.filter(({ source }) => source === 'file');
  if (files.length === 0) return [];
  const broken = files.filter((instance) => instance.broken).map(({ id }) => id);
  const digests = new Set(files.map(({ digest }) => digest));
  const findings: Finding[] = [];
  if (broken.length > 0) {
    const words = `The newest file has errors, and the version before it is in use, at ${broken.join(', ')}`;
    findings.push(failed('models in force', `${words}. See: lontar models check`));
  }
  if (files.length < inForce.length) {
    const without = inForce.filter(({ source }) => source !== 'file').map(({ id }) => id);
    findings.push(failed('models in force', `MODELS_FILE is not set at ${without.join(', ')}, and is at others.`));
  }
  if (digests.size > 1 && broken.length === 0) {
    const detail =
      'Processes use different versions of the models file. A change takes effect within seconds: run this again.';
    findings.push(warning('models in force', detail));
  }
  return findings.length > 0 ? findings : [ok('models in force', `one file everywhere, digest ${[...digests].join()}`)];
}
