import { join } from 'node:path';
import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { type ChosenModels, chooseModels } from '../models/choose-models.ts';
import { type FoundUpstream, findLocalServers, findNamedUpstreams } from '../models/find-upstreams.ts';
import { writeModelsFile } from '../models/init-models.ts';
import type { Surroundings } from '../settings/environment.ts';
import { MODELS_FILE_NAME } from '../settings/models-file.ts';

/** Asks the operator at the terminal; gives what was typed. */
export type Ask = (question: string) => Promise<string>;

/** Settings by which the operator has chosen already. */
const CHOICES = ['MODELS_FILE', 'MODEL_PROVIDER', 'MODEL_MAP'] as const;

/** Variables that name an upstream which only a file of models can use: without one the demo model would answer. */
const FILE_ONLY = ['ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY_FILE', 'OLLAMA_HOST'] as const;

/**
 * At the first start: writes a file of models for what is found, so that a model answers without a further setting. An
 * upstream that a variable names, or a server of this machine whose use the operator agrees to, is asked for its
 * models, and both public names are mapped to fitting ones: those that the operator takes, else the first that fit.
 * A later start does so for what variables alone cannot use (`FILE_ONLY`), and asks nothing. Where nothing is found,
 * nothing can be listed or written, or the operator has chosen already, nothing changes.
 *
 * @param isFirst whether the service was never started from this home
 * @param ask absent where there is no terminal
 * @returns the surroundings with the file
 * @throws what asking throws
 */
export async function firstModels(
  surroundings: Surroundings,
  {
    isFirst,
    say,
    ask,
  }: { readonly isFirst: boolean; readonly say: (text: string) => void; readonly ask?: Ask | undefined },
): Promise<Surroundings> {
  const { environment, folder } = surroundings;
  if (CHOICES.some((name) => environment[name])) return surroundings;
  const needsFile = isNamed(environment) ? undefined : FILE_ONLY.find((name) => environment[name]);
  if (!isFirst && needsFile === undefined) return surroundings;
  const upstream = await findUpstream(surroundings, isFirst ? ask : undefined);
  if (upstream === undefined) {
    if (needsFile !== undefined) say(unlisted(needsFile));
    return surroundings;
  }
  const chosen = await choose(upstream, isFirst ? ask : undefined);
  const path = join(folder, MODELS_FILE_NAME);
  try {
    writeModelsFile(path, [{ upstream, chosen }]);
  } catch (error) {
    say(`No ${MODELS_FILE_NAME} was written: ${error instanceof Error ? error.message : String(error)}`);
    return surroundings;
  }
  const names = PUBLIC_MODELS.map((name) => `${name} is ${chosen[name]}`).join(', ');
  say(`Found ${describe(upstream)}: ${names}. Written to ${path}; edit it, also while the service runs.`);
  return { ...surroundings, environment: { ...environment, MODELS_FILE: path }, found: new Set(['MODELS_FILE']) };
}

function unlisted(variable: string): string {
  const how = 'Is it right, and can this machine reach the upstream? Mend it and start again, or write models.yaml';
  return `${variable} is set, but its upstream listed no models, so the demo model answers. ${how} (docs/models.md).`;
}

async function findUpstream({ environment }: Surroundings, ask: Ask | undefined): Promise<FoundUpstream | undefined> {
  const [named] = await findNamedUpstreams(environment);
  // What was named and lists nothing is left to the variables, which say what is wrong with it.
  if (named !== undefined || ask === undefined || isNamed(environment)) return named;
  for (const server of await findLocalServers(environment)) {
    const answer = await ask(`${describe(server)} answers at ${server.baseUrl}. Use it? [Y/n] `);
    if (['', 'y', 'yes'].includes(answer.trim().toLowerCase())) return server;
  }
  return undefined;
}

function isNamed(environment: Surroundings['environment']): boolean {
  return ['OPENAI_BASE_URL', 'GEMINI_API_KEY', 'GEMINI_API_KEY_FILE'].some((name) => environment[name]);
}

async function choose(upstream: FoundUpstream, ask: Ask | undefined): Promise<ChosenModels> {
  const fitting = chooseModels(upstream);
  if (ask === undefined || upstream.models.length === 1) return fitting;
  const chosen: Record<string, string> = { ...fitting };
  for (const name of PUBLIC_MODELS) {
    const typed = (await ask(`Which model answers as ${name}? [${fitting[name]}] `)).trim();
    // A name that is not in its list is taken: lists are not always whole. What is no name is a slip of the hand.
    if (/^[\x21-\x7e]{1,256}$/.test(typed)) chosen[name] = typed;
  }
  return chosen as ChosenModels;
}

function describe({ foundBy, models }: FoundUpstream): string {
  return `${foundBy} (${models.length === 1 ? '1 model' : `${models.length} models`})`;
}
