import { readFileSync } from 'node:fs';
import type { Environment } from './read-config.ts';

/**
 * A variable that is named by a file of the operator's: its value, or what the file holds that `<NAME>_FILE` names.
 *
 * @returns undefined where it is not set or empty
 * @throws the system's error when the file cannot be read
 */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`] || undefined;
  if (value !== undefined || file === undefined) return value;
  return readFileSync(file, 'utf8').trim() || undefined;
}
