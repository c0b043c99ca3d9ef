import { PUBLIC_MODELS, type PublicModel } from '@lontar/shared/endpoints.ts';
import { z } from 'zod';

/** The rules of the parameters: the reader refuses by them, and the API document shows them. */
export const GENERATION_RULES = {
  /** The model that answers where the caller names none. */
  defaultModel: 'ai-2.5-flash' satisfies PublicModel as PublicModel,
  temperature: { least: 0.1, most: 2, byDefault: 0.7 },
  maxOutputTokens: { least: 1, byDefault: 8192 },
} as const;

/** What the operator decides. */
export interface ReadingLimits {
  readonly maxPromptChars: number;
  /** Of all that a request over the OpenAI protocol says together. */
  readonly maxContextChars: number;
  readonly maxOutputTokens: number;
}

/** The output tokens of a caller who does not say. */
export function defaultOutputTokens(limits: ReadingLimits): number {
  return Math.min(GENERATION_RULES.maxOutputTokens.byDefault, limits.maxOutputTokens);
}

/** The fields of a generation request as the API document describes them. */
export function generationFieldsSchema(limits: ReadingLimits) {
  const { defaultModel, temperature, maxOutputTokens } = GENERATION_RULES;
  return z.object({
    prompt: z
      .string()
      .max(limits.maxPromptChars)
      .regex(/\S/)
      .meta({ description: 'What to answer. Not blank.', examples: ['Write a haiku about palm leaves.'] }),
    model: z.enum(PUBLIC_MODELS).default(defaultModel).meta({ description: 'The model that answers.' }),
    temperature: z
      .number()
      .min(temperature.least)
      .max(temperature.most)
      .default(temperature.byDefault)
      .meta({ description: 'How freely the model chooses its words.' }),
    maxOutputTokens: z
      .number()
      .int()
      .min(maxOutputTokens.least)
      .max(limits.maxOutputTokens)
      .default(defaultOutputTokens(limits))
      .meta({ description: 'The longest answer, in tokens. An API key may have a lower cap.' }),
  });
}
