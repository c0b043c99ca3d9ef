import { z } from 'zod';

/**
 * What the model is asked, whichever of the public protocols the caller speaks: the three endpoints with a persona make
 * it of one prompt, `/v1/chat/completions` of the caller's own messages. It travels in the job, so new fields are optional.
 */

const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });
/** `url`: a `data:` URL, or one that the upstream fetches. */
const imagePartSchema = z.object({ type: z.literal('image'), url: z.string(), detail: z.string().optional() });

/** A function that the model wants called; `arguments` is JSON as text, as the model wrote it. */
export const toolCallSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });

/** Who speaks, where several do; handed on as it is. */
const speaker = { name: z.string().optional() };

const systemMessageSchema = z.object({ role: z.literal('system'), content: z.string(), ...speaker });
const userMessageSchema = z.object({
  role: z.literal('user'),
  ...speaker,
  /** Text alone is text; a list has an image among its parts. */
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]))]),
});
const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.string(),
  toolCalls: z.array(toolCallSchema).optional(),
  /** What the model thought aloud: DeepSeek wants it back beside tool calls. */
  reasoning: z.string().optional(),
  ...speaker,
});
const toolMessageSchema = z.object({ role: z.literal('tool'), toolCallId: z.string(), content: z.string() });

export const chatMessageSchema = z.discriminatedUnion('role', [
  systemMessageSchema,
  userMessageSchema,
  assistantMessageSchema,
  toolMessageSchema,
]);

const toolSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  /** JSON schema; handed on as it is, and compiled nowhere. */
  parameters: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().optional(),
});

const responseFormatSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: z.string(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().optional(),
  }),
]);

export const chatRequestSchema = z.object({
  messages: z.array(chatMessageSchema).min(1),
  /** 0 to 2; the upstream's own where absent. */
  temperature: z.number().optional(),
  topP: z.number().optional(),
  stop: z.array(z.string()).optional(),
  seed: z.number().int().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  responseFormat: responseFormatSchema.optional(),
  tools: z.array(toolSchema).optional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string() })]).optional(),
  parallelToolCalls: z.boolean().optional(),
  reasoningEffort: z.string().optional(),
  /** The caller's own name for its user; for the upstream's abuse reports. */
  user: z.string().optional(),
});

export type ToolCall = z.infer<typeof toolCallSchema>;
export type ChatMessage = z.infer<typeof chatMessageSchema>;
export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatTool = z.infer<typeof toolSchema>;

/** All that the caller wrote, as one text: for the operator's log, and for counting. Images are left out. */
export function textOf({ messages }: Pick<ChatRequest, 'messages'>): string {
  return messages.map(textOfMessage).join('\n\n');
}

function textOfMessage({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
