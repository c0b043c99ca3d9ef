import { ConfigError } from '../config/read-config.ts';
import { PUBLIC_MODELS, type PublicModel } from '../endpoints.ts';
import { createCatalog, type Deadlines, type ModelCatalog, type ProviderName, type UpstreamConfig } from './catalog.ts';

/** The settings that say who answers where there is no file of models. */
export interface ModelVariables {
  readonly MODEL_PROVIDER: 'auto' | ProviderName;
  readonly MODEL_MAP?: Readonly<Partial<Record<PublicModel, string>>> | undefined;
  readonly MODEL_TIMEOUT_MS: number;
  readonly GEMINI_API_KEY?: string | undefined;
  readonly GEMINI_BASE_URL: string;
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly OPENAI_API_KEY?: string | undefined;
  readonly OPENAI_STREAM: UpstreamConfig['stream'];
}

const GEMINI_NAMES: Record<PublicModel, string> = {
  'ai-2.5-flash': 'gemini-2.5-flash',
  'ai-2.5-pro': 'gemini-2.5-pro',
};

/** Connecting takes milliseconds or does not work; the rest of an attempt's time is better spent on another one. */
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The catalog that the variables make: one upstream, named like its provider, and one route for each public model.
 *
 * Where `MODEL_MAP` has no entry, Gemini gets the model of the same number, and every other server the public
 * name itself: a server of the operator's own can then serve its model under that name (`--served-model-name`).
 *
 * @throws ConfigError when the provider lacks what it needs
 */
export function catalogOfVariables(variables: ModelVariables): ModelCatalog {
  const problems = problemsOfVariables(variables);
  if (problems.length > 0) throw new ConfigError(problems);
  const upstream = upstreamOf(providerOf(variables), variables);
  const defaults = upstream.provider === 'gemini' ? GEMINI_NAMES : undefined;
  const deadlines = deadlinesOf(variables.MODEL_TIMEOUT_MS);
  const models = PUBLIC_MODELS.map((name) => {
    const model = variables.MODEL_MAP?.[name] ?? defaults?.[name] ?? name;
    return { name, aliases: [], routes: [{ upstream: upstream.name, model, weight: 1, order: 1 }], deadlines };
  });
  return createCatalog('variables', [upstream], models);
}

/** What a process knows of the models that has no upstreams to know of: the names that there are always. */
export function namesOfVariables(): ModelCatalog {
  const deadlines = deadlinesOf(CONNECT_TIMEOUT_MS);
  return createCatalog(
    'variables',
    [],
    PUBLIC_MODELS.map((name) => ({ name, aliases: [], routes: [], deadlines })),
  );
}

/** Who answers. */
export function providerOf(
  variables: Pick<ModelVariables, 'MODEL_PROVIDER' | 'GEMINI_API_KEY' | 'OPENAI_BASE_URL'>,
): ProviderName {
  if (variables.MODEL_PROVIDER !== 'auto') return variables.MODEL_PROVIDER;
  if (variables.GEMINI_API_KEY) return 'gemini';
  return variables.OPENAI_BASE_URL ? 'openai' : 'demo';
}

/** Problems that would otherwise show as a failure of every single request. */
export function problemsOfVariables(variables: ModelVariables): string[] {
  const provider = providerOf(variables);
  const problems: string[] = [];
  if (provider === 'gemini' && !variables.GEMINI_API_KEY) {
    problems.push('GEMINI_API_KEY is not set, and MODEL_PROVIDER=gemini needs it: set it, or MODEL_PROVIDER=demo.');
  }
  if (provider === 'openai' && !variables.OPENAI_BASE_URL) {
    problems.push(
      'OPENAI_BASE_URL is not set, and MODEL_PROVIDER=openai needs it. Example: OPENAI_BASE_URL=http://127.0.0.1:11434/v1',
    );
  }
  for (const name of ['GEMINI_API_KEY', 'OPENAI_API_KEY'] as const) {
    if (!isHeaderValue(variables[name] ?? '')) {
      problems.push(
        `${name} holds a space, a line break or another character that no HTTP header takes: paste it again.`,
      );
    }
  }
  for (const name of ['GEMINI_BASE_URL', 'OPENAI_BASE_URL'] as const) {
    const url = variables[name] ? new URL(variables[name]) : undefined;
    if (url && (url.username || url.password)) {
      problems.push(`${name} holds a user or a password: take them out and set the key in its own variable.`);
    }
  }
  return problems;
}

/** Whether a key can be sent in a header. */
export function isHeaderValue(key: string): boolean {
  return /^[\x21-\x7e]*$/.test(key);
}

function upstreamOf(provider: ProviderName, variables: ModelVariables): UpstreamConfig {
  if (provider === 'gemini') {
    return {
      name: provider,
      provider,
      baseUrl: variables.GEMINI_BASE_URL,
      apiKey: { variable: 'GEMINI_API_KEY' },
      stream: 'auto',
    };
  }
  if (provider === 'demo') return { name: provider, provider, stream: 'auto' };
  return {
    name: provider,
    provider,
    ...(variables.OPENAI_BASE_URL !== undefined && { baseUrl: variables.OPENAI_BASE_URL }),
    ...(variables.OPENAI_API_KEY && { apiKey: { variable: 'OPENAI_API_KEY' } }),
    stream: variables.OPENAI_STREAM,
  };
}

/** One attempt has `MODEL_TIMEOUT_MS` in all, whatever it waits for. */
function deadlinesOf(timeoutMs: number): Deadlines {
  return {
    connectMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    firstTokenMs: timeoutMs,
    idleMs: timeoutMs,
    totalMs: timeoutMs,
  };
}
