import type { Environment } from '../config/read-config.ts';
import { readVariable } from '../config/read-variable.ts';
import type { CatalogProblem, SecretRef } from './catalog.ts';
import { isHeaderValue } from './catalog-of-variables.ts';
import type { ReadModels } from './read-models.ts';

/** The value of a secret; undefined where there is none, or where its file cannot be read. */
export type SecretOf = (ref: SecretRef) => string | undefined;

/** Reads secrets of a worker's environment when they are asked for: a file that is exchanged is read anew. */
export function secretsIn(environment: Environment): SecretOf {
  return ({ variable }) => {
    try {
      return readVariable(environment, variable);
    } catch {
      return undefined;
    }
  };
}

/** Keys of a file of models that are missing, or could not be sent. */
export function secretProblems({ upstreams, secretPlaces }: ReadModels, secretOf: SecretOf): CatalogProblem[] {
  return upstreams.flatMap(({ name, apiKey }) => {
    const place = secretPlaces[name];
    if (apiKey === undefined || place === undefined) return [];
    const { variable } = apiKey;
    const secret = secretOf(apiKey);
    if (secret === undefined) {
      const message = `${variable} is not set for the worker, nor ${variable}_FILE to a file that it can read`;
      return [{ ...place, message }];
    }
    if (isHeaderValue(secret)) return [];
    const message = `${variable} holds a space, a line break or another character that no HTTP header takes`;
    return [{ ...place, message }];
  });
}
