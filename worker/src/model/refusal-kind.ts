import type { ChatRequest } from '@lontar/shared/chat-request.ts';
import type { ModelErrorKind, ModelRequest } from './language-model.ts';
import type { UpstreamSaid } from './upstream-said.ts';

/** What upstreams say where their status alone would mislead. */
const KIND_OF_WORD: Readonly<Record<string, ModelErrorKind>> = {
  // Gemini answers 400, not 401, to a wrong key.
  API_KEY_INVALID: 'unauthorized',
  // OpenAI answers 429 when the account has no money left; waiting does not help.
  insufficient_quota: 'unauthorized',
  // So Moonshot, and DashScope with 400.
  exceeded_current_quota_error: 'unauthorized',
  Arrearage: 'unauthorized',
  // OpenAI and Azure answer 400 when a filter stopped the prompt.
  content_filter: 'content_blocked',
  content_policy_violation: 'content_blocked',
  data_inspection_failed: 'content_blocked',
  // Groq answers 400 where its model wrote a call, or JSON, that cannot be read.
  tool_use_failed: 'request_refused',
  json_validate_failed: 'request_refused',
};

/** As above, where it stands in the message alone; statuses are those of `JUDGED_BY_MESSAGE`. */
const KIND_OF_MESSAGE: readonly (readonly [RegExp, ModelErrorKind])[] = [
  // xAI and OpenRouter with 403, Zhipu with 400.
  [/\bviolates usage guidelines\b|\binput was flagged\b|\bunsafe or sensitive content\b/i, 'content_blocked'],
  // Anthropic. From its beginning: what a message quotes of a caller must not close the upstream to all others.
  [/^your credit balance is too low\b/i, 'unauthorized'],
];
const JUDGED_BY_MESSAGE: ReadonlySet<number> = new Set([400, 403, 422]);

/**
 * What a refusal means, by its HTTP status and by what its body says.
 *
 * @param request what was asked: only what the caller sent can be the caller's mistake
 */
export function kindOfRefusal(status: number, said: UpstreamSaid, request?: ModelRequest): ModelErrorKind {
  for (const word of said.words) {
    if (Object.hasOwn(KIND_OF_WORD, word)) return KIND_OF_WORD[word] ?? 'refused';
  }
  if (JUDGED_BY_MESSAGE.has(status)) {
    const kind = KIND_OF_MESSAGE.find(([pattern]) => pattern.test(said.message))?.[1];
    if (kind !== undefined) return kind;
  }
  if (status === 429 && !isAboveRate(said)) return 'rate_limited';
  // 402: the account has no money left. 407: a proxy on the way wants credentials.
  if (status === 401 || status === 402 || status === 403 || status === 407) return 'unauthorized';
  if (JUDGED_BY_WORDS.has(status) || status === 429) {
    const kind = callersMistake(said, request);
    if (kind !== undefined) return kind;
  }
  if (status === 429) return 'rate_limited';
  // 408 and 425 are an upstream's way to say "again, please": it was slow, or the connection was too young.
  if (status >= 500 || status === 408 || status === 425) return 'server_error';
  return 'refused';
}

/**
 * Whether the upstream refused because of the model's name, or has nothing at the path: vLLM, Ollama, OpenAI and Gemini
 * answer 404, LiteLLM and llama.cpp's router 400, each in words of its own.
 */
export function isUnknownModel(status: number, { param, words, message }: UpstreamSaid): boolean {
  if (status === 404) return true;
  if (status !== 400 && status !== 422) return false;
  return (
    param === 'model' ||
    words.includes('model_not_found') ||
    (/\bmodel\b/i.test(message) && /not (?:found|exist|supported|available)|unknown|invalid model/i.test(message))
  );
}

/** What servers say of themselves where a failure has no status: in a stream, or dressed as a 200. */
const KIND_OF_FAILURE: readonly (readonly [RegExp, ModelErrorKind])[] = [
  [/^rate_?limit/i, 'rate_limited'],
  [/^(?:authentication|permission|invalid_api_key)/i, 'unauthorized'],
  [
    /^(?:internal_?)?server_?error|^internal_?error|^overloaded|^service_?unavailable|^api_error|^timeout/i,
    'server_error',
  ],
];

