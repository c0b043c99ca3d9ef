import { ConfigError } from '@lontar/shared/config/read-config.ts';
import { createCatalog, type ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables, namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { describeProblem, readModelsFile } from '@lontar/shared/models/models-file.ts';
import { secretProblems, secretsIn } from '@lontar/shared/models/secrets.ts';
import { checkSettings } from '../settings/check-settings.ts';
import type { Surroundings } from '../settings/environment.ts';

/** What of the worker's environment must be there besides the file: all that it names, or nothing. */
type Needs = 'with secrets' | 'names alone';

/**
 * The catalog of models as the services would read it now.
 *
 * @throws ConfigError with all problems of the file, or of the settings where there is none
 */
export async function readCatalog(
  { environment }: Pick<Surroundings, 'environment'>,
  needs: Needs,
): Promise<ModelCatalog> {
  const { MODELS_FILE: path } = environment;
  if (!path) return needs === 'names alone' ? namesOfVariables() : catalogOfVariables(checkSettings(environment));
  const secretOf = secretsIn(environment);
  const reading = await readModelsFile({
    path,
    ...(needs === 'with secrets' && { check: (file) => secretProblems(file, secretOf) }),
  });
  if (!reading.ok) throw new ConfigError(reading.problems.map((problem) => describeProblem(path, problem)));
  return createCatalog('file', reading.file.upstreams, reading.file.models);
}
