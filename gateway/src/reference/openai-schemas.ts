import { modelNameSchema } from '@lontar/shared/models/model-name.ts';
import { FINISH_REASONS, MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import { z } from 'zod';
import { defaultOutputTokens, modelField, type ReadingLimits } from '../generation/generation-rules.ts';
import { CHAT_RULES } from '../openai/read-chat.ts';
import { usageSchema } from './answer-schemas.ts';

/** Forms of what `/v1` takes and gives, as the API document describes them. */

const tally = z.int().nonnegative();
const numberField = ({ least, most }: { readonly least: number; readonly most: number }) =>
  z.number().min(least).max(most).nullish();

const textParts = z.array(z.object({ type: z.literal('text'), text: z.string() }).loose());
const toolCall = z
  .object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({
      name: z.string(),
      arguments: z.string().meta({ description: 'JSON, as the model wrote it.' }),
    }),
  })
  .meta({ description: 'A function that the model wants called.' });

const messageSchema = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z
      .union([z.string(), textParts, z.array(z.object({ type: z.enum(['text', 'image_url']) }).loose())])
      .nullish()
      .meta({ description: 'Text, or a list of parts. Images are taken from the user alone.' }),
    tool_calls: z.array(toolCall).nullish(),
    tool_call_id: z.string().nullish().meta({ description: 'Of the role tool: the call that is answered.' }),
  })
  .loose();

const toolSchema = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish().meta({ description: 'JSON Schema, handed on as it is.' }),
    strict: z.boolean().nullish(),
  }),
});

/** The body of `POST /v1/chat/completions`. */
export function chatBodySchema(limits: ReadingLimits) {
  const tokens = z.int().min(1).max(limits.maxOutputTokens).nullish();
  return z
    .object({
      model: modelField(limits, 'with aliases'),
      messages: z.array(messageSchema).min(1),
      max_completion_tokens: tokens.meta({
        description: `The longest answer, in tokens; ${defaultOutputTokens(limits)} where neither is given, or what the model has room for. An API key may have a lower cap.`,
      }),
      max_tokens: tokens.meta({ description: 'The same by its older name; the lower one counts.' }),
      temperature: numberField(CHAT_RULES.temperature),
      top_p: numberField(CHAT_RULES.top_p),
      presence_penalty: numberField(CHAT_RULES.presence_penalty),
      frequency_penalty: numberField(CHAT_RULES.frequency_penalty),
      seed: z.int().nullish(),
      stop: z.union([z.string(), z.array(z.string()).max(CHAT_RULES.mostStops)]).nullish(),
      tools: z.array(toolSchema).nullish(),
      tool_choice: z
        .union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.literal('function') })])
        .nullish(),
      parallel_tool_calls: z.boolean().nullish(),
      response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
      reasoning_effort: z.string().nullish(),
      user: z.string().nullish(),
      stream: z.boolean().nullish().meta({ description: 'Whether the answer comes as it grows.' }),
      stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    })
    .loose();
}

/** What it is answered with. */
export const completionSchema = z.object({
  id: z.string().regex(/^chatcmpl-[0-9A-Za-z]{22}$/),
  object: z.literal('chat.completion'),
  created: tally.meta({ description: 'Unix seconds.' }),
  model: modelNameSchema,
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal('assistant'),
        content: z
          .string()
          .nullable()
          .meta({ description: 'The masked answer; null where there are tool calls alone, or a refusal.' }),
        refusal: z
          .string()
          .nullable()
          .meta({ description: 'What the model says in place of an answer that it refuses, masked.' }),
        reasoning_content: z.string().optional().meta({ description: 'What the model thought aloud, masked.' }),
        tool_calls: z.array(toolCall).optional(),
      }),
      logprobs: z.null(),
      finish_reason: z.enum(FINISH_REASONS),
    }),
  ),
  usage: usageSchema,
  lontar: z.object({
    masked: z
      .object(
        Object.fromEntries(MASK_TYPES.map((type) => [type, tally])) as Record<
          (typeof MASK_TYPES)[number],
          typeof tally
        >,
      )
      .meta({ description: 'Values masked in the answer, by kind.' }),
  }),
});

export const modelSchema = z.object({
  id: modelNameSchema,
  object: z.literal('model'),
  created: tally,
  owned_by: z.string(),
});

export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

/** Every error under `/v1`. */
export const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
