import { z } from 'zod';
import { type ChatRequest, chatRequestSchema, textOf } from './chat-request.ts';
import { CHAT_ENDPOINT, ENDPOINTS, type Endpoint } from './endpoints.ts';
import { modelNameSchema } from './models/model-name.ts';
import { redisTimeSchema } from './redis-clock.ts';
import { REQUEST_ID_PATTERN } from './request-id.ts';
import { MASK_TYPES } from './settlement/settlement.ts';
import { SWEEP_GRACE_MS } from './time-budget.ts';

/** What a job carries of its key where that says something else than usual; written by admission (key-terms.lua). */
const jobPolicySchema = z.object({
  /** The types that are masked in the answer; all where absent. */
  mask: z.array(z.enum(MASK_TYPES)).min(1).optional(),
  /** Whether values that the caller sent stay as they are in the answer; else they are masked. */
  keepOwn: z.boolean().optional(),
  /** Whether the job goes on when its caller has left; else it is given up. */
  onDisconnect: z.enum(['abort', 'finish']).optional(),
});

export type JobPolicy = z.infer<typeof jobPolicySchema>;

/** What every job carries, whatever is asked. */
const commonFields = {
  /** Request id; also the job's id in BullMQ. */
  id: z.string().regex(REQUEST_ID_PATTERN),
  /** The public name; which there are is the catalog's to say. */
  model: modelNameSchema,
  /** Already cut to the key's own cap. */
  maxOutputTokens: z.number().int().positive(),
  /** The caller did not ask for so many: where the upstream finds them too many, it may be asked for fewer. */
  isDefaultOutput: z.boolean().optional(),
  /** Whether the gateway wants the masked answer as it grows, see live/frames.ts. */
  stream: z.boolean().optional(),
  /** Public part of the caller's key. */
  keyId: z.string(),
  /** Gateway instance that waits for the reply. */
  gateway: z.string(),
  /** When the gateway received the request. */
  receivedAt: redisTimeSchema,
  /** When the caller stops waiting. Expired work is dropped without calling the model. */
  deadlineAt: redisTimeSchema,
  policy: jobPolicySchema.optional(),
};

/** Asked of one of the three endpoints with a persona. Every version can run it. */
const promptJobSchema = z.object({
  ...commonFields,
  v: z.literal(1),
  /** Which persona answers. */
  endpoint: z.enum(ENDPOINTS),
  prompt: z.string().min(1),
  temperature: z.number(),
});

/** Asked over the OpenAI protocol: the messages are the caller's own, and no persona is added. */
const chatJobSchema = z.object({
  ...commonFields,
  v: z.literal(2),
  endpoint: z.literal(CHAT_ENDPOINT),
  chat: chatRequestSchema,
});

/**
 * What a generation job carries, parsed on both sides of the queue. Jobs outlive deploys: new fields are optional,
 * `v` grows only when an old worker could not run the job; it then gives the job up, and says so.
 */
export const generationJobSchema = z.discriminatedUnion('v', [promptJobSchema, chatJobSchema]);

export type PromptJob = z.infer<typeof promptJobSchema>;
export type ChatJob = z.infer<typeof chatJobSchema>;
export type GenerationJob = PromptJob | ChatJob;

/**
 * What the model is asked for a job: the one form behind both protocols.
 *
 * @param personaOf the persona of each endpoint that has one; empty for none
 */
export function chatOf(job: GenerationJob, personaOf: Readonly<Record<Endpoint, string>>): ChatRequest {
  if (job.v === 2) return job.chat;
  const persona = personaOf[job.endpoint];
  const system = persona === '' ? [] : [{ role: 'system' as const, content: persona }];
  return { messages: [...system, { role: 'user', content: job.prompt }], temperature: job.temperature };
}

/** All that the caller of a job wrote, as one text. */
export function askedText(job: GenerationJob): string {
  return job.v === 2 ? textOf(job.chat) : job.prompt;
}

/** A job on its way to admission, which cuts its output tokens to the key's own cap and adds the key's policy. */
export interface JobToAdmit {
  /** The job as JSON, up to the number of its output tokens, behind which admission writes the key's policy. */
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
