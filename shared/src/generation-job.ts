import { z } from 'zod';
import { ENDPOINTS, PUBLIC_MODELS } from './endpoints.ts';
import { redisTimeSchema } from './redis-clock.ts';
import { REQUEST_ID_PATTERN } from './request-id.ts';
import { SWEEP_GRACE_MS } from './time-budget.ts';

/**
 * What a generation job carries, parsed on both sides of the queue. Jobs outlive deploys: new fields are optional,
 * `v` grows only when an old worker could not run the job.
 */
export const generationJobSchema = z.object({
  v: z.literal(1),
  /** Request id; also the job's id in BullMQ. */
  id: z.string().regex(REQUEST_ID_PATTERN),
  /** Which persona answers. */
  endpoint: z.enum(ENDPOINTS),
  prompt: z.string().min(1),
  model: z.enum(PUBLIC_MODELS),
  temperature: z.number(),
  /** Already cut to the key's own cap. */
  maxOutputTokens: z.number().int().positive(),
  /** Public part of the caller's key. */
  keyId: z.string(),
  /** Gateway instance that waits for the reply. */
  gateway: z.string(),
  /** When the gateway received the request. */
  receivedAt: redisTimeSchema,
  /** When the caller stops waiting. Expired work is dropped without calling the model. */
  deadlineAt: redisTimeSchema,
});

export type GenerationJob = z.infer<typeof generationJobSchema>;

/** A job on its way to admission, which cuts its output tokens to the key's own cap. */
export interface JobToAdmit {
  /** The job as JSON, up to the number of its output tokens. */
  readonly beginning: string;
  /** What the caller asked for. */
  readonly maxOutputTokens: number;
}

/** Writes a job so that a script can complete it: the number of its output tokens and the closing brace are left out. */
export function writeJobToAdmit({ maxOutputTokens, ...job }: GenerationJob): JobToAdmit {
  return { beginning: `${JSON.stringify(job).slice(0, -1)},"maxOutputTokens":`, maxOutputTokens };
}

/** The catalog entry of the only job there is: its name in the queue and how the queue treats it. */
export const GENERATION_JOB = {
  /** Queue name in BullMQ. */
  queue: 'generation',
  /** Job name; stable, because jobs outlive deploys. */
  name: 'generate',
  data: generationJobSchema,
  /** Model attempts at most, the first included. */
  attempts: 5,
  /** How many workers may die or go silent while they have the job in work; after that it is given up (a poison pill). */
  deathsAtMost: 3,
  /**
   * After so many it runs alone among its like, so that the third death names the one job that workers die of: those
   * that only were in the same worker go on.
   */
  aloneAfterDeaths: 2,
  /** How often the queue takes a job back whatever the reason: a last bound, for starts that never came to run. */
  maxStalledCount: 20,
  /** Full jitter: a random wait below `baseMs * 2^(attempt-1)`, at most `capMs`. */
  backoff: { baseMs: 250, capMs: 8_000 },
  /** How long a settled result stays in Redis, ms. */
  resultTtlMs: 10 * 60_000,
  /** How long after its deadline an unsettled reservation is given back by the sweeper, ms. */
  sweepGraceMs: SWEEP_GRACE_MS,
} as const;
