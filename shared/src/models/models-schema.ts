import { z } from 'zod';
import { PROVIDERS } from './catalog.ts';
import { MODEL_NAME } from './model-name.ts';

/** The form of `models.yaml`, before what it says together is checked. */

const UPSTREAM_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}$/;
const MOST_UPSTREAMS = 1_000;
const MOST_MODELS = 10_000;
const HOUR_MS = 3_600_000;

const count = (most: number) => {
  const rule = `must be a whole number from 1 to ${most}`;
  return z.int(rule).min(1, rule).max(most, rule);
};

function unitOf(text: string): number {
  if (text.endsWith('ms')) return 1;
  return text.endsWith('s') ? 1_000 : 60_000;
}

const durationRule = 'must be a time such as 500ms, 20s or 2m, at most 60m';
const duration = z
  .string(durationRule)
  .regex(/^[0-9]{1,7}(\.[0-9]{1,3})?(ms|s|m)$/, durationRule)
  .transform((text) => Math.round(Number.parseFloat(text) * unitOf(text)))
  .refine((ms) => ms >= 1 && ms <= HOUR_MS, durationRule);

const priceRule = 'must be USD per million tokens, a number from 0 to 1000000';
const usd = z.number(priceRule).min(0, priceRule).max(1_000_000, priceRule);

const urlRule = 'must be an http:// or https:// URL without user, password and #';
const baseUrl = z
  .string(urlRule)
  .max(2_048, urlRule)
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password && url.hash === '';
  }, urlRule);

/** A key in the file itself would be in backups, editors and version control. */
const keyRule = `must name a variable of the worker, such as \${BACKUP_KEY}; set that (or BACKUP_KEY_FILE) to the key`;
const secret = z
  .string(keyRule)
  .regex(VARIABLE, keyRule)
  .transform((text) => VARIABLE.exec(text)?.[1] ?? '');

const upstreamSchema = z
  .strictObject({
    provider: z.enum(PROVIDERS, 'must be gemini, openai, anthropic or demo'),
    base_url: baseUrl.optional(),
    api_key: secret.optional(),
    context: count(1_000_000_000).optional(),
    stream: z.enum(['auto', 'always', 'never'], 'must be auto, always or never').default('auto'),
    max_in_flight: count(1_000_000).optional(),
    requests_per_minute: count(1_000_000_000).optional(),
    tokens_per_minute: count(1_000_000_000_000).optional(),
  })
  .meta({ description: 'A server that runs models, or an account there.' });

const modelRule = "must be the upstream's name of a model: 1 to 256 characters without spaces";
const weightRule = 'must be a number above 0 and at most 1000';
const orderRule = 'must be a whole number from 1 to 16; lower ones are asked first';
const routeSchema = z.strictObject({
  upstream: z.string('must name one of the upstreams'),
  model: z.string(modelRule).regex(/^[\x21-\x7e]{1,256}$/, modelRule),
  weight: z.number(weightRule).positive(weightRule).max(1_000, weightRule).default(1),
  order: z.int(orderRule).min(1, orderRule).max(16, orderRule).default(1),
});

const nameRule = 'must have 1 to 128 letters, digits and . _ : / @ + - and begin with a letter or digit';
const modelSchema = z
  .strictObject({
    aliases: z
      .array(z.string(nameRule).regex(MODEL_NAME, nameRule), 'must be a list of names')
      .max(100, 'may have at most 100 names')
      .default([]),
    routes: z
      .array(routeSchema, 'must be a list of routes')
      .min(1, 'must have a route at least')
      .max(16, 'may have at most 16 routes'),
    deadlines: z
      .strictObject({
        connect: duration.optional(),
        first_token: duration.optional(),
        idle: duration.optional(),
        total: duration.optional(),
      })
      .default({}),
    price: z.strictObject({ input: usd, cached_input: usd.optional(), output: usd }).optional(),
    hedge_after: z.enum(['p95'], 'must be p95').optional(),
  })
  .meta({ description: 'A model as callers know it.' });

const hasAtMost = (most: number) => (map: object) => Object.keys(map).length <= most;

/** The whole file. */
export const modelsFileSchema = z.strictObject({
  upstreams: z
    .record(
      z
        .string()
        .regex(
          UPSTREAM_NAME,
          'a name must have 1 to 63 small letters, digits and . _ - and begin with a letter or digit',
        ),
      upstreamSchema,
      'must be upstreams by name',
    )
    .refine(hasAtMost(MOST_UPSTREAMS), `may have at most ${MOST_UPSTREAMS} upstreams`),
  models: z
    .record(z.string().regex(MODEL_NAME, `a name ${nameRule}`), modelSchema, 'must be models by name')
    .refine(hasAtMost(MOST_MODELS), `may have at most ${MOST_MODELS} models`),
});

export type ModelsFile = z.infer<typeof modelsFileSchema>;
