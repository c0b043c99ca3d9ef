import type { Answered, FinishReason, TokenUsage } from '@lontar/shared/settlement/settlement.ts';

/** Why the model ended. Some servers say `stop` where the model called a tool; clients go by the reason. */
export function finishReason({ finishReason: said = 'stop', toolCalls = [] }: Answered): FinishReason {
  return said === 'stop' && toolCalls.length > 0 ? 'tool_calls' : said;
}

/** What was used of an answer, as all forms of answers tell it. */
export function renderUsage({ input, output, isEstimated, cachedInput, reasoning }: TokenUsage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(isEstimated === true && { is_estimated: true }),
    ...(cachedInput !== undefined && { prompt_tokens_details: { cached_tokens: cachedInput } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
