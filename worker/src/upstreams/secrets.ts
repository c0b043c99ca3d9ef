import type { Environment } from '@lontar/shared/config/read-config.ts';
import { readVariable } from '@lontar/shared/config/read-variable.ts';
import type { SecretRef } from '@lontar/shared/models/catalog.ts';

/** The value of a secret; undefined where there is none, or where its file cannot be read. */
export type SecretOf = (ref: SecretRef) => string | undefined;

/** Reads secrets of the worker's environment when they are asked for: a file that is exchanged is read anew. */
export function secretsIn(environment: Environment): SecretOf {
  return ({ variable }) => {
    try {
      return readVariable(environment, variable);
    } catch {
      return undefined;
    }
  };
}
