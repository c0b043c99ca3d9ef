import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '@lontar/shared/config/read-config.ts';

/** The name of the file of models in the project's folder, where it is found without being named. */
export const MODELS_FILE_NAME = 'models.yaml';
const MOST_BYTES = 1_048_576;

/** Where the file of models is: the one that `MODELS_FILE` names, or the one beside `.env`; undefined for none. */
export function findModelsFile(environment: Environment, folder: string): string | undefined {
  const named = environment['MODELS_FILE'];
  if (named) return isAbsolute(named) ? named : join(folder, named);
  const beside = join(folder, MODELS_FILE_NAME);
  return existsSync(beside) ? beside : undefined;
}

/** The names of variables that a file of models reads, and those of their files; none where it cannot be read. */
export function variablesOf(modelsFile: string | undefined): string[] {
  const text = modelsFile === undefined ? '' : readSmallFile(modelsFile);
  const names = new Set(Array.from(text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}/g), ([, name = '']) => name));
  return [...names].flatMap((name) => [name, `${name}_FILE`]);
}

function readSmallFile(path: string): string {
  try {
    const { size } = statSync(path);
    return size > MOST_BYTES ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
