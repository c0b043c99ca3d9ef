import { z } from 'zod';
import type { SummedCalls } from '../models/call-report.ts';
import { PROVIDERS } from '../models/catalog.ts';
import { OUTCOME_CLASSES, type OutcomeClass } from '../models/upstream-state.ts';

/** What the admin API says of models, their routes and upstreams. No host and no secret is among it, for any role. */

const tally = z.int().nonnegative();
const time = z.iso.datetime();

const callsSchema = z.object(
  Object.fromEntries(OUTCOME_CLASSES.map((name) => [name, tally])) as Record<OutcomeClass, typeof tally>,
);

const latelySchema = z.object({
  calls: callsSchema.meta({ description: 'By what they say of the upstream.' }),
  errorShare: z.number().min(0).max(1).nullable().meta({
    description:
      'What failed, stalled or was unauthorized, of what was not limited or ended by us; `null` without any.',
  }),
  p50Ms: tally.nullable().meta({ description: 'Of calls that were answered, from begin to end; `null` without any.' }),
  p95Ms: tally.nullable(),
  firstTokenP50Ms: tally.nullable().meta({ description: '`null` where no answer was streamed.' }),
  firstTokenP95Ms: tally.nullable(),
}) satisfies z.ZodType<SummedCalls>;

const routeSchema = z.object({
  upstream: z.string().meta({ description: "The operator's name of it." }),
  model: z.string().meta({ description: "The upstream's name of the model." }),
  weight: z.number(),
  order: z.int(),
  up: z.boolean().meta({ description: "Whether the upstream's breaker is closed." }),
  lately: latelySchema.meta({ description: 'What came of calls of the last five minutes, of all workers.' }),
});

const modelSchema = z.object({
  name: z.string(),
  inCatalog: z.boolean().meta({ description: 'Whether callers can ask for it now, as far as workers say.' }),
  aliases: z.array(z.string()),
  requests: tally.meta({ description: 'Of the last 30 UTC days.' }),
  serverErrors: tally,
  timeouts: tally,
  routesUp: tally,
  deadlines: z.object({ connectMs: tally, firstTokenMs: tally, idleMs: tally, totalMs: tally }).nullable(),
  price: z
    .object({ input: z.number(), cachedInput: z.number().optional(), output: z.number() })
    .nullable()
    .meta({ description: 'USD per million tokens.' }),
  hedgeAfter: z.enum(['p95']).nullable(),
  routes: z.array(routeSchema),
});

export const upstreamSchema = z.object({
  name: z.string(),
  provider: z.enum(PROVIDERS),
  state: z.enum(['closed', 'open', 'half-open']).meta({
    description: 'Of its breaker: `open` until `openUntil`, then `half-open` while one call tries it.',
  }),
  reason: z.string().nullable().meta({ description: 'The kind of error that opened it.' }),
  openUntil: time.nullable(),
  leftAloneUntil: time.nullable().meta({ description: 'Until when it asked for no calls; `null` where that is over.' }),
  inFlight: tally.meta({ description: 'Calls of all workers.' }),
  placesUsed: tally.meta({ description: 'Counted where a limit binds.' }),
  maxInFlight: tally.nullable(),
  adaptiveLimit: tally.nullable().meta({ description: 'What it seems to bear at once; `null` for no limit.' }),
  requestsPerMinute: tally.nullable(),
  tokensPerMinute: tally.nullable(),
  context: tally.nullable(),
});
export type UpstreamView = z.infer<typeof upstreamSchema>;

const catalogSchema = z.object({
  source: z.enum(['file', 'variables']).meta({ description: 'With `variables`, breakers are shown and bind no call.' }),
  digest: z.string(),
  agreed: z.boolean().meta({ description: 'Whether all gateways and workers go by it.' }),
  broken: z.boolean().meta({ description: 'Whether a newer file is broken, so that the earlier one is in force.' }),
  modelsLeftOut: tally.meta({ description: 'Of a catalog of more than 500 models.' }),
});
export type CatalogSummary = z.infer<typeof catalogSchema>;

export const modelsSchema = z.object({
  catalog: catalogSchema.nullable().meta({ description: '`null` until a worker has reported its models.' }),
  models: z.array(modelSchema).meta({
    description: 'Those of the catalog, and others that were asked for in the last 30 UTC days.',
  }),
  upstreams: z.array(upstreamSchema),
  workers: z.array(
    z.object({
      id: z.string(),
      version: z.string(),
      inFlight: tally,
      slots: tally.optional(),
      draining: z.boolean(),
      failing: z.string().optional().meta({ description: 'Why it counts as failing.' }),
      provider: z.string().optional(),
      lastOutcome: z.enum(['none', 'ok', 'failed']).optional(),
    }),
  ),
  calls: z.object({
    total: tally,
    errors: tally,
    retries: tally,
    meanMs: tally.optional(),
  }),
});
export type ModelsView = z.infer<typeof modelsSchema>;
export type ModelView = z.infer<typeof modelSchema>;
