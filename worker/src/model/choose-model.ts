import { ConfigError } from '@lontar/shared/config/read-config.ts';
import { PUBLIC_MODELS, type PublicModel } from '@lontar/shared/endpoints.ts';
import type { WorkerConfig } from '../config.ts';
import { demoModel } from './demo-model.ts';
import { geminiModel } from './gemini-model.ts';
import type { LanguageModel } from './language-model.ts';
import { openAiModel } from './openai-model.ts';
import type { ModelReports, UpstreamLimits } from './upstream-limits.ts';

export interface ChosenModel {
  readonly model: LanguageModel;
  /** Maps a public model to the upstream's name. */
  readonly upstreamName: (model: PublicModel) => string;
  /** One sentence for the operator: which model answers. */
  readonly notice: string;
  /** Configured secrets that must never appear in an answer. */
  readonly knownValues: readonly string[];
  /** Configured hosts that must never appear in an answer. */
  readonly hosts: readonly string[];
}

const GEMINI_NAMES: Record<PublicModel, string> = {
  'ai-2.5-flash': 'gemini-2.5-flash',
  'ai-2.5-pro': 'gemini-2.5-pro',
};

/** Connecting takes milliseconds or does not work; the rest of an attempt's time is better spent on another one. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Chooses who answers, as `MODEL_PROVIDER` says. Opens no connection.
 *
 * Where `MODEL_MAP` has no entry, Gemini gets the model of the same number, and every other server the public
 * name itself: a server of the operator's own can then serve its model under that name (`--served-model-name`).
 *
 * @param reports what is told of its upstream
 * @throws ConfigError when the provider lacks what it needs
 */
export function chooseModel(config: WorkerConfig, reports: ModelReports = {}): ChosenModel {
  const provider = providerOf(config);
  checkSettings(provider, config);
  const defaults = provider === 'gemini' ? GEMINI_NAMES : undefined;
  const upstreamName = (model: PublicModel) => config.MODEL_MAP?.[model] ?? defaults?.[model] ?? model;
  return {
    model: buildModel(provider, config, reports),
    upstreamName,
    notice: noticeOf(provider, PUBLIC_MODELS.map((name) => `${name} is ${upstreamName(name)}`).join(', ')),
    knownValues: [config.GEMINI_API_KEY, config.OPENAI_API_KEY].flatMap((key) => (key ? [key] : [])),
    hosts: [config.GEMINI_BASE_URL, config.OPENAI_BASE_URL].flatMap((url) => (url ? [hostOf(url)] : [])),
  };
}

type Provider = LanguageModel['provider'];

function providerOf(config: WorkerConfig): Provider {
  if (config.MODEL_PROVIDER !== 'auto') return config.MODEL_PROVIDER;
  if (config.GEMINI_API_KEY) return 'gemini';
  return config.OPENAI_BASE_URL ? 'openai' : 'demo';
}

function buildModel(provider: Provider, config: WorkerConfig, reports: ModelReports): LanguageModel {
  const limits: UpstreamLimits = {
    timeoutMs: config.MODEL_TIMEOUT_MS,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, config.MODEL_TIMEOUT_MS),
    maxAnswerBytes: config.MAX_ANSWER_BYTES,
    ...reports,
  };
  if (provider === 'gemini') {
    return geminiModel({ ...limits, apiKey: config.GEMINI_API_KEY ?? '', baseUrl: config.GEMINI_BASE_URL });
  }
  if (provider === 'openai') {
    return openAiModel({
      ...limits,
      apiKey: config.OPENAI_API_KEY,
      baseUrl: config.OPENAI_BASE_URL ?? '',
      stream: config.OPENAI_STREAM,
    });
  }
  return demoModel();
}

/** Problems that would otherwise show as a failure of every single request. */
function checkSettings(provider: Provider, config: WorkerConfig): void {
  const problems: string[] = [];
  if (provider === 'gemini' && !config.GEMINI_API_KEY) {
    problems.push('GEMINI_API_KEY is not set, and MODEL_PROVIDER=gemini needs it: set it, or MODEL_PROVIDER=demo.');
  }
  if (provider === 'openai' && !config.OPENAI_BASE_URL) {
    problems.push(
      'OPENAI_BASE_URL is not set, and MODEL_PROVIDER=openai needs it. Example: OPENAI_BASE_URL=http://127.0.0.1:11434/v1',
    );
  }
  for (const name of ['GEMINI_API_KEY', 'OPENAI_API_KEY'] as const) {
    if (!/^[\x21-\x7e]*$/.test(config[name] ?? '')) {
      problems.push(
        `${name} holds a space, a line break or another character that no HTTP header takes: paste it again.`,
      );
    }
  }
  for (const name of ['GEMINI_BASE_URL', 'OPENAI_BASE_URL'] as const) {
    const url = config[name] ? new URL(config[name]) : undefined;
    if (url && (url.username || url.password)) {
      problems.push(`${name} holds a user or a password: take them out and set the key in its own variable.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

function noticeOf(provider: Provider, names: string): string {
  if (provider === 'gemini') return `Gemini answers (${names}).`;
  if (provider === 'openai') return `The server at OPENAI_BASE_URL answers (${names}; MODEL_MAP changes that).`;
  return 'The built-in demo model answers, with made-up text: set GEMINI_API_KEY or OPENAI_BASE_URL for a real one.';
}

/** A name of one label ("localhost") is a word that answers may well use; with its port it is an address. */
function hostOf(text: string): string {
  const url = new URL(text);
  return /[.:]/.test(url.hostname) ? url.hostname : url.host;
}
