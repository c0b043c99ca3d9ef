import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { writeNewFile } from '../files/new-file.ts';
import type { Surroundings } from '../settings/environment.ts';
import { MODELS_FILE_NAME } from '../settings/models-file.ts';
import { type ChosenModels, chooseModels } from './choose-models.ts';
import { type FoundUpstream, findLocalServers, findNamedUpstreams } from './find-upstreams.ts';
import { writeModels } from './write-models.ts';

/** Beside the sources, in the package as in a clone. */
const SCHEMA = fileURLToPath(new URL('../../../docs/models.schema.json', import.meta.url));
/** It holds no key; services run as other users may have to read it. */
const MODE = 0o644;

export interface ChosenUpstream {
  readonly upstream: FoundUpstream;
  readonly chosen: ChosenModels;
}

/**
 * Writes a file of models for all upstreams that variables name, or that answer on this machine.
 *
 * @throws CommandFailure when there is a file already; ConfigError when the setting of ports is wrong; the system's error when
 *   the file cannot be written
 */
export async function initModels(
  surroundings: Surroundings,
): Promise<{ readonly path: string; readonly found: readonly ChosenUpstream[] }> {
  const path = surroundings.environment['MODELS_FILE'] ?? join(surroundings.folder, MODELS_FILE_NAME);
  const named = await findNamedUpstreams(surroundings.environment);
  const upstreams = named.length > 0 ? named : await findLocalServers(surroundings.environment);
  const found = upstreams.map((upstream) => ({ upstream, chosen: chooseModels(upstream) }));
  writeModelsFile(path, found);
  return { path, found };
}

/**
 * Writes the file where there is none.
 *
 * @throws CommandFailure when there is one; the system's error when it cannot be written
 */
export function writeModelsFile(path: string, upstreams: readonly ChosenUpstream[]): void {
  try {
    writeNewFile(path, writeModels(upstreams, relative(dirname(resolve(path)), SCHEMA)), MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandFailure(EXIT.failed, `${path} is there already; move it away to write a new one.`);
  }
}
