import { withoutSlashesAtEnd } from '@lontar/shared/base-url.ts';
import type { RepeatReason } from '@lontar/shared/metrics.ts';
import { AnswerGatherer } from './answer-gatherer.ts';
import type { Attempt } from './attempt.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ModelResult,
} from './language-model.ts';
import { type Adaptations, adaptationFor, adaptForm, createAdaptations } from './openai/adaptations.ts';
import { createHttpCaller, type HttpCaller } from './openai/http-caller.ts';
import { createKnownServer, type KnownServer } from './openai/known-server.ts';
import { EmptyStreamError, ResponseReader } from './openai/response-reader.ts';
import { keyHeaders, type LimitNames, limitNamesOf, writeRequest } from './openai/write-request.ts';
import { kindOfWords } from './refusal-kind.ts';
import { runAttempt } from './run-attempt.ts';
import { createAdvice } from './upstream-advice.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';
import { type Advise, type DescribeFailure, describeFailures } from './upstream-words.ts';

export interface OpenAiOptions extends UpstreamLimits {
  /** Undefined or empty: no Authorization header. */
  readonly apiKey: string | undefined;
  /** With its version: `https://host/v1`; a query (`?api-version=…`) is sent with every request. */
  readonly baseUrl: string;
  /** Whether a caller who wants its answer in one piece is served by a stream: `auto` where an abort needs one. */
  readonly stream?: 'auto' | 'always' | 'never';
}

/** What is asked again in one attempt at most: for the token limit, for what streams may not ask, and as one piece. */
const MOST_CALLS = 4;

/**
 * Anything that speaks the protocol of OpenAI's `/chat/completions`. An attempt is one answer; a server that refuses the
 * form of a request, not what is asked, is asked again at once in the form that it takes.
 */
export function openAiModel(options: OpenAiOptions): LanguageModel {
  const upstream = openUpstream(options);
  const terms = { ...options, describe: upstream.describe, advise: upstream.advise };
  return {
    provider: 'openai',
    generate(request, signal, onPart) {
      const repeats: RepeatReason[] = [];
      return runAttempt(
        request,
        signal,
        terms,
        (attempt) => ask(upstream, attempt, request, { onPart, repeats }),
        () => repeats.some((reason) => MAY_HAVE_COST.has(reason)),
      );
    },
    close: () => upstream.http.close(),
  };
}

interface Upstream {
  readonly http: HttpCaller;
  readonly server: KnownServer;
  readonly adaptations: Adaptations;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limitNames: LimitNames;
  readonly isGoogle: boolean;
  readonly stream: 'auto' | 'always' | 'never';
  readonly maxAnswerBytes: number;
  readonly describe: DescribeFailure | undefined;
  readonly advise: Advise | undefined;
  readonly onRepeat: (reason: RepeatReason) => void;
}

function openUpstream({ apiKey, baseUrl, stream = 'auto', ...limits }: OpenAiOptions): Upstream {
  const url = new URL(baseUrl);
  const root = withoutSlashesAtEnd(url.pathname);
  const headers = {
    'content-type': 'application/json',
    // Compressing costs both sides more than it spares.
    'accept-encoding': 'identity',
    ...keyHeaders(apiKey, url),
  };
  const http = createHttpCaller({
    origin: url.origin,
    connectTimeoutMs: limits.connectTimeoutMs,
  });
  return {
    http,
    server: createKnownServer({ http, path: `${root}/models${url.search}`, headers }),
    adaptations: createAdaptations(),
    path: `${root}/chat/completions${url.search}`,
    headers,
    limitNames: limitNamesOf(url.hostname),
    isGoogle: url.hostname.endsWith('.googleapis.com'),
    stream,
    maxAnswerBytes: limits.maxAnswerBytes,
    onRepeat: (reason) => limits.onRepeat?.(reason),
    describe: limits.redact && describeFailures(url.host, limits.redact),
    advise: createAdvice({ url: `${url.origin}${root}/models${url.search}`, headers }, limits),
  };
}

