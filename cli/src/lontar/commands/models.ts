import type { ModelCatalog, ModelConfig } from '@lontar/shared/models/catalog.ts';
import type { Command } from 'commander';
import { readCatalog } from '../../models/read-catalog.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

/**
 * `lontar models …`: looks at the models and upstreams that the services would read now.
 *
 * @throws nothing itself; the commands reject with ConfigError where the file of models, or a setting, is wrong
 */
export function addModelsCommand(program: Command, context: CommandContext): void {
  const models = program.command('models').description('look at the models and who answers for them');
  models
    .command('list')
    .description('all models with their aliases and routes')
    .action(async () => {
      const catalog = await readCatalog(context.surroundings, 'names alone');
      print(context, [...catalog.models.values()], tableOf(catalog));
    });
  models
    .command('check')
    .description('read the file of models as the services do, and say all that is wrong with it')
    .action(async () => {
      const { models: all, upstreams, digest } = await readCatalog(context.surroundings, 'with secrets');
      const path = context.surroundings.environment['MODELS_FILE'];
      const where = path ? `${path} is good` : 'There is no file of models; the settings are good';
      const found = { models: all.size, upstreams: upstreams.size, digest };
      const text = `${where}: ${all.size} models over ${upstreams.size} upstreams, digest ${digest}.`;
      print(context, { ok: true, file: path ?? null, ...found }, text);
    });
}

function tableOf({ models }: ModelCatalog): string {
  const rows = [...models.values()].map((model) => [model.name, model.aliases.join(', ') || '–', routesOf(model)]);
  return alignColumns([['MODEL', 'ALIASES', 'ROUTES'], ...rows]);
}

function routesOf({ routes }: ModelConfig): string {
  const orders = [...new Set(routes.map(({ order }) => order))].toSorted((a, b) => a - b);
  return orders.map((order) => routesOfOrder(routes.filter((route) => route.order === order))).join(', then ') || '–';
}

function routesOfOrder(routes: ModelConfig['routes']): string {
  const share = (weight: number) => (routes.length > 1 ? ` ×${weight}` : '');
  return routes.map(({ upstream, model, weight }) => `${upstream}: ${model}${share(weight)}`).join(' | ');
}
