import { type ChatRequest, textOf } from '@lontar/shared/chat-request.ts';
import type { ModelError, ModelRequest, UpstreamWords } from './language-model.ts';
import type { ModelReports } from './upstream-limits.ts';
import type { UpstreamRefusal } from './upstream-refusal.ts';

/** What of a failure the operator may read. */
export interface DescribeFailure {
  readonly refusal: (refusal: UpstreamRefusal, request: ModelRequest | undefined) => UpstreamWords;
  /** @param code of Node or of the HTTP client: a word of theirs */
  readonly connection: (code: string) => UpstreamWords;
  /** Of a failure for which nobody has a word: a time that ran out. */
  readonly silence: () => UpstreamWords;
}

/** Masks a text from outside; undefined where that fails. */
export type Redact = (text: string) => string | undefined;

/** How much of an upstream's message the operator reads. */
const MOST_CHARS = 300;
/** How much of it is looked at: what masking shortens does not bring a secret's half into view. */
const MOST_CHARS_READ = 4_096;
/** A quotation of the prompt that is shorter tells nothing; a message is searched for it at every so many characters. */
const QUOTATION_CHARS = 24;
/** How much of what a caller wrote is compared. */
const MOST_CHARS_COMPARED = 1_000_000;

/**
 * Makes of an upstream's refusal what the operator may read of it in a log line: its status and codes, its own id of
 * the request, and the beginning of its message, masked, without what it quotes of the caller's words and without what
 * looks like part of a key. Callers never see it.
 *
 * @param redact without it there are no words: what cannot be masked is not told
 */
export function describeFailures(host: string, redact: Redact): DescribeFailure {
  const refusal: DescribeFailure['refusal'] = ({ status, headers, said }, request) => {
    const code = said.words
      .map((word) => redact(word))
      .find((word) => word !== undefined && /^[\w.:-]{1,64}$/.test(word));
    const requestId = ID_HEADERS.map((name) => headers[name]).find(
      (id) => id !== undefined && /^[\w.:/=+-]{1,128}$/.test(id),
    );
    const masked = redact(withoutKeys(withoutQuotations(said.message.slice(0, MOST_CHARS_READ), request?.chat)));
    return {
      upstreamHost: host,
      upstreamStatus: status,
      ...(code !== undefined && { upstreamCode: code }),
      ...(requestId !== undefined && { upstreamRequestId: requestId }),
      ...(masked && { upstreamMessage: masked.slice(0, MOST_CHARS).toWellFormed() }),
    };
  };
  return {
    refusal,
    connection: (upstreamCode) => ({ upstreamHost: host, upstreamCode }),
    silence: () => ({ upstreamHost: host }),
  };
}

/** Tells the operator of a failed call, and what can be done about it. Never rejects. */
export async function tellFailure(
  failure: ModelError,
  request: ModelRequest,
  { onFailure, advise }: ModelReports & { readonly advise?: Advise | undefined },
): Promise<void> {
  if (failure.upstream === undefined) return;
  const advice = (await advise?.(failure, request))?.slice(0, MOST_ADVICE_CHARS);
  if (advice !== undefined) failure.upstream = { ...failure.upstream, advice };
  onFailure?.({ requestId: request.requestId, reason: failure.kind, ...failure.upstream });
}

/** What the operator can do about a failure; see `adviseOn`. */
export type Advise = (failure: ModelError, request: ModelRequest) => Promise<string | undefined>;

const MOST_ADVICE_CHARS = 1_000;

/** Under which names upstreams tell their own id of a request. */
const ID_HEADERS = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-litellm-call-id',
  'x-goog-request-id',
  'cf-ray',
];

/** "Incorrect API key provided: sk-ab****wxyz." */
function withoutKeys(message: string): string {
  return message
    .split(' ')
    .map((word) => (word.includes('**') ? '…' : word))
    .join(' ');
}

/**
 * Cuts out what a message quotes of the caller's words. Of each quotation at least one window of the message lies within
 * it, because windows are half as long as what is looked for.
 */
function withoutQuotations(message: string, chat: ChatRequest | undefined): string {
  if (chat === undefined) return message;
  const asked = textOf(chat).slice(0, MOST_CHARS_COMPARED);
  const step = QUOTATION_CHARS / 2;
  let kept = '';
  let from = 0;
  for (let at = 0; at + step <= message.length; at += step) {
    if (at < from || !asked.includes(message.slice(at, at + step))) continue;
    const { start, end } = widen(message, asked, at, at + step);
    if (end - start < QUOTATION_CHARS) continue;
    kept += `${message.slice(from, Math.max(from, start))}…`;
    from = end;
  }
  return kept + message.slice(from);
}

/** How far to both sides of a window the message goes on as a text that was asked. */
function widen(message: string, asked: string, windowStart: number, windowEnd: number): { start: number; end: number } {
  let [start, end] = [windowStart, windowEnd];
  const at = asked.indexOf(message.slice(start, end));
  let before = at - 1;
  while (start > 0 && before >= 0 && message[start - 1] === asked[before]) {
    start -= 1;
    before -= 1;
  }
  let behind = at + end - windowStart;
  while (end < message.length && behind < asked.length && message[end] === asked[behind]) {
    end += 1;
    behind += 1;
  }
  return { start, end };
}
