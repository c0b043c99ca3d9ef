import { z } from 'zod';
import { GENERATION_FAILURES } from '../errors.ts';

/** The four kinds of sensitive data that are masked. */
export const MASK_TYPES = ['url', 'key', 'ip', 'connection'] as const;
export type MaskType = (typeof MASK_TYPES)[number];

/** How many values of each kind were masked in the answer. */
export type MaskCounts = Record<MaskType, number>;

const maskCountsSchema = z.object({
  url: z.number().int(),
  key: z.number().int(),
  ip: z.number().int(),
  connection: z.number().int(),
});

/** Tokens of one answer as the upstream counted them; 0 where it did not say. */
const tokenUsageSchema = z.object({ input: z.number().int(), output: z.number().int() });
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

const workSchema = z.object({
  /** Model attempts made. */
  attempts: z.number().int(),
  /** From receipt by the gateway to the first start by a worker, ms. */
  queuedMs: z.number().int(),
  /** Spent in model calls, ms. */
  modelMs: z.number().int(),
  /** Spent masking, ms with fractions. */
  maskMs: z.number(),
  /** Masked beginning of the prompt, for the operator's log; absent when `LOG_CONTENT=off`. */
  promptPreview: z.string().optional(),
});

const answeredSchema = z.object({
  v: z.literal(1),
  outcome: z.literal('answered'),
  text: z.string().min(1),
  masked: maskCountsSchema,
  usage: tokenUsageSchema,
  work: workSchema,
});

const failedSchema = z.object({
  v: z.literal(1),
  outcome: z.literal('failed'),
  error: z.enum(GENERATION_FAILURES),
  /** Whether the key paid; absent until the request is settled. */
  charged: z.boolean().optional(),
  work: workSchema.optional(),
});

/**
 * The form in Redis. Settlements outlive deploys: `error` is one of the codes that every version knows, and a later one
 * stands in `detail` beside the earlier code that comes nearest. A code that this version does not know is an internal error.
 */
const storedSchema = z.discriminatedUnion('outcome', [
  answeredSchema,
  failedSchema.extend({
    error: failedSchema.shape.error.catch('internal_error'),
    detail: failedSchema.shape.error.optional().catch(undefined),
  }),
]);

/**
 * The one outcome of an admitted request. It is stored as the result, sent to the gateway's inbox, and reported to the
 * statistics. Its text is masked: unmasked text never leaves the worker's memory.
 */
export type Settlement = z.infer<typeof answeredSchema> | z.infer<typeof failedSchema>;
export type Answered = Extract<Settlement, { outcome: 'answered' }>;
export type Failed = Extract<Settlement, { outcome: 'failed' }>;

/** The stored form of a settlement, JSON. */
export function writeSettlement(settlement: Settlement): string {
  if (settlement.outcome === 'answered' || settlement.error !== 'output_used_up') return JSON.stringify(settlement);
  return JSON.stringify({ ...settlement, error: 'upstream_error', detail: settlement.error });
}

/**
 * Reads the stored form.
 *
 * @returns `undefined` where it is none that this version can read
 */
export function parseSettlement(json: string): Settlement | undefined {
  const parsed = storedSchema.safeParse(parseJson(json));
  if (!parsed.success || parsed.data.outcome === 'answered') return parsed.data;
  const { detail, ...settlement } = parsed.data;
  return detail === undefined ? settlement : { ...settlement, error: detail };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
