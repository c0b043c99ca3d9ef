import { z } from 'zod';
import { type ModelCatalog, PROVIDERS } from './catalog.ts';

/** Models and upstreams that are shown: what operators look at must not grow with a file of thousands. */
const MOST_MODELS = 500;
const MOST_UPSTREAMS = 200;

const whole = z.int().nonnegative();

const upstreamView = z.object({
  name: z.string(),
  provider: z.enum(PROVIDERS),
  context: whole.optional(),
  maxInFlight: whole.optional(),
  requestsPerMinute: whole.optional(),
  tokensPerMinute: whole.optional(),
});

const modelView = z.object({
  name: z.string(),
  aliases: z.array(z.string()),
  routes: z.array(z.object({ upstream: z.string(), model: z.string(), weight: z.number(), order: z.int() })),
  deadlines: z.object({ connectMs: whole, firstTokenMs: whole, idleMs: whole, totalMs: whole }),
  price: z.object({ input: z.number(), cachedInput: z.number().optional(), output: z.number() }).optional(),
  hedgeAfter: z.enum(['p95']).optional(),
});

export const catalogViewSchema = z.object({
  source: z.enum(['file', 'variables']),
  upstreams: z.array(upstreamView),
  models: z.array(modelView),
  modelsLeftOut: whole,
});

/**
 * A catalog as operators see it, without hosts and names of secrets. Workers publish it under its digest, because
 * stats-service does not read the file.
 */
export type CatalogView = z.infer<typeof catalogViewSchema>;

export function viewOfCatalog({ source, upstreams, models }: ModelCatalog): CatalogView {
  // Parsing takes out what the view does not have.
  return catalogViewSchema.parse({
    source,
    upstreams: [...upstreams.values()].slice(0, MOST_UPSTREAMS),
    models: [...models.values()].slice(0, MOST_MODELS),
    modelsLeftOut: Math.max(0, models.size - MOST_MODELS),
  });
}
