import { withoutSlashesAtEnd } from '@lontar/shared/base-url.ts';
import type { RepeatReason } from '@lontar/shared/metrics.ts';
import { AnswerGatherer } from './answer-gatherer.ts';
import { createEventReader, readMessage } from './anthropic/read-message.ts';
import { type MessagesForm, writeMessages } from './anthropic/write-messages.ts';
import type { Attempt } from './attempt.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ModelResult,
} from './language-model.ts';
import { createHttpCaller, type HttpCaller } from './openai/http-caller.ts';
import { EmptyStreamError, ResponseReader } from './openai/response-reader.ts';
import { kindOfWords } from './refusal-kind.ts';
import { runAttempt } from './run-attempt.ts';
import { createAdvice } from './upstream-advice.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';
import { type Advise, type DescribeFailure, describeFailures } from './upstream-words.ts';

export interface AnthropicOptions extends UpstreamLimits {
  readonly apiKey: string;
  /** With its version: `https://host/v1`. */
  readonly baseUrl: string;
  /** Whether a caller who wants its answer in one piece is served by a stream. */
  readonly stream?: 'auto' | 'always' | 'never';
}

const PROTOCOL_VERSION = '2023-06-01';
/** What is asked again in one attempt at most: for the limit of tokens, sampling and thinking. */
const MOST_CALLS = 4;

/**
 * Servers of Anthropic's Messages protocol, asked as those of OpenAI's are: over the same caller, with its bounds. An attempt
 * is one answer; a server that refuses a number or a parameter of ours is asked again at once without it.
 */
export function anthropicModel(options: AnthropicOptions): LanguageModel {
  const upstream = openUpstream(options);
  const terms = { ...options, describe: upstream.describe, advise: upstream.advise };
  return {
    provider: 'anthropic',
    generate(request, signal, onPart) {
      const resent = { wasResent: false };
      return runAttempt(
        request,
        signal,
        terms,
        (attempt) => ask(upstream, request, { attempt, onPart, resent }),
        () => resent.wasResent,
      );
    },
    close: () => upstream.http.close(),
  };
}

interface Upstream {
  readonly http: HttpCaller;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: 'auto' | 'always' | 'never';
  readonly maxAnswerBytes: number;
  readonly describe: DescribeFailure | undefined;
  readonly advise: Advise | undefined;
  readonly onRepeat: (reason: RepeatReason) => void;
  /** What each model has refused; their names are the operator's, and few. */
  readonly learned: Map<string, Learned>;
}

/** What holds for all requests to a model. */
type Learned = Pick<MessagesForm, 'mostOutputTokens' | 'noSampling'>;

interface Asking {
  readonly attempt: Attempt;
  readonly onPart: ((part: ModelPart) => void) | undefined;
  /** Whether a call was made again whose first time may have cost. */
  readonly resent: { wasResent: boolean };
}

function openUpstream({ apiKey, baseUrl, stream = 'auto', ...limits }: AnthropicOptions): Upstream {
  const url = new URL(baseUrl);
  const root = withoutSlashesAtEnd(url.pathname);
  const headers = {
    'content-type': 'application/json',
    // Nothing can grow beyond its size on the wire.
    'accept-encoding': 'identity',
    'anthropic-version': PROTOCOL_VERSION,
    'x-api-key': apiKey,
  };
  return {
    http: createHttpCaller({ origin: url.origin, connectTimeoutMs: limits.connectTimeoutMs }),
    path: `${root}/messages${url.search}`,
    headers,
    stream,
    maxAnswerBytes: limits.maxAnswerBytes,
    describe: limits.redact && describeFailures(url.host, limits.redact),
    advise: createAdvice({ url: `${url.origin}${root}/models?limit=1000`, headers }, limits),
    onRepeat: (reason) => limits.onRepeat?.(reason),
    learned: new Map(),
  };
}

