import type { Environment } from '@lontar/shared/config/read-config.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import { type CatalogSource, fixedSource } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import type { ReadModels } from '@lontar/shared/models/read-models.ts';
import { type SecretOf, secretProblems, secretsIn } from '@lontar/shared/models/secrets.ts';
import { watchModels } from '@lontar/shared/models/watch-models.ts';
import { throttleLines } from '@lontar/shared/throttled-log.ts';
import type { WorkerConfig } from '../config.ts';
import { previewPrompt } from '../mask-answer.ts';
import type { Masker } from '../masking/mask.ts';
import { followSecrets } from './follow-secrets.ts';
import { followingMasker } from './following-masker.ts';
import { maskOptionsOf } from './mask-options.ts';
import { type OpenUpstreams, openUpstreams } from './open-upstreams.ts';

/** Who answers, and the masker that knows what of it must never be given away. */
export interface StartedUpstreams {
  readonly catalog: CatalogSource;
  readonly upstreams: OpenUpstreams;
  readonly masker: Masker;
}

/**
 * Reads which models there are and opens their upstreams.
 *
 * @throws ConfigError when the model lacks its settings, or a file breaks a rule
 */
export async function startUpstreams(
  config: WorkerConfig,
  environment: Environment,
  { logger, metrics, lifecycle }: { logger: Logger; metrics: WorkerMetrics; lifecycle: Lifecycle },
): Promise<StartedUpstreams> {
  const secretOf = secretsIn(environment);
  const catalog = followSecrets(await openCatalog(config, secretOf, { logger, metrics }), secretOf);
  lifecycle.started('models file', () => catalog.stop());
  const masker = followingMasker(catalog, (current) => maskOptionsOf(config, current, secretOf));
  const upstreamLines = throttleLines(logger);
  const upstreams = openUpstreams(
    catalog,
    { timeoutMs: config.MODEL_TIMEOUT_MS, maxAnswerBytes: config.MAX_ANSWER_BYTES, secretOf },
    {
      redact: (words) => previewPrompt(masker, words),
      onFailure: (failure) => upstreamLines.warn({ ...failure }, 'a call of the upstream failed'),
      onRepeat: (reason) => metrics.repeats.inc({ reason }),
    },
  );
  lifecycle.started('model', () => upstreams.close());
  return { catalog, upstreams, masker };
}

function openCatalog(
  config: WorkerConfig,
  secretOf: SecretOf,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: WorkerMetrics },
): Promise<CatalogSource> {
  const { MODELS_FILE: path } = config;
  if (path === undefined) return Promise.resolve(fixedSource(catalogOfVariables(config)));
  const check = (file: ReadModels) => secretProblems(file, secretOf);
  return watchModels({ path, check }, { logger, broken: metrics.modelsFileBroken });
}
