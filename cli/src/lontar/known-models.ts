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
  if (known.includes(undefined)) {
    throw new CommandFailure(
      EXIT.usage,
      "error: option '--models <a,b>' names a model that there is not. All: lontar models list",
    );
  }
  return { ...options, models: [...new Set(known)] };
}
