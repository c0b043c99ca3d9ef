import type { ModelCatalog } from '@lontar/shared/models/catalog.ts';
import type { SecretOf } from '@lontar/shared/models/secrets.ts';
import { partsOfAddress } from '@lontar/shared/primary/redis-address.ts';
import type { WorkerConfig } from '../config.ts';
import { readMaskRules } from '../mask-rules-file.ts';
import type { MaskOptions } from '../masking/compile-rules.ts';

/**
 * What the service itself must never give away, whatever the model says, and what the operator's file adds.
 *
 * @throws ConfigError when the file breaks a rule
 */
export function maskOptionsOf(config: WorkerConfig, catalog: ModelCatalog, secretOf: SecretOf): MaskOptions {
  const { secrets, hosts } = neverGivenAway(catalog, config, secretOf);
  const redis = partsOfAddress(config.REDIS_URL);
  const own = readMaskRules(config.MASK_RULES_FILE);
  // A name of one label, such as `redis`, is a word of the trade; addresses are masked anyway.
  const redisHosts = redis.hosts.filter((host) => host.includes('.') && /[a-z]$/i.test(host));
  return {
    knownValues: [...secrets, ...redis.passwords].filter((value) => value !== ''),
    maskHosts: [...hosts, ...redisHosts, ...config.MASK_HOSTS, ...own.maskHosts],
    allowHosts: [...config.MASK_ALLOW_HOSTS, ...own.allowHosts],
    shapes: own.shapes,
    keep: own.keep,
  };
}

/** Configured secrets and hosts that must never appear in an answer, those of upstreams included that do not answer. */
function neverGivenAway(
  catalog: ModelCatalog,
  config: Pick<WorkerConfig, 'GEMINI_API_KEY' | 'OPENAI_API_KEY' | 'GEMINI_BASE_URL' | 'OPENAI_BASE_URL'>,
  secretOf: SecretOf,
): { readonly secrets: readonly string[]; readonly hosts: readonly string[] } {
  const upstreams = [...catalog.upstreams.values()];
  const secrets = [
    config.GEMINI_API_KEY,
    config.OPENAI_API_KEY,
    ...upstreams.map(({ apiKey }) => apiKey && secretOf(apiKey)),
  ];
  const urls = [config.GEMINI_BASE_URL, config.OPENAI_BASE_URL, ...upstreams.map(({ baseUrl }) => baseUrl)];
  return {
    secrets: [...new Set(secrets.flatMap((secret) => (secret ? [secret] : [])))],
    hosts: [...new Set(urls.flatMap((url) => (url ? [hostOf(url)] : [])))],
  };
}

/** A name of one label ("localhost") is a word that answers may well use; with its port it is an address. */
function hostOf(text: string): string {
  const url = new URL(text);
  return /[.:]/.test(url.hostname) ? url.hostname : url.host;
}
