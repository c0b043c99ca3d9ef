import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { type CatalogSource, fixedSource } from '@lontar/shared/models/catalog.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { watchModels } from '@lontar/shared/models/watch-models.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { isAdminHere } from './admin-listener.ts';
import type { GatewayConfig } from './config.ts';
import { createKeyNames } from './events/key-names.ts';
import type { ReadingLimits } from './generation/generation-rules.ts';
import type { PublicLimits } from './reference/openapi.ts';

/**
 * Which models callers may ask for: those of the file, or those that there are always.
 *
 * @throws ConfigError when the file of models cannot be taken
 */
export async function openModels(
  { MODELS_FILE: path }: GatewayConfig,
  lifecycle: Lifecycle,
  { metrics, logger }: { readonly metrics: GatewayMetrics; readonly logger: Logger },
): Promise<CatalogSource> {
  if (path === undefined) return fixedSource(namesOfVariables());
  const models = await watchModels({ path }, { logger, broken: metrics.modelsFileBroken });
  lifecycle.started('models file', () => models.stop());
  return models;
}

/** What callers may ask for in a generation. */
function readingLimits(config: GatewayConfig, models: CatalogSource): ReadingLimits {
  return {
    models,
    maxPromptChars: config.MAX_PROMPT_CHARS,
    maxContextChars: config.MAX_CONTEXT_CHARS,
    maxOutputTokens: config.MAX_OUTPUT_TOKENS,
  };
}

export function generationSettings(config: GatewayConfig, models: CatalogSource) {
  return {
    reading: readingLimits(config, models),
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    freeFailuresPerHour: config.FREE_FAILURES_PER_HOUR,
  };
}

/** What callers are shown of the configuration. */
export function publicLimits(config: GatewayConfig, models: CatalogSource): PublicLimits {
  return {
    reading: readingLimits(config, models),
    maxFileBytes: config.MAX_FILE_BYTES,
    uploadsPerDay: config.UPLOADS_PER_DAY,
    downloadsPerHour: config.DOWNLOADS_PER_HOUR,
    perHour: config.RATE_LIMIT_PER_HOUR,
    utilityEndpoints: config.UTILITY_ENDPOINTS,
    hasAdminApi: isAdminHere(config),
  };
}

/** What is told of answers. */
export function concludingSettings(config: GatewayConfig, redis: Redis) {
  const keyNameOf = createKeyNames(redis);
  return { keyNameOf, logRequests: config.LOG_REQUESTS, mostOutputTokens: config.MAX_OUTPUT_TOKENS };
}
