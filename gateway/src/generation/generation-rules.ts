import type { PublicModel } from '@lontar/shared/endpoints.ts';
import type { CatalogSource, ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { MODEL_NAME } from '@lontar/shared/models/model-name.ts';
import { z } from 'zod';

/** The rules of the parameters: the reader refuses by them, and the API document shows them. */
export const GENERATION_RULES = {
  /** The model that answers where the caller names none. */
  defaultModel: 'ai-2.5-flash' satisfies PublicModel as string,
  temperature: { least: 0.1, most: 2, byDefault: 0.7 },
  maxOutputTokens: { least: 1, byDefault: 8192 },
} as const;

/** What the operator decides. */
export interface ReadingLimits {
  /** Which models there are now. */
  readonly models: Pick<CatalogSource, 'current'>;
  readonly maxPromptChars: number;
  /** Of all that a request over the OpenAI protocol says together. */
  readonly maxContextChars: number;
  readonly maxOutputTokens: number;
}

/** The output tokens of a caller who does not say. */
export function defaultOutputTokens(limits: ReadingLimits): number {
  return Math.min(GENERATION_RULES.maxOutputTokens.byDefault, limits.maxOutputTokens);
}

/** So many names are listed to callers; of more, they are told where to read them. */
const MOST_LISTED = 50;

/** The public names of the models, in words: all, or the first ones. */
export function listModelNames({ current }: ReadingLimits['models'], joint = ', '): string {
  const names = [...current.models.keys()];
  if (names.length <= MOST_LISTED) return names.join(joint);
  return `${names.slice(0, MOST_LISTED).join(', ')} and ${names.length - MOST_LISTED} others, see GET /v1/models`;
}

/** The name of a model as the API document describes it: one of those that there are, where they are few. */
export function modelField({ models }: Pick<ReadingLimits, 'models'>, which: 'names' | 'with aliases') {
  const names = namesIn(models.current, which);
  const [first, ...rest] = names;
  if (first === undefined || names.length > MOST_LISTED) {
    return z.string().regex(MODEL_NAME).meta({ description: 'A name that GET /v1/models lists, or an alias.' });
  }
  return z.enum([first, ...rest]);
}

function namesIn({ models }: ModelCatalog, which: 'names' | 'with aliases'): string[] {
  if (which === 'names') return [...models.keys()];
  return [...models.values()].flatMap(({ name, aliases }) => [name].concat(aliases));
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
    model: modelField(limits, 'with aliases').default(defaultModel).meta({ description: 'The model that answers.' }),
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
