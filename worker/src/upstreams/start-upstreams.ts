import type { Environment } from '@lontar/shared/config/read-config.ts';
import type { Lifecycle } from '@lontar/shared/lifecycle.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import { type CatalogSource, fixedSource } from '@lontar/shared/models/catalog.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { throttleLines } from '@lontar/shared/throttled-log.ts';
import type { WorkerConfig } from '../config.ts';
import { previewPrompt } from '../mask-answer.ts';
import { createMasker, type Masker } from '../masking/mask.ts';
import { maskOptionsOf } from './mask-options.ts';
import { type OpenUpstreams, openUpstreams } from './open-upstreams.ts';
import { secretsIn } from './secrets.ts';

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
export function startUpstreams(
  config: WorkerConfig,
  environment: Environment,
  { logger, metrics, lifecycle }: { logger: Logger; metrics: WorkerMetrics; lifecycle: Lifecycle },
): StartedUpstreams {
  const catalog = fixedSource(catalogOfVariables(config));
  const secretOf = secretsIn(environment);
  const masker = createMasker(maskOptionsOf(config, catalog.current, secretOf));
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