/** The kind of a failure without a status; undefined where its words say none. */
export function kindOfWords(said: UpstreamSaid): ModelErrorKind | undefined {
  if (isContextExceeded(said)) return 'context_exceeded';
  for (const word of said.words) {
    if (Object.hasOwn(KIND_OF_WORD, word)) return KIND_OF_WORD[word];
    const kind = KIND_OF_FAILURE.find(([pattern]) => pattern.test(word))?.[1];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Statuses that servers give to what the caller got wrong; 500 is llama.cpp's for images and tools, and others'. */
const JUDGED_BY_WORDS: ReadonlySet<number> = new Set([400, 413, 422, 500]);

function callersMistake(
  said: UpstreamSaid,
  request: ModelRequest | undefined,
): 'context_exceeded' | 'request_refused' | undefined {
  // A name that the upstream does not know is the operator's mistake.
  if (said.param === 'model') return undefined;
  const ownLimit = request !== undefined && request.isDefaultOutput !== true;
  if (ownLimit && concernsOutput(said) && !isPromptAlone(said)) return 'request_refused';
  if (isContextExceeded(said)) return 'context_exceeded';
  return request !== undefined && callersField(said, request.chat) !== undefined ? 'request_refused' : undefined;
}

/** The name of the field that says how long an answer may be, whatever the caller's protocol calls it. */
export const OUTPUT_LIMIT = 'max_completion_tokens';

/**
 * Which field of the caller's an upstream has refused a request for, in OpenAI's names: one of ours, never the upstream's
 * own words. `undefined` where it has named none.
 */
export function refusedField(said: UpstreamSaid, request: ModelRequest): string | undefined {
  return request.isDefaultOutput !== true && concernsOutput(said) && !isPromptAlone(said)
    ? OUTPUT_LIMIT
    : callersField(said, request.chat);
}

/** Whether an upstream refuses the number of output tokens, or what they come to with the prompt. */
export function mayBeTooMuchOutput(status: number, said: UpstreamSaid): boolean {
  const isJudged = JUDGED_BY_WORDS.has(status) || (status === 429 && isAboveRate(said));
  return isJudged && (concernsOutput(said) || isContextExceeded(said));
}

/**
 * Whether one request alone asks for more tokens than the operator's account may use in a minute: waiting does not help.
 * "Request too large for gpt-4o … on tokens per min (TPM): Limit 30000, Requested 36000" (OpenAI with 429, Groq with 413,
 * which count the output that is asked for).
 */
function isAboveRate({ message }: Pick<UpstreamSaid, 'message'>): boolean {
  return /^request too large for\b.*\btokens per\b/i.test(message);
}

const LIMIT_NAME = /max_(?:completion_|new_|output_)?tokens|maxOutputTokens/;

function concernsOutput({ param, message }: UpstreamSaid): boolean {
  return (
    LIMIT_NAME.test(param ?? '') ||
    LIMIT_NAME.test(message) ||
    /(?:completion|output)\b.{0,20}\btokens|in the (?:completion|output)\b/i.test(message)
  );
}

const CONTEXT_WORDS: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'ContextWindowExceededError',
]);

/**
 * As servers say it: "maximum context length is", "exceeds the available context size", "exceed context window of"
 * (llama-cpp-python), "ContextWindowExceededError" (LiteLLM), "The input token count (…) exceeds" (Gemini), "Input tokens
 * exceed the configured limit" (OpenAI), "prompt is too long" (Anthropic), "maximum prompt length" (xAI), "`inputs` must
 * have less than 4096 tokens" (TGI, Together), "exceeded model token limit" (Moonshot), "Range of input length should be"
 * (DashScope), "is greater than max_seq_len" (TabbyAPI), "too many tokens: size limit exceeded by" (Cohere).
 */
