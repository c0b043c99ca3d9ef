import { describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import type { MachineTime } from '@lontar/shared/machine-time.ts';
import type { ModelErrorKind, ModelRequest } from './language-model.ts';
import { mayBeTooMuchOutput } from './refusal-kind.ts';
import { toModelError } from './to-model-error.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';
import { readUpstreamSaid } from './upstream-said.ts';

/**
 * How hosts refuse in words that their status does not say, by their documents and by what their clients' authors have
 * reported. Others stand in upstream-refusals.int.test.ts, where a request is asked in another form, too.
 */
interface Refusal {
  readonly host: string;
  readonly what: string;
  readonly status: number;
  readonly body: unknown;
  readonly kind: ModelErrorKind;
  readonly chat?: Partial<ChatRequest>;
  readonly field?: string;
}

const TALK: ChatRequest['messages'] = [
  { role: 'user', content: 'Hello.' },
  { role: 'user', content: 'Hello?' },
  { role: 'assistant', content: 'Yes.' },
];

const tooLarge = (said: string) => ({ error: { message: said, type: 'tokens', code: 'rate_limit_exceeded' } });

const REFUSALS: readonly Refusal[] = [
  {
    host: 'Groq',
    what: 'more tokens in one request than its account may have in a minute',
    status: 413,
    body: tooLarge(
      'Request too large for model `llama` in organization `org` on tokens per minute (TPM): Limit 6000, Requested 8199',
    ),
    kind: 'context_exceeded',
  },
  {
    host: 'OpenAI',
    what: 'the same',
    status: 429,
    body: tooLarge('Request too large for gpt in organization org on tokens per min (TPM): Limit 30, Requested 36.'),
    kind: 'context_exceeded',
  },
  {
    host: 'Groq',
    what: 'a minute whose tokens are used up',
    status: 429,
    body: tooLarge('Rate limit reached for model `llama` on tokens per minute (TPM): Limit 6000, Used 5000'),
    kind: 'rate_limited',
  },
  {
    host: 'Groq',
    what: 'a call of its model that cannot be read',
    status: 400,
    body: { error: { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' } },
    kind: 'request_refused',
  },
  {
    host: 'Mistral',
    what: 'a field, in a list within an object',
    status: 422,
    body: {
      object: 'error',
      message: { detail: [{ type: 'less_than_equal', loc: ['body', 'top_p'], msg: 'Input should be at most 1' }] },
      type: 'invalid_request_error',
    },
    kind: 'request_refused',
    chat: { topP: 7 },
    field: 'top_p',
  },
  {
    host: 'Cloudflare',
    what: 'a prompt that is too long, in a list of errors',
    status: 400,
    body: {
      errors: [
        { message: 'AiError: The estimated number of tokens (40) exceeded this model context window limit (24).' },
      ],
      success: false,
    },
    kind: 'context_exceeded',
  },
  {
    host: 'TabbyAPI',
    what: 'a prompt that is too long',
    status: 400,
    body: { detail: { error: { message: 'Prompt length 5000 is greater than max_seq_len 4096', trace: 'Traceback' } } },
    kind: 'context_exceeded',
  },
  {
    host: 'Moonshot',
    what: 'a prompt that is too long',
    status: 400,
    body: { error: { message: 'Invalid request: Your request exceeded model token limit: 8192' } },
    kind: 'context_exceeded',
  },
  {
    host: 'DashScope',
    what: 'a prompt that is too long',
    status: 400,
    body: {
      error: { message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]' },
    },
    kind: 'context_exceeded',
  },
  {
    host: 'Cohere',
    what: 'a prompt that is too long',
    status: 400,
    body: { message: 'too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs' },
    kind: 'context_exceeded',
  },
  {
    host: 'OpenRouter',
    what: 'what the server behind it said',
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}' },
      },
    },
    kind: 'context_exceeded',
  },
  {
    host: 'OpenRouter',
    what: 'what the server behind it said, which is no JSON',
    status: 400,
    body: { error: { message: 'Provider returned error', metadata: { raw: 'context length exceeded' } } },
    kind: 'context_exceeded',
  },
  {
    host: 'OpenRouter',
    what: 'a prompt that its filter stopped, with the status of a wrong key',
    status: 403,
    body: { error: { message: 'x requires moderation on y. Your input was flagged for "violence"', code: 403 } },
    kind: 'content_blocked',
  },
  {
    host: 'xAI',
    what: 'a prompt that its filter stopped, with the status of a wrong key',
    status: 403,
    body: {
      code: 'The caller does not have permission',
      error: 'Content violates usage guidelines. Failed check: BIO',
    },
    kind: 'content_blocked',
  },
  {
    host: 'DashScope',
    what: 'a prompt that its filter stopped',
    status: 400,
    body: { error: { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.' } },
    kind: 'content_blocked',
  },
  {
    host: 'Zhipu',
    what: 'a prompt that its filter stopped',
    status: 400,
    body: { error: { code: '1301', message: 'System detected potentially unsafe or sensitive content in input.' } },
    kind: 'content_blocked',
  },
  {
    host: 'Moonshot',
    what: 'an account without money',
    status: 429,
    body: { error: { message: 'Your account is suspended', type: 'exceeded_current_quota_error' } },
    kind: 'unauthorized',
  },
  {
    host: 'DashScope',
    what: 'an account without money',
    status: 400,
    body: { error: { code: 'Arrearage', message: 'Access denied.', type: 'Arrearage' } },
    kind: 'unauthorized',
  },
  {
    host: 'Anthropic',
    what: 'an account without money',
    status: 400,
    body: { type: 'error', error: { message: 'Your credit balance is too low to access the Anthropic API.' } },
    kind: 'unauthorized',
  },
  {
    host: 'a caller',
    what: 'the words of an account without money, which a server quotes',
    status: 400,
    body: { error: { message: "Invalid name: 'your credit balance is too low'", param: 'tools[0].function.name' } },
    kind: 'request_refused',
    chat: { tools: [{ name: 'your credit balance is too low' }] },
    field: 'tools',
  },
  {
    host: 'Perplexity',
    what: 'an order of roles',
    status: 400,
    body: { error: { message: 'Last message must have role `user`.', type: 'invalid_message', code: 400 } },
    kind: 'request_refused',
    chat: { messages: TALK },
    field: 'messages',
  },
];

const NOW = 0 as MachineTime;

describe('a host that refuses in words of its own', () => {
  test.each(REFUSALS)('$host: $what', ({ status, body, kind, chat, field }) => {
    const request: ModelRequest = {
      requestId: 'req_test',
      model: 'm',
      chat: { messages: [{ role: 'user', content: 'Hello.' }], ...chat },
      maxOutputTokens: 100,
    };
    const refusal = new UpstreamRefusal(status, {}, readUpstreamSaid(JSON.stringify(body)));
    expect(toModelError(refusal, { ended: undefined, request }, NOW)).toMatchObject({ kind, field });
  });

  test('for its output, too, where one request is more than a minute may have', () => {
    const said = readUpstreamSaid(JSON.stringify(tooLarge('Request too large for gpt on tokens per min (TPM)')));
    expect([mayBeTooMuchOutput(413, said), mayBeTooMuchOutput(429, said)]).toEqual([true, true]);
    const busy = readUpstreamSaid(JSON.stringify(tooLarge('Rate limit reached: maximum context length')));
    expect(mayBeTooMuchOutput(429, busy)).toBe(false);
  });
});

test.each([
  [{ detail: { msg: 'Server is busy; please try again later.', type: 'service_unavailable' } }, 'Server is busy'],
  [{ errors: [{ code: 5007, message: 'No such model' }] }, 'No such model'],
  [{ error: { metadata: { raw: 'down for repair' } } }, 'down for repair'],
])('the operator reads the words of %j', (body, words) => {
  expect(readUpstreamSaid(JSON.stringify(body)).message).toContain(words);
});
