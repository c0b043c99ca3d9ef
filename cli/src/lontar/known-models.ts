import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { readCatalog } from '../models/read-catalog.ts';
import type { CommandContext } from './command-context.ts';
import type { KeyOptions } from './key-options.ts';

/**
 * The options of a key with models by their public names, where aliases were given.
 *
 * @throws CommandFailure when there is no such model; ConfigError when the file of models cannot be read
 */
export async function withKnownModels<Options extends KeyOptions>(
  { surroundings }: Pick<CommandContext, 'surroundings'>,
  options: Options,
): Promise<Options> {
  const { models } = options;
  if (!Array.isArray(models)) return options;
  const catalog = await readCatalog(surroundings, 'names alone');
  const known = models.map((name: string) => catalog.resolve(name));
  const unknown = models.filter((_, index) => known[index] === undefined).map(showHidden);
  if (unknown.length > 0) {
    const are = unknown.length === 1 ? 'is no model' : 'are no models';
    throw new CommandFailure(
      EXIT.usage,
      `error: option '--models <a,b>': ${unknown.join(', ')} ${are} here. All: lontar models list`,
    );
  }
  return { ...options, models: [...new Set(known)] };
}
