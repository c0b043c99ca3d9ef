import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import { z } from 'zod';
import { API_VERSION } from '../generation/answer-settlement.ts';
import { UPLOAD_ID_PATTERN, VISIBILITIES } from '../uploads/upload.ts';

/** Forms of the answers, as the API document describes them; the end-to-end client holds every answer against it. */

const REQUEST_ID = 'req_4Jx0vQd3mKZ8c1TnR7yWbA';
const UPLOAD_ID = 'file_7Gk2sVq9LzX4b6NfT0pYwE';
const TIME = '2026-01-31T08:15:30.123Z';

/** Labels besides the catalog's, of answers that the HTTP parser gives before a request has a route. */
const PARSER_LABELS: Readonly<Record<number, string>> = { 400: 'Bad Request' };

/** The success envelope around a result. */
export function envelope<Code extends number, Result extends z.ZodType>(code: Code, result: Result) {
  return z.object({
    status: z.literal(true),
    code: z.literal(code),
    message: z.literal('Sukses'),
    result,
  });
}

const tally = z.int().nonnegative();

/** Tokens of an answer; both protocols tell them alike. */
export const usageSchema = z.object({
  prompt_tokens: tally.meta({ examples: [12] }),
  completion_tokens: tally.meta({ examples: [48] }),
  total_tokens: tally.meta({ examples: [60] }),
  is_estimated: z.literal(true).optional().meta({ description: 'The upstream did not say.' }),
  prompt_tokens_details: z
    .object({ cached_tokens: tally })
    .optional()
    .meta({ description: 'Of the prompt tokens, those that the upstream had in its cache, where it says so.' }),
  completion_tokens_details: z.object({ reasoning_tokens: tally }).optional().meta({
    description: 'Of the completion tokens, those that the model used for reasoning, where the upstream says so.',
  }),
});

/** What a generation is answered with. */
export const generationAnswerSchema = envelope(
  200,
  z.string().min(1).meta({ description: 'The masked answer, Markdown.' }),
).extend({
  metadata: z.object({
    api_version: z.literal(API_VERSION),
    timestamp: z.iso.datetime().meta({ examples: [TIME] }),
    request_id: z
      .string()
      .regex(/^req_[0-9A-Za-z]{22}$/)
      .meta({ description: 'The same as X-Request-Id.', examples: [REQUEST_ID] }),
    response_time: z
      .int()
      .nonnegative()
      .meta({ description: 'From receipt to answer, ms.', examples: [812] }),
    remaining_requests: z
      .int()
      .nonnegative()
      .meta({ description: 'What is left under the limit that binds soonest.', examples: [97] }),
    finish_reason: z.enum(['stop', 'length', 'content_filter']).meta({
      description:
        'Why the answer ended: by itself, because `maxOutputTokens` was used up, so that it is cut, or because of a safety filter.',
    }),
    usage: usageSchema,
  }),
});

/** One upload. */
const uploadSchema = z.object({
  id: z
    .string()
    .regex(UPLOAD_ID_PATTERN)
    .meta({ examples: [UPLOAD_ID] }),
  url: z.url().meta({ examples: [`https://llm.example.com/files/${UPLOAD_ID}`] }),
  name: z
    .string()
    .min(1)
    .max(255)
    .meta({ description: 'The file name without its path.', examples: ['notes.txt'] }),
  size: z
    .int()
    .nonnegative()
    .meta({ description: 'Bytes.', examples: [1024] }),
  content_type: z.string().meta({
    description: 'As it was stated; types that browsers run or show as pages are served as bytes.',
    examples: ['text/plain'],
  }),
  visibility: z.enum(VISIBILITIES),
  created_at: z.iso.datetime().meta({ examples: [TIME] }),
});

export const uploadAnswerSchema = envelope(201, uploadSchema);

export const deletedAnswerSchema = envelope(200, uploadSchema.pick({ id: true }).extend({ deleted: z.literal(true) }));

/** The four fields of every error, with the labels that its status may have. */
export function errorSchema(status: number) {
  return z.object({
    status: z.literal(false),
    code: z.literal(status),
    message: z.string().min(1).meta({ description: 'What is wrong, and what to do.' }),
    error: z.enum(labelsOf(status)),
  });
}

/** A 429 says besides how much of the limit that refused is used. */
export const limitedSchema = errorSchema(429).extend({
  used: z.int().nonnegative(),
  remaining: z.literal(0),
  limit: z.int().nonnegative(),
});

/** An example of an error: the catalog's first entry of that status. */
export function errorExample(status: number): unknown {
  const entry = Object.values(ERROR_CATALOG).find((error) => error.status === status);
  const record = status === 429 ? { used: 100, remaining: 0, limit: 100 } : {};
  return { status: false, code: status, message: entry?.message, error: entry?.label, ...record };
}

function labelsOf(status: number): string[] {
  const catalog = Object.values(ERROR_CATALOG)
    .filter((entry) => entry.status === status)
    .map(({ label }) => label);
  const parser = PARSER_LABELS[status];
  return [...new Set(parser === undefined ? catalog : [...catalog, parser])];
}
