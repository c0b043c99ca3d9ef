import { z } from 'zod';
import { toolCallSchema } from '../chat-request.ts';
import { GENERATION_FAILURES, type GenerationFailure } from '../errors.ts';
import { failureCauseSchema } from '../failure-cause.ts';
import { modelNameSchema } from '../models/model-name.ts';
import { redisTimeSchema } from '../redis-clock.ts';
import { readerOf } from '../shape-check.ts';
import { type ReadJson, splitText, withLiteral } from './text-literal.ts';

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

/** Tokens of one answer as the upstream counted them; where it did not say, `isEstimated`, or 0. */
const tokenUsageSchema = z.object({
  input: z.number().int(),
  output: z.number().int(),
  isEstimated: z.boolean().optional(),
  /** Of `input`, what the upstream had in its cache, and of `output`, what the model thought; absent where it did not say. */
  cachedInput: z.number().int().optional(),
  reasoning: z.number().int().optional(),
});
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** Why a model ended its answer. */
export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** Which upstream was asked last, and its name of the model: for the operator's row, never for the caller. */
const routeSchema = z.string().max(400).optional().catch(undefined);

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
  /**
   * Masked beginning of the answer for the operator's log, where the caller's key shows the caller more than the log may
   * hold; else the log takes it from the text.
   */
  answerPreview: z.string().optional(),
});

const answeredSchema = z.object({
  v: z.literal(1),
  outcome: z.literal('answered'),
  /** Empty only for the OpenAI protocol, whose answers may be tool calls, or all reasoning. */
  text: z.string(),
  /** Whether the text is what the model says in place of an answer that it refuses; versions that do not know take it for one. */
  isRefusal: z.literal(true).optional().catch(undefined),
  /** What the model thought aloud before the text. */
  reasoning: z.string().optional(),
  toolCalls: z.array(toolCallSchema).optional(),
  /** Why the model ended; `stop` where absent. */
  finishReason: z.enum(FINISH_REASONS).optional(),
  /**
   * In the reply to a gateway that has streamed the answer, the text is left out, and this is its length in UTF-16 units:
   * what the gateway has missed it finds in the stored result.
   */
  textLength: z.number().int().optional(),
  /** The same of the reasoning. */
  reasoningLength: z.number().int().optional(),
  masked: maskCountsSchema,
  usage: tokenUsageSchema,
  work: workSchema,
  route: routeSchema,
  /** Of the job, for callers who ask for the answer once more. */
  model: modelNameSchema.optional().catch(undefined),
  receivedAt: redisTimeSchema.optional(),
});

const failedSchema = z.object({
  v: z.literal(1),
  outcome: z.literal('failed'),
  error: z.enum(GENERATION_FAILURES),
  /** Whether the key paid; absent until the request is settled. */
  charged: z.boolean().optional(),
  /** What was used of an answer that came to no end; absent where the model had said nothing yet. */
  usage: tokenUsageSchema.optional(),
  work: workSchema.optional(),
  route: routeSchema,
  /** When an upstream can be asked again, seconds from the settlement on. */
  retryAfterSeconds: z.number().int().positive().optional().catch(undefined),
  /** Which field of the caller's the upstream has refused, in OpenAI's names, where it has said so. */
  param: z.string().max(40).optional().catch(undefined),
  /** Why the model call failed: for the operator's row, never for the caller. */
  cause: failureCauseSchema.optional().catch(undefined),
});

/**
 * The form in Redis. Settlements outlive deploys: `error` is one of the codes that every version knows, and a later one
 * stands in `detail` beside the earlier code that comes nearest. A code that this version does not know is an internal error.
 */
export const storedSettlementSchema = z.discriminatedUnion('outcome', [
  answeredSchema,
  failedSchema.extend({
    error: failedSchema.shape.error.catch('internal_error'),
    detail: failedSchema.shape.error.optional().catch(undefined),
  }),
]);

const readStored = readerOf(storedSettlementSchema);

/**
 * The one outcome of an admitted request. It is stored as the result, sent to the gateway's inbox, and reported to the
 * statistics. Its text is masked as the caller may have it; what else is kept of it is masked fully. Unmasked text never
 * leaves the worker's memory.
 */
export type Settlement = z.infer<typeof answeredSchema> | z.infer<typeof failedSchema>;
export type Answered = Extract<Settlement, { outcome: 'answered' }>;
export type Failed = Extract<Settlement, { outcome: 'failed' }>;

/** The stored form of a settlement, JSON. */
export function writeSettlement(settlement: Settlement): string {
  const earlier = settlement.outcome === 'failed' ? EARLIER_CODES[settlement.error] : undefined;
  if (settlement.outcome === 'answered' || earlier === undefined) return JSON.stringify(settlement);
  return JSON.stringify({ ...settlement, error: earlier, detail: settlement.error });
}

/** What a version that does not know a code has in its place. */
const EARLIER_CODES: Partial<Record<GenerationFailure, GenerationFailure>> = {
  output_used_up: 'upstream_error',
  context_exceeded: 'upstream_error',
  request_refused: 'upstream_error',
  stream_broken: 'upstream_error',
};

/**
 * Reads the stored form. Who only hands on the text of an answer takes it by `textAsJson`: of what came as bytes it is decoded
 * when it is first looked at.
 *
 * @param json of a long one its bytes, which are then kept for as long as the settlement is
 * @returns `undefined` where it is none that this version can read
 */
export function parseSettlement(json: ReadJson): Settlement | undefined {
  const split = splitText(json);
  const withoutText = split && readStored(parseJson(split.rest));
  const answered = split && withoutText?.outcome === 'answered' ? withLiteral(withoutText, split.literal) : undefined;
  if (answered) return answered;
  const stored = readStored(parseJson(json.toString()));
  if (stored === undefined || stored.outcome === 'answered') return stored;
  const { detail, ...settlement } = stored;
  return detail === undefined ? settlement : { ...settlement, error: detail };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
