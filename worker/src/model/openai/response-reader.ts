import type { AnswerGatherer } from '../answer-gatherer.ts';
import { AnswerTooLargeError } from '../capped-fetch.ts';
import { GrowingBytes } from '../growing-bytes.ts';
import type { ModelResult } from '../language-model.ts';
import { ModelError } from '../language-model.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import { readUpstreamSaid } from '../upstream-said.ts';
import type { BodyReader, ResponseHeaders } from './http-caller.ts';
import { readEvent, readWhole } from './read-answer.ts';
import { SseReader } from './sse-reader.ts';

/** A stream takes some 300 bytes to say a token of one character or four: so many times the cap of what it says. */
const STREAM_OVERHEAD = 64;
/** Of a refusal the beginning is read. */
const MOST_REFUSAL_BYTES = 65_536;

const BYTE_ORDER_MARK = '\ufeff';

/** How much of the beginning tells what a response is. */
const MOST_LOOKED_AT = 64;

/** A stream that ended, or broke, before its first byte: some servers' only way to refuse one. */
export class EmptyStreamError extends Error {}

/** How one protocol writes answers. What these throw ends the call with that error. */
export interface AnswerProtocol {
  readonly readWhole: (text: string, into: AnswerGatherer) => void;
  /** @returns whether it was the last event */
  readonly readEvent: (data: string, event: string, into: AnswerGatherer) => boolean;
}

const OPENAI: AnswerProtocol = { readWhole, readEvent };

/**
 * Reads a response of the OpenAI protocol, or another one over events: an answer in one piece or as a stream, as its `Content-Type` says and not as
 * was asked, or a refusal.
 */
export class ResponseReader implements BodyReader<ModelResult> {
  readonly #into: AnswerGatherer;
  readonly #mostBytes: number;
  readonly #onHeaders: (headers: ResponseHeaders) => void;
  readonly #protocol: AnswerProtocol;
  #status = 0;
  #headers: ResponseHeaders = {};
  #length = 0;
  #sse: SseReader | undefined;
  readonly #whole = new GrowingBytes();
  #isDone = false;

  /**
   * @param mostBytes of an answer, and of a line of a stream
   */
  constructor(
    into: AnswerGatherer,
    mostBytes: number,
    onHeaders: (headers: ResponseHeaders) => void,
    protocol: AnswerProtocol = OPENAI,
  ) {
    this.#protocol = protocol;
    this.#into = into;
    this.#mostBytes = mostBytes;
    this.#onHeaders = onHeaders;
  }

  begin(status: number, headers: ResponseHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#onHeaders(headers);
    if (!this.#isRefusal && /\bevent-stream\b/i.test(String(headers['content-type']))) {
      this.#sse = this.#newStream();
    } else if (!this.#isRefusal) {
      const length = Number(headers['content-length'] ?? 0);
      if (length > this.#mostBytes) throw new AnswerTooLargeError();
      this.#whole.expected = length;
    }
  }

  read(chunk: Buffer): ReturnType<BodyReader<ModelResult>['read']> {
    if (this.#length === 0 && !this.#isRefusal) this.#lookAt(chunk);
    this.#length += chunk.byteLength;
    if (this.#sse === undefined) return this.#keep(chunk);
    if (this.#length > this.#mostBytes * STREAM_OVERHEAD) throw new AnswerTooLargeError();
    const endedAt = this.#into.isFinished ? this.#into.size : undefined;
    this.#sse.read(chunk);
    if (this.#isDone) return 'complete';
    if (!this.#into.isFinished) return 'more';
    // Token counts may follow the end; of servers that name an end in each chunk, the next token.
    return endedAt !== undefined && this.#into.size > endedAt ? 'more after all' : 'rest is optional';
  }

  /**
   * @throws UpstreamRefusal, EmptyStreamError; ModelError `cut_off` where a stream ends without saying so, and what the
   *   AnswerGatherer throws
   */
  end(): ModelResult {
    if (this.#isRefusal) throw this.#refusal();
    if (this.#sse === undefined) {
      const text = decode(this.#whole.take(), String(this.#headers['content-type']));
      this.#protocol.readWhole(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, this.#into);
    } else {
      if (this.#length === 0) throw new EmptyStreamError();
      this.#endStream(this.#sse);
      if (!this.#isDone && !this.#into.isFinished) throw new ModelError('cut_off');
    }
    return this.#into.finish();
  }

  /** What comes last without an end of its line may be half of an event. */
  #endStream(sse: SseReader): void {
    try {
      sse.end();
    } catch (error) {
      throw error instanceof ModelError && error.kind === 'invalid_answer' ? new ModelError('cut_off') : error;
    }
  }

  /** Whether the response is a stream of which nothing has come. */
  get isEmptyStream(): boolean {
    return this.#sse !== undefined && this.#length === 0;
  }

  get #isRefusal(): boolean {
    return this.#status > 299;
  }

  #newStream(): SseReader {
    return new SseReader(this.#mostBytes, (data, event) => {
      this.#isDone ||= this.#protocol.readEvent(data, event, this.#into);
    });
  }

  /** Some servers name the wrong type: JSON begins with a brace, an event with its field's name or a colon. */
  #lookAt(chunk: Buffer): void {
    // A byte order mark is trimmed, too.
    const beginning = chunk.toString('utf8', 0, MOST_LOOKED_AT).trimStart();
    if (beginning.startsWith('{')) this.#sse = undefined;
    else if (/^(?:data|event|id|retry)?:/.test(beginning)) this.#sse ??= this.#newStream();
  }

  #keep(chunk: Buffer): 'more' | 'complete' {
    if (this.#isRefusal) {
      this.#whole.add(chunk);
      // What matters stands at its beginning.
      return this.#length > MOST_REFUSAL_BYTES ? 'complete' : 'more';
    }
    if (this.#length > this.#mostBytes) throw new AnswerTooLargeError();
    this.#whole.add(chunk);
    return 'more';
  }

  #refusal(): UpstreamRefusal {
    const headers = Object.entries(this.#headers).map(([name, value]) => [name, String(value)] as const);
    const said = readUpstreamSaid(this.#whole.take().toString('utf8', 0, MOST_REFUSAL_BYTES));
    return new UpstreamRefusal(this.#status, Object.fromEntries(headers), said);
  }
}

/** JSON is UTF-8; an upstream that says it writes something else is taken at its word. */
function decode(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([\w-]+)/i.exec(contentType)?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return bytes.toString('utf8');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown charset.
    return bytes.toString('utf8');
  }
}