/** Calls made again that may have cost money the first time: nothing says that the upstream had not begun its work. */
const MAY_HAVE_COST: ReadonlySet<RepeatReason> = new Set(['stale_connection', 'empty_stream']);

interface Asking {
  readonly onPart: ((part: ModelPart) => void) | undefined;
  /** Why calls of this attempt were made again, so far. */
  readonly repeats: RepeatReason[];
}

async function ask(
  upstream: Upstream,
  attempt: Attempt,
  request: ModelRequest,
  { onPart, repeats }: Asking,
): Promise<ModelResult> {
  const noteRepeat = (reason: RepeatReason) => {
    repeats.push(reason);
    upstream.onRepeat(reason);
  };
  const onResend = request.isSpent === true ? undefined : () => noteRepeat('stale_connection');
  const adaptations = upstream.adaptations.known(request);
  let isStream = await wantsStream(upstream, attempt, onPart);
  for (let calls = 1; ; calls += 1) {
    const { limitNames: limit, isGoogle } = upstream;
    const form = adaptForm({ isStream, limit, asksUsage: true, isGoogle }, adaptations);
    const gatherer = new AnswerGatherer(request.chat, upstream.maxAnswerBytes, onPart);
    try {
      return await call(upstream, { attempt, body: writeRequest(request, form), gatherer, onResend, isStream });
    } catch (error) {
      if (gatherer.hasContent) throw afterContent(error);
      if (calls === MOST_CALLS || attempt.ended() !== undefined) throw error;
      const adaptation = adaptationFor(error, request, form);
      if (adaptation !== undefined) {
        upstream.adaptations.learn(request, adaptation, error);
        adaptations.add(adaptation);
        noteRepeat(adaptation);
      } else if (error instanceof EmptyStreamError && isStream && request.isSpent !== true) {
        // llama-cpp-python refuses a prompt that is too long so, and says why only where it is asked for one piece.
        isStream = false;
        noteRepeat('empty_stream');
      } else {
        throw error;
      }
    }
  }
}

function wantsStream({ stream, server }: Upstream, attempt: Attempt, onPart: unknown): boolean | Promise<boolean> {
  if (stream === 'never') return false;
  if (stream === 'always' || onPart !== undefined) return true;
  return server.worksOnAfterAbort(attempt);
}

interface Call {
  readonly attempt: Attempt;
  readonly body: string;
  readonly gatherer: AnswerGatherer;
  readonly onResend: (() => void) | undefined;
  readonly isStream: boolean;
}

async function call(
  { http, path, headers, maxAnswerBytes, server }: Upstream,
  { attempt, body, gatherer, onResend, isStream }: Call,
): Promise<ModelResult> {
  let reader: ResponseReader | undefined;
  const newReader = () => {
    reader = new ResponseReader(gatherer, maxAnswerBytes, server.learn);
    return reader;
  };
  let size = 0;
  // Events without content, which keep a connection alive, are no tokens.
  const onRead = () => {
    if (gatherer.size === size) return;
    size = gatherer.size;
    attempt.heard();
  };
  const asked = { method: 'POST', path, headers, body, attempt, isStream } as const;
  try {
    return await http.call({ ...asked, reader: newReader, onRead: isStream ? onRead : undefined, onResend });
  } catch (error) {
    // A stream that breaks before its first byte is the same refusal, by a server that does not end it in order.
    if (attempt.ended() === undefined && reader?.isEmptyStream === true) throw new EmptyStreamError();
    throw error;
  }
}

/** An upstream that fails in the middle of an answer has done work that may cost. */
function afterContent(error: unknown): unknown {
  const isFailure = error instanceof UpstreamRefusal && kindOfWords(error.said) !== 'content_blocked';
  return isFailure ? new ModelError('cut_off') : error;
}