const CONTEXT_MESSAGES: readonly RegExp[] = [
  /context[ _-]?(?:length|window|size)/i,
  /maximum (?:prompt|input) length/i,
  /\binputs?`? (?:tokens \+ `?max_new_tokens|must have less than)/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /model token limit|range of input length|\bmax_seq_len\b|^too many tokens:/i,
];

function isContextExceeded({ words, message }: UpstreamSaid): boolean {
  return (
    words.some((word) => CONTEXT_WORDS.has(word)) ||
    CONTEXT_MESSAGES.some((pattern) => pattern.test(message)) ||
    isAboveRate({ message }) ||
    // Of one sentence both, in any order of words between them.
    message.split('. ').some((sentence) => PROMPT.test(sentence) && TOO_LONG.test(sentence))
  );
}

const PROMPT = /\b(?:prompt|inputs?)\b/i;
const TOO_LONG = /\b(?:too long|longer than|exceeds?)\b/i;

/** Whether the prompt would not fit even without any output, as far as the upstream says how long both are. */
function isPromptAlone(said: UpstreamSaid): boolean {
  const { param, message } = said;
  if (LIMIT_NAME.test(param ?? '')) return false;
  const context = statedContext(said);
  const prompt = numberOf(
    /(\d{1,9})(?: tokens)? (?:of text input|(?:in|from) (?:the |your )?(?:input |prompt |)(?:messages|prompt|input))/i.exec(
      message,
    ),
  );
  if (context !== undefined && prompt !== undefined) return prompt >= context;
  return isContextExceeded(said) && !LIMIT_NAME.test(message);
}

/** The context of the model as the upstream's message has it, tokens. */
export function statedContext({ message }: UpstreamSaid): number | undefined {
  return numberOf(/(?:context (?:length|window|size)|max_model_len)\D{0,20}(\d{1,9})/i.exec(message));
}

function numberOf(match: RegExpExecArray | null): number | undefined {
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** What the upstream names of all that the caller sent and might have left out. */
function callersField(said: UpstreamSaid, chat: ChatRequest): string | undefined {
  const words = new Set(said.message.toLowerCase().match(/\w+/g));
  for (const [name, isSent] of fieldsOf(chat)) {
    if (!isSent) continue;
    const field = name === 'json_schema' ? 'response_format' : name;
    if (said.param === name || said.param?.startsWith(`${name}.`) || said.param?.startsWith(`${name}[`)) return field;
    if (!BY_PARAM_ALONE.has(name) && words.has(name)) return field;
  }
  const hasImages = chat.messages.some(({ content }) => typeof content !== 'string');
  // Chat templates, and Perplexity.
  const isOrder = /\broles (?:must alternate|should be alternating)\b|\blast message must have role\b/i;
  if (chat.messages.length > 2 && isOrder.test(said.message)) return 'messages';
  const namesImages = /\b(?:images?|image_url|vision|multi-?modal|mmproj)\b/i.test(said.message);
  return hasImages && namesImages ? 'messages' : undefined;
}

/** Names that are words of the trade. */
const BY_PARAM_ALONE: ReadonlySet<string> = new Set(['stop', 'seed', 'user', 'messages']);

function fieldsOf(chat: ChatRequest): readonly (readonly [string, boolean])[] {
  return [
    ['temperature', chat.temperature !== undefined],
    ['top_p', chat.topP !== undefined],
    ['stop', chat.stop !== undefined],
    ['seed', chat.seed !== undefined],
    ['presence_penalty', chat.presencePenalty !== undefined],
    ['frequency_penalty', chat.frequencyPenalty !== undefined],
    ['response_format', chat.responseFormat !== undefined],
    ['json_schema', chat.responseFormat?.type === 'json_schema'],
    ['tools', chat.tools !== undefined],
    ['tool_choice', chat.toolChoice !== undefined],
    ['parallel_tool_calls', chat.parallelToolCalls !== undefined],
    ['reasoning_effort', chat.reasoningEffort !== undefined],
    ['user', chat.user !== undefined],
    // A persona and a prompt are what every upstream takes.
    ['messages', chat.messages.length > 2],
  ];
}
