import type { Gauge } from 'prom-client';
import type { Logger } from '../logger.ts';
import type { CatalogSource } from './catalog.ts';
import { describeProblem, type ModelsFileOptions, openModelsFile } from './models-file.ts';

const MOST_LOGGED_PROBLEMS = 20;

/**
 * Opens the file of models for a service, which tells in its log and its metrics when the file was changed.
 *
 * @param broken 1 where a newer file is not in force
 * @throws ConfigError when the first file cannot be taken, with all of its problems
 */
export async function watchModels(
  options: Pick<ModelsFileOptions, 'path' | 'check' | 'lookEveryMs'>,
  { logger, broken }: { readonly logger: Logger; readonly broken: Gauge },
): Promise<CatalogSource> {
  const { path } = options;
  return openModelsFile({
    ...options,
    onBroken(problems) {
      broken.set(1);
      const shown = problems.slice(0, MOST_LOGGED_PROBLEMS).map((problem) => describeProblem(path, problem));
      logger.error(
        { problems: shown, inAll: problems.length },
        'the file of models was changed and is broken: the earlier one stays in force',
      );
    },
    onTaken({ models, upstreams, digest }) {
      broken.set(0);
      logger.info(
        { models: models.size, upstreams: upstreams.size, digest },
        'the file of models was changed and is in force',
      );
    },
  });
}
