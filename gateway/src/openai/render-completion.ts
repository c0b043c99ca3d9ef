import type { ToolCall } from '@lontar/shared/chat-request.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { REQUEST_ID_PATTERN } from '@lontar/shared/request-id.ts';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { textAsJson } from '@lontar/shared/settlement/text-literal.ts';
import { finishReason, renderUsage } from '../generation/answer-end.ts';

/** An answer in OpenAI's form: `chat.completion`. */
export function renderCompletion(
  settlement: Answered,
  { requestId, job }: { readonly requestId: string; readonly job: Pick<GenerationJob, 'model' | 'receivedAt'> },
) {
  const { reasoning, toolCalls = [], isRefusal = false, masked, usage } = settlement;
  const hasContent = !isRefusal && (toolCalls.length === 0 || settlement.text !== '');
  return {
    id: completionId(requestId),
    object: 'chat.completion',
    created: createdAt(job),
    model: job.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: hasContent ? textAsJson(settlement) : null,
          refusal: isRefusal ? textAsJson(settlement) : null,
          ...(reasoning !== undefined && { reasoning_content: reasoning }),
          ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(renderToolCall) }),
        },
        logprobs: null,
        finish_reason: finishReason(settlement),
      },
    ],
    usage: renderUsage(usage),
    lontar: { masked },
  };
}

/** The id of a request's completion: both names hold the same token. */
export function completionId(requestId: string): string {
  return requestId.replace(/^req_/, 'chatcmpl-');
}

/** The request that a completion is of; `undefined` for what is no completion's id. */
export function requestIdOf(id: string): string | undefined {
  const requestId = id.replace(/^chatcmpl-/, 'req_');
  return requestId !== id && REQUEST_ID_PATTERN.test(requestId) ? requestId : undefined;
}

/** Unix seconds, by Redis's clock: the same for every answer about the request. */
export function createdAt({ receivedAt }: Pick<GenerationJob, 'receivedAt'>): number {
  return Math.floor(receivedAt / 1_000);
}

export function renderToolCall({ id, name, arguments: text }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: text } };
}
