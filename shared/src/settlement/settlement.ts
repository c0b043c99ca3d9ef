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
export const tokenUsageSchema = z.object({ input: z.number().int(), output: z.number().int() });
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

/**
 * The one outcome of an admitted request. It is stored as the result, sent to the gateway's inbox, and told to the
 * statistics. Its text is masked: unmasked text never leaves the worker's memory.
 */
export const settlementSchema = z.discriminatedUnion('outcome', [
  z.object({
    v: z.literal(1),
    outcome: z.literal('answered'),
    text: z.string().min(1),
    masked: maskCountsSchema,
    usage: tokenUsageSchema,
    work: workSchema,
  }),
  z.object({
    v: z.literal(1),
    outcome: z.literal('failed'),
    error: z.enum(GENERATION_FAILURES),
    work: workSchema.optional(),
  }),
]);

export type Settlement = z.infer<typeof settlementSchema>;
export type Answered = Extract<Settlement, { outcome: 'answered' }>;
export type WorkRecord = z.infer<typeof workSchema>;
