import { showHidden } from '@lontar/shared/hidden-characters.ts';
import type { ModelCatalog, ModelConfig } from '@lontar/shared/models/catalog.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { tryRoute } from '@lontar/worker/try-route.ts';
import type { Command } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { initModels } from '../../models/init-models.ts';
import { readCatalog } from '../../models/read-catalog.ts';
import { tryRoutes } from '../../models/try-routes.ts';
import { findUnlistedRoutes } from '../../models/unlisted-routes.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

/**
 * `lontar models …`: looks at the models and upstreams that the services would read now, tries them, and writes a first file.
 *
 * @throws nothing itself; the commands reject with ConfigError where the file of models, or a setting, is wrong, and with
 *   CommandFailure
 */
export function addModelsCommand(program: Command, context: CommandContext): void {
  const models = program.command('models').description('show, check and test the models and their routes');
  models
    .command('init')
    .description('write a commented models file for the upstreams that are found here')
    .action(() => init(context));
  models
    .command('list')
    .description('all models with their aliases and routes')
    .action(async () => {
      const catalog = await readCatalog(context.surroundings, 'names alone');
      print(context, [...catalog.models.values()], tableOf(catalog));
    });
  models
    .command('check')
    .description(
      'read the models file as the services do, list all its errors, and compare it with what upstreams list',
    )
    .action(() => check(context));
  models
    .command('test')
    .description('make one tiny call over each route of a model, or of all; your upstream charges for it')
    .argument('[NAME]', 'a name or alias')
    .action((name: string | undefined) => testRoutes(context, name));
}

async function init(context: CommandContext): Promise<void> {
  const { path, found } = await initModels(context.surroundings);
  const names = found.map(({ upstream }) => upstream.name);
  const from = names.length === 0 ? 'the demo model alone: no upstream was found' : names.join(', ');
  print(context, { file: path, upstreams: names }, `Wrote ${path}, with ${from}.`);
}

async function check(context: CommandContext): Promise<void> {
  const catalog = await readCatalog(context.surroundings, 'with secrets');
  const { models: all, upstreams, digest } = catalog;
  const unlisted = await findUnlistedRoutes(catalog, secretsIn(context.surroundings.environment));
  const path = context.surroundings.environment['MODELS_FILE'];
  const where = path ? `${path} is good` : 'There is no file of models; the settings are good';
  const found = { models: all.size, upstreams: upstreams.size, digest };
  const text = `${where}: ${all.size} models over ${upstreams.size} upstreams, digest ${digest}.`;
  const warnings = unlisted.map(
    ({ model, upstream, asks }) => `WARNING: ${upstream} does not list ${asks}, which ${model} asks it for.`,
  );
  print(context, { ok: true, file: path ?? null, ...found, unlisted }, [text, ...warnings].join('\n'));
}

async function testRoutes(context: CommandContext, name: string | undefined): Promise<void> {
  const catalog = await readCatalog(context.surroundings, 'with secrets');
  const secretOf = secretsIn(context.surroundings.environment);
  const known = name === undefined ? undefined : catalog.resolve(name);
  if (name !== undefined && known === undefined) {
    throw new CommandFailure(EXIT.notFound, `There is no model ${showHidden(name)} here. All: lontar models list`);
  }
  const models = [...catalog.models.values()].filter((model) => known === undefined || model.name === known);
  const { tried: trials, left } = await tryRoutes(models, (route) => tryRoute(catalog, route, secretOf));
  const rows = trials.map((trial) => [
    trial.model,
    `${trial.upstream}: ${trial.asks}`,
    `${trial.tookMs} ms`,
    ...(trial.ok ? ['ok', `${trial.inputTokens} + ${trial.outputTokens} tokens`] : [trial.error, trial.words ?? '']),
  ]);
  print(context, trials, alignColumns([['MODEL', 'ROUTE', 'TIME', 'RESULT', ''], ...rows]));
  if (left > 0) {
    throw new CommandFailure(EXIT.failed, `Five minutes are over, and ${left} routes were not tried: name one model.`);
  }
  const failed = trials.filter(({ ok }) => !ok).length;
  if (failed > 0) throw new CommandFailure(EXIT.failed, `${failed} of ${trials.length} routes did not answer.`);
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
