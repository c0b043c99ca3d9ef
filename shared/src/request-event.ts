import { z } from 'zod';
import { ENDPOINTS, PUBLIC_MODELS } from './endpoints.ts';
import { ERROR_CODES } from './errors.ts';

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
 * One answered request under `/api/`, as the gateway tells it to the statistics. Text in it is masked; the address is
 * the canonical one that limits are counted by.
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
  error: z.enum(ERROR_CODES).optional(),
  /** From receipt to answer, whole ms; the same number as `metadata.response_time`. */
  responseMs: z.number().int(),
  address: z.string(),
  /** Public part of the key; only where the key was valid. */
  keyId: z.string().optional(),
  /** Below: generation requests that reached a worker. */
  generation: z
    .object({
      endpoint: z.enum(ENDPOINTS),
      model: z.enum(PUBLIC_MODELS).optional(),
      masked: z.object({ url: z.number(), key: z.number(), ip: z.number(), connection: z.number() }).optional(),
      usage: z.object({ input: z.number(), output: z.number() }).optional(),
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

/** Answers that a generation endpoint gave, whatever their status, count as generation requests. */
export function isGenerationRoute(route: string): route is (typeof ENDPOINTS)[number] {
  return (ENDPOINTS as readonly string[]).includes(route);
}
