import { type Environment, readConfig } from '@lontar/shared/config/read-config.ts';
import { readVariable } from '@lontar/shared/config/read-variable.ts';
import type { ProviderName } from '@lontar/shared/models/catalog.ts';
import { launcherSettings } from '../settings/launcher-settings.ts';

/** An upstream that may stand in a file of models. */
export interface FoundUpstream {
  /** What the file calls it. */
  readonly name: string;
  readonly provider: ProviderName;
  /** Where it was found, in words: a variable, or a server of this machine. */
  readonly foundBy: string;
  /** Absent for the provider's own. */
  readonly baseUrl?: string;
  /** The variable that holds its key. */
  readonly variable?: string;
  readonly models: readonly string[];
}

type Candidate = Omit<FoundUpstream, 'models'> & { readonly listUrl: string; readonly headers: Record<string, string> };

/** Nobody waits but the operator, to whom a list that is missing looks like an upstream that is away, ms. */
export const LIST_WITHIN_MS = 5_000;

const GEMINI_URL = 'https://generativelanguage.googleapis.com/v1beta';
const ANTHROPIC_URL = 'https://api.anthropic.com/v1';

/** The upstreams that variables name and that list their models, in the order in which they are taken. Never rejects. */
export async function findNamedUpstreams(environment: Environment): Promise<FoundUpstream[]> {
  return list(namedCandidates(environment));
}

/**
 * Servers of models that answer on the ports of this machine that such servers usually have, or that are set.
 *
 * @throws ConfigError when the setting of ports is wrong
 */
export async function findLocalServers(environment: Environment): Promise<FoundUpstream[]> {
  const { MODEL_SERVER_PORTS } = readConfig(launcherSettings, environment);
  return list(
    LOCAL.map(([name, foundBy], index) => openAi(name, `http://127.0.0.1:${MODEL_SERVER_PORTS[index]}/v1`, foundBy)),
  );
}

/** In the order of their ports in the setting. */
const LOCAL = [
  ['ollama', 'an Ollama server'],
  ['vllm', 'a server such as vLLM'],
  ['llama-cpp', 'a server such as llama.cpp'],
] as const;

function namedCandidates(environment: Environment): Candidate[] {
  const keyOf = (variable: string) => secretIn(environment, variable);
  const { OPENAI_BASE_URL, OLLAMA_HOST, GEMINI_BASE_URL, ANTHROPIC_BASE_URL } = environment;
  const candidates: Candidate[] = [];
  const gemini = keyOf('GEMINI_API_KEY');
  if (gemini !== undefined) {
    const baseUrl = GEMINI_BASE_URL || GEMINI_URL;
    candidates.push({
      name: 'gemini',
      provider: 'gemini',
      foundBy: 'GEMINI_API_KEY',
      variable: 'GEMINI_API_KEY',
      ...(baseUrl !== GEMINI_URL && { baseUrl }),
      listUrl: `${baseUrl}/models?pageSize=1000`,
      headers: { 'x-goog-api-key': gemini },
    });
  }
  const anthropic = keyOf('ANTHROPIC_API_KEY');
  if (anthropic !== undefined) {
    const baseUrl = ANTHROPIC_BASE_URL || ANTHROPIC_URL;
    candidates.push({
      name: 'claude',
      provider: 'anthropic',
      foundBy: 'ANTHROPIC_API_KEY',
      variable: 'ANTHROPIC_API_KEY',
      ...(baseUrl !== ANTHROPIC_URL && { baseUrl }),
      listUrl: `${baseUrl}/models?limit=1000`,
      headers: { 'x-api-key': anthropic, 'anthropic-version': '2023-06-01' },
    });
  }
  if (OPENAI_BASE_URL && URL.canParse(OPENAI_BASE_URL)) {
    candidates.unshift(openAi('openai', OPENAI_BASE_URL, 'OPENAI_BASE_URL', keyOf('OPENAI_API_KEY')));
  }
  const ollama = OLLAMA_HOST ? ollamaUrl(OLLAMA_HOST) : undefined;
  if (ollama !== undefined) candidates.push(openAi('ollama', ollama, 'OLLAMA_HOST'));
  return candidates;
}

function openAi(name: string, baseUrl: string, foundBy: string, key?: string): Candidate {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`;
  return {
    name,
    provider: 'openai',
    foundBy,
    baseUrl,
    listUrl: url.href,
    ...(key !== undefined && { variable: 'OPENAI_API_KEY' }),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  };
}

/** As Ollama reads it: a host, with or without scheme and port; one that listens on all addresses is on this machine. */
function ollamaUrl(host: string): string | undefined {
  const text = /^https?:\/\//i.test(host) ? host : `http://${host}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username || url.password) return undefined;
  const port = url.port || (/:\d+$/.test(host) || url.protocol === 'https:' ? '' : '11434');
  const name = url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname;
  return `${url.protocol}//${name}${port && `:${port}`}/v1`;
}

function secretIn(environment: Environment, variable: string): string | undefined {
  try {
    const secret = readVariable(environment, variable);
    return secret !== undefined && /^[\x21-\x7e]+$/.test(secret) ? secret : undefined;
  } catch {
    return undefined;
  }
}

async function list(candidates: readonly Candidate[]): Promise<FoundUpstream[]> {
  if (candidates.length === 0) return [];
  // With the HTTP client that it needs it takes as long to load as the rest of a launcher, which most often asks nobody.
  const { createModelList } = await import('@lontar/worker/list-models.ts');
  const found = await Promise.all(
    candidates.map(async ({ listUrl, headers, ...upstream }) => {
      const listed = await createModelList({
        url: listUrl,
        headers,
        redact: (name) => name,
        timeoutMs: LIST_WITHIN_MS,
      })();
      const models = listed.kind === 'names' ? listed.names.filter(isForText) : [];
      return models.length === 0 ? [] : [{ ...upstream, models }];
    }),
  );
  return found.flat();
}

/** Lists have models for other things than text; of some the name says so. */
function isForText(name: string): boolean {
  return !NOT_FOR_TEXT.test(name);
}

const NOT_FOR_TEXT =
  /embed|whisper|\btts\b|dall-e|moderation|rerank|image|imagen|audio|realtime|transcribe|search|\bveo\b|\baqa\b|vision-only|guard/i;
