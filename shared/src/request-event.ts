import { z } from 'zod';
import { GENERATION_ENDPOINTS } from './endpoints.ts';
import { ERROR_CODES } from './errors.ts';
import { failureCauseSchema } from './failure-cause.ts';
import type { RawJson } from './json-bytes.ts';
import { modelNameSchema } from './models/model-name.ts';
import { FINISH_REASONS } from './settlement/settlement.ts';

/** How a request ended, as the metrics and the log name it. */
export const OUTCOMES = [
  'success',
  'client_error',
  'unauthorized',
  'rate_limited',
  'blocked',
  'content_blocked',
  'timeout',
  'shed',
  'server_error',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * One answered request under `/api/`, or one whose caller left and paid (`isAnswer`), as the gateway reports it to the
 * statistics. Text in it is masked; the address is the canonical one that limits are counted by.
 */
export const requestEventSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  /** When it was answered, Unix ms. */
  at: z.number().int(),
  /** Route template: a generation endpoint, another known path, or `other`. */
  route: z.string(),
  method: z.string(),
  status: z.number().int(),
  outcome: z.enum(OUTCOMES),
  /** One that a later version has is left out: the event counts all the same. */
  error: z.enum(ERROR_CODES).optional().catch(undefined),
  /** What the caller of a failed request was told, without what it quotes of the request. */
  message: z.string().max(500).optional().catch(undefined),
  /** From receipt to answer, whole ms; the same number as `metadata.response_time`. */
  responseMs: z.number().int(),
  address: z.string(),
  /** Public part of the key; only where the key was valid. */
  keyId: z.string().optional(),
  /** Below: generation requests that reached a worker. */
  generation: z
    .object({
      endpoint: z.enum(GENERATION_ENDPOINTS),
      /** Whether the key paid for it. */
      charged: z.boolean().optional(),
      model: modelNameSchema.optional(),
      masked: z.object({ url: z.number(), key: z.number(), ip: z.number(), connection: z.number() }).optional(),
      /** `isEstimated` where the upstream did not say, as of a caller who left in the middle. */
      /** Why the answer ended; only where there was one. */
      finishReason: z.enum(FINISH_REASONS).optional().catch(undefined),
      usage: z.object({ input: z.number(), output: z.number(), isEstimated: z.boolean().optional() }).optional(),
      /** Why the model call failed, for the operator alone. */
      cause: failureCauseSchema.optional().catch(undefined),
      /** The upstream that was asked last, and its name of the model. */
      route: z.string().max(400).optional().catch(undefined),
      attempts: z.number().int().optional(),
      queuedMs: z.number().optional(),
      modelMs: z.number().optional(),
      maskMs: z.number().optional(),
      promptPreview: z.string().optional(),
      answerPreview: z.string().optional(),
    })
    .optional(),
});

export type RequestEvent = z.infer<typeof requestEventSchema>;
type GenerationEvent = NonNullable<RequestEvent['generation']>;

/** An event before it is written: the beginning of its answer may be JSON already. */
export type ReportedEvent = Omit<RequestEvent, 'generation'> & { generation?: ReportedGeneration | undefined };
export type ReportedGeneration = Omit<GenerationEvent, 'answerPreview'> & {
  answerPreview?: string | RawJson | undefined;
};

/**
 * Whether the event stands for an answer. One of a caller who left and paid is shown in the log, and counted nowhere:
 * it has had no answer.
 */
export function isAnswer({ error, generation }: Pick<RequestEvent, 'error' | 'generation'>): boolean {
  return error !== 'client_closed' || generation === undefined;
}

/** Masked texts of one request; in the stream beside its event, so that they can be left out. */
export const eventTextsSchema = z.object({ prompt: z.string().optional(), answer: z.string().optional() });
export type EventTexts = z.infer<typeof eventTextsSchema>;

/**
 * Whether a request got no further than the door: no worker had it, and a caller who sends many of the kind must not
 * fill logs with them. All are counted; there is one event per address, reason and second. Answers about the service
 * itself are such too, because no limit counts those of health.
 */
export function isThinned({ route, status, generation }: ReportedEvent): boolean {
  if (generation !== undefined) return false;
  return status >= 400 || !WORK_ROUTES.has(route);
}

/** Paths under which a success has done something. */
const WORK_ROUTES: ReadonlySet<string> = new Set([...GENERATION_ENDPOINTS, '/api/upload', '/api/code']);

/** What refused requests have in common in the log, beside their address and second. */
export function reasonOf({ error, outcome, status }: Pick<RequestEvent, 'error' | 'outcome' | 'status'>): string {
  return error ?? `${outcome} ${status}`;
}

/** Answers that a generation endpoint gave, whatever their status, count as generation requests. */
export function isGenerationRoute(route: string): route is (typeof GENERATION_ENDPOINTS)[number] {
  return (GENERATION_ENDPOINTS as readonly string[]).includes(route);
}