async function ask(upstream: Upstream, request: ModelRequest, asking: Asking): Promise<ModelResult> {
  const { attempt, onPart } = asking;
  const isStream = upstream.stream !== 'never' && (onPart !== undefined || upstream.stream === 'always');
  let form: MessagesForm = { isStream, ...limitFor(request, upstream.learned.get(request.model)) };
  for (let calls = 1; ; calls += 1) {
    const gatherer = new AnswerGatherer(request.chat, upstream.maxAnswerBytes, onPart);
    try {
      return await call(upstream, request, { form, gatherer, asking });
    } catch (error) {
      if (gatherer.hasContent) throw afterContent(error);
      const adapted = calls < MOST_CALLS && attempt.ended() === undefined ? adapt(error, request, form) : undefined;
      if (adapted === undefined) throw error;
      upstream.onRepeat(adapted.reason);
      form = withChange(form, adapted.form);
      upstream.learned.set(request.model, withChange(upstream.learned.get(request.model) ?? {}, adapted.form));
    }
  }
}

function withChange<Form extends Partial<MessagesForm>>(form: Form, change: Partial<MessagesForm>): Form {
  return { ...form, ...change };
}

/** Our own number of output tokens is lowered, not a caller's. */
function limitFor({ isDefaultOutput }: ModelRequest, { mostOutputTokens, noSampling = false }: Learned = {}): Learned {
  return { noSampling, ...(isDefaultOutput === true && { mostOutputTokens }) };
}

/** What a refusal is answered with; undefined where asking again is no use. */
function adapt(
  error: unknown,
  { isDefaultOutput, chat }: ModelRequest,
  form: MessagesForm,
): { readonly reason: RepeatReason; readonly form: Partial<MessagesForm> } | undefined {
  if (!(error instanceof UpstreamRefusal) || error.status !== 400) return undefined;
  const { message } = error.said;
  const most = Number(/max_tokens: \d{1,9} > (\d{1,9})\b/.exec(message)?.[1]);
  if (isDefaultOutput === true && form.mostOutputTokens === undefined && most > 0) {
    return { reason: 'lower_limit', form: { mostOutputTokens: most } };
  }
  if (chat.reasoningEffort !== undefined && form.noThinking !== true && /\bthinking\b/i.test(message)) {
    return { reason: 'no_thinking', form: { noThinking: true } };
  }
  const samples = chat.temperature !== undefined || chat.topP !== undefined;
  if (samples && form.noSampling !== true && /\b(?:temperature|top_p)\b/.test(message)) {
    return { reason: 'no_sampling', form: { noSampling: true } };
  }
  return undefined;
}

async function call(
  { http, path, headers, maxAnswerBytes, onRepeat }: Upstream,
  request: ModelRequest,
  { form, gatherer, asking }: { form: MessagesForm; gatherer: AnswerGatherer; asking: Asking },
): Promise<ModelResult> {
  const onResend =
    request.isSpent === true
      ? undefined
      : () => {
          asking.resent.wasResent = true;
          onRepeat('stale_connection');
        };
  let reader: ResponseReader | undefined;
  const newReader = () => {
    const protocol = { readWhole: readMessage, readEvent: createEventReader() };
    reader = new ResponseReader(gatherer, maxAnswerBytes, () => undefined, protocol);
    return reader;
  };
  const { isStream } = form;
  const { attempt } = asking;
  let size = 0;
  // Pings, which keep a connection alive, are no tokens.
  const onRead = () => {
    if (gatherer.size === size) return;
    size = gatherer.size;
    attempt.heard();
  };
  const asked = { method: 'POST', path, headers, body: writeMessages(request, form), attempt, isStream } as const;
  try {
    return await http.call({ ...asked, reader: newReader, onRead: isStream ? onRead : undefined, onResend });
  } catch (error) {
    if (attempt.ended() === undefined && reader?.isEmptyStream === true) throw new EmptyStreamError();
    throw error;
  }
}

/** An upstream that fails in the middle of an answer has done work that may cost. */
function afterContent(error: unknown): unknown {
  const isFailure = error instanceof UpstreamRefusal && kindOfWords(error.said) !== 'content_blocked';
  return isFailure ? new ModelError('cut_off') : error;
}
