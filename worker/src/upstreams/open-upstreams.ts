import { textOf } from '@lontar/shared/chat-request.ts';
import type { CatalogSource, ModelCatalog, UpstreamConfig } from '@lontar/shared/models/catalog.ts';
import { CONNECT_TIMEOUT_MS } from '@lontar/shared/models/catalog-of-variables.ts';
import type { SecretOf } from '@lontar/shared/models/secrets.ts';
import { anthropicModel } from '../model/anthropic-model.ts';
import { demoModel } from '../model/demo-model.ts';
import { geminiModel } from '../model/gemini-model.ts';
import type { LanguageModel, ModelRequest } from '../model/language-model.ts';
import { openAiModel } from '../model/openai-model.ts';
import { estimateTokens } from '../model/token-estimate.ts';
import type { ModelReports, UpstreamLimits } from '../model/upstream-limits.ts';
import { settingNamesOf } from './operator-words.ts';

/** A model behind each upstream of the catalog in force. */
export interface OpenUpstreams {
  /** Undefined where the catalog in force has no upstream of that name. */
  languageModel(upstreamName: string): LanguageModel | undefined;
  /** Closes all connections; attempts that still run end with a ModelError. */
  close(): Promise<void>;
}

export interface UpstreamSettings {
  /** How long one attempt may take, ms. */
  readonly timeoutMs: number;
  /** The largest answer that is read, bytes. */
  readonly maxAnswerBytes: number;
  readonly secretOf: SecretOf;
}

/**
 * Opens a model for each upstream, and follows the catalog: an upstream that did not change keeps its connections, and one
 * that is gone or has changed is closed when its last attempt has ended. Makes no connection before the first attempt.
 *
 * @param reports what is told of the upstreams
 */
export function openUpstreams(
  source: CatalogSource,
  settings: UpstreamSettings,
  reports: ModelReports = {},
): OpenUpstreams {
  const open = new Map<string, OpenUpstream>();
  const retired = new Set<OpenUpstream>();
  const retire = (upstream: OpenUpstream) => {
    retired.add(upstream);
    upstream.retire(() => retired.delete(upstream));
  };
  const follow = (catalog: ModelCatalog) => {
    for (const [name, upstream] of open) {
      const config = catalog.upstreams.get(name);
      if (config !== undefined && upstream.identity === identityOf(config, settings)) continue;
      open.delete(name);
      retire(upstream);
    }
    for (const [name, config] of catalog.upstreams) {
      if (!open.has(name))
        open.set(
          name,
          openUpstream(config, settings, { ...reports, settings: settingNamesOf(config, () => source.current) }),
        );
    }
  };
  follow(source.current);
  const unfollow = source.onChange(follow);
  return {
    languageModel: (name) => open.get(name)?.model,
    async close() {
      unfollow();
      await Promise.all([...open.values(), ...retired].map((upstream) => upstream.close()));
    },
  };
}

interface OpenUpstream {
  readonly identity: string;
  readonly model: LanguageModel;
  readonly close: () => Promise<void>;
  /** Closes once no attempt runs. */
  retire(onClosed: () => void): void;
}

/** Between being chosen and being asked an attempt is not counted yet; both happen in one turn or a few, ms. */
const CHOSEN_AND_NOT_ASKED_MS = 1_000;

type UpstreamReports = ModelReports & Pick<UpstreamLimits, 'settings'>;

function openUpstream(config: UpstreamConfig, settings: UpstreamSettings, reports: UpstreamReports): OpenUpstream {
  const model = buildModel(config, settings, reports);
  let inFlight = 0;
  let onIdle: (() => void) | undefined;
  const closeIfIdle = (onClosed: () => void) => {
    onIdle = inFlight > 0 ? () => closeIfIdle(onClosed) : undefined;
    if (inFlight === 0) void model.close().then(onClosed, onClosed);
  };
  return {
    identity: identityOf(config, settings),
    model: {
      provider: model.provider,
      close: () => model.close(),
      async generate(request, signal, onPart) {
        inFlight += 1;
        try {
          return await model.generate(withinContext(request, config.context), signal, onPart);
        } finally {
          inFlight -= 1;
          if (inFlight === 0) onIdle?.();
        }
      },
    },
    close: () => model.close(),
    retire: (onClosed) => void setTimeout(closeIfIdle, CHOSEN_AND_NOT_ASKED_MS, onClosed).unref(),
  };
}

/** An estimate may be wrong by so much, and messages have frames around them. */
const ESTIMATE_MARGIN = 1.25;

/** Our own token limit, not a caller's, is lowered to what the context leaves beside the request. */
function withinContext(request: ModelRequest, context: number | undefined): ModelRequest {
  if (context === undefined || request.isDefaultOutput !== true) return request;
  const asked = Math.ceil(estimateTokens(textOf(request.chat)) * ESTIMATE_MARGIN);
  const left = Math.max(1, context - asked);
  return left < request.maxOutputTokens ? { ...request, maxOutputTokens: left } : request;
}

/** What connections are made of: with the same, they can stay. A secret that was exchanged shows here, in memory alone. */
function identityOf(config: UpstreamConfig, { secretOf }: UpstreamSettings): string {
  const { provider, baseUrl, apiKey, stream, context } = config;
  return JSON.stringify([provider, baseUrl, apiKey && secretOf(apiKey), stream, context]);
}

function buildModel(config: UpstreamConfig, settings: UpstreamSettings, reports: UpstreamReports): LanguageModel {
  const { provider, baseUrl = '', apiKey, stream } = config;
  const limits: UpstreamLimits = {
    timeoutMs: settings.timeoutMs,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, settings.timeoutMs),
    maxAnswerBytes: settings.maxAnswerBytes,
    ...reports,
  };
  const key = apiKey && settings.secretOf(apiKey);
  switch (provider) {
    case 'gemini':
      return geminiModel({ ...limits, apiKey: key ?? '', baseUrl });
    case 'openai':
      return openAiModel({ ...limits, apiKey: key, baseUrl, stream });
    case 'anthropic':
      return anthropicModel({ ...limits, apiKey: key ?? '', baseUrl, stream });
    case 'demo':
      return demoModel();
  }
}
