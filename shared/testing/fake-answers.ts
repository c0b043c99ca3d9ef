export type Protocol = 'openai' | 'gemini';

/** What the fake upstream says of itself. */
export const UPSTREAM_WORDS = 'canary-words-of-the-upstream';

/** In the words of OpenAI, and the same in Gemini's. */
const GEMINI_FINISH: Record<string, string> = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' };

export function answerBody(
  protocol: Protocol,
  text: string,
  finish = 'stop',
  usage = { input: 11, output: 7 },
): object {
  if (protocol === 'gemini') {
    return {
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: GEMINI_FINISH[finish] ?? finish }],
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
    };
  }
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
  };
}

export function blockedBody(protocol: Protocol): object {
  if (protocol === 'gemini') {
    return { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 } };
  }
  return {
    choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'content_filter' }],
  };
}

/** As Gemini 2.5 answers, without any part; and as servers of reasoning models in OpenAI's protocol do. */
export function usedUpBody(protocol: Protocol): object {
  if (protocol === 'gemini') {
    return {
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: { promptTokenCount: 11, thoughtsTokenCount: 7, totalTokenCount: 18 },
    };
  }
  const message = { role: 'assistant', content: null, reasoning_content: 'First I think.' };
  return {
    ...answerBody(protocol, '', 'length'),
    choices: [{ index: 0, message, finish_reason: 'length' }],
  };
}

export function errorBody(protocol: Protocol, status: number): object {
  return protocol === 'gemini'
    ? { error: { code: status, message: UPSTREAM_WORDS, status: 'FAKE' } }
    : { error: { message: UPSTREAM_WORDS, type: 'fake_error', code: null } };
}
