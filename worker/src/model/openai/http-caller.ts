import { Client, type Dispatcher, Pool } from 'undici';
import type { Attempt } from '../attempt.ts';
import { createConnector } from '../connector.ts';
import { createDecoder, type Decoder } from './decoder.ts';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What makes an answer of the bytes of one response. What its methods throw ends the call with that error. */
export interface BodyReader<Answer> {
  /** Status and headers are here. */
  begin(status: number, headers: ResponseHeaders): void;
  /** @returns whether the rest still matters; `more after all` where it did, though an earlier piece seemed to be the last */
  read(chunk: Buffer): 'more' | 'rest is optional' | 'more after all' | 'complete';
  /** The response, or what mattered of it, has ended. */
  end(): Answer;
}

export interface HttpCall<Answer> {
  readonly method: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whether the connection is of no use after it. */
  readonly isLast?: boolean;
  readonly attempt: Attempt;
  /** Whether a stream is asked for: then silence tells of a failure before the end. */
  readonly isStream?: boolean;
  /** Called when the reader has read more. */
  readonly onRead?: (() => void) | undefined;
  readonly reader: () => BodyReader<Answer>;
  /** Called before it is made again, on a new connection, because its own was a stale one; not made where absent. */
  readonly onResend?: (() => void) | undefined;
}

export interface HttpCaller {
  /** @throws what undici throws, or the reader */
  readonly call: <Answer>(call: HttpCall<Answer>) => Promise<Answer>;
  /** Ends the calls that still run, and closes all connections. */
  readonly close: () => Promise<void>;
}

export interface HttpCallerOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** How long connecting may take, ms. */
  readonly connectTimeoutMs: number;
}

/** How long a server that has said all but the end of its response may take to say that, ms. */
const END_GRACE_MS = 1_000;
/** As above, where token counts may still come. */
const REST_GRACE_MS = 3_000;
/** A server that closes an idle connection while we write to it is known by then: it takes one round trip. */
const STALE_WITHIN_MS = 1_000;
/** Interim responses (`103 Early Hints`) are followed by the real one. */
const MOST_INTERIM_RESPONSES = 32;

/**
 * Calls one server over connections of its own, kept alive and pooled. It stands on undici's `dispatch`, the part
 * below its `fetch` and `request`, and does what an API client wants done otherwise: it follows no redirects (the key
 * and the prompt stay with the configured host; the 3xx is the answer), decodes what comes compressed unasked in pieces
 * (nothing can grow beyond what the reader takes), and hands bytes on as they come, without a stream or a promise for each.
 *
 * A server may close an idle connection just when it is used again; such a call is made again at once, once, where
 * its caller wants that.
 */
export function createHttpCaller({ origin, connectTimeoutMs }: HttpCallerOptions): HttpCaller {
  const connector = createConnector(connectTimeoutMs);
  const pool = new Pool(origin, {
    // As many connections as there are attempts at once, which WORKER_CONCURRENCY bounds.
    connections: null,
    pipelining: 1,
    connect: connector.connect,
    // The attempt has the only clock: a model may well think for minutes before the first byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (url, options) => new KnownClient(url, options),
  });
  return {
    async call<Answer>(call: HttpCall<Answer>): Promise<Answer> {
      const first = new Exchange(call);
      try {
        return await first.run(pool);
      } catch (error) {
        const isOver = call.onResend === undefined || call.attempt.ended() !== undefined;
        if (isOver || !first.metStaleConnection(error)) throw error;
        call.onResend?.();
        return await new Exchange(call).run(pool);
      }
    },
    async close() {
      const closed = pool.destroy();
      connector.close();
      await closed;
    },
  };
}

/** One connection, with the knowledge of whether it has been used, which undici keeps to itself. */
class KnownClient extends Client {
  #isUsed = false;

  constructor(url: string | URL, options: Client.Options) {
    super(url, options);
    this.on('connect', () => {
      this.#isUsed = false;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.client = this;
    return super.dispatch(options, handler);
  }

  /** @returns whether it was used before */
  use(): boolean {
    const wasUsed = this.#isUsed;
    this.#isUsed = true;
    return wasUsed;
  }
}

/** One request and its response. */
class Exchange<Answer> implements Dispatcher.DispatchHandler {
  client: KnownClient | undefined;
  readonly #call: HttpCall<Answer>;
  readonly #reader: BodyReader<Answer>;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #wasUsed = false;
  #sentAt = 0;
  #hasResponse = false;
  #interimResponses = 0;
  #grace: NodeJS.Timeout | undefined;
  #decoder: Decoder | undefined;
  #resolve: (answer: Answer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(call: HttpCall<Answer>) {
    this.#call = call;
    this.#reader = call.reader();
  }

  run(pool: Pool): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const { method, path, headers, body, attempt, isLast = false } = this.#call;
      attempt.atEnd(() => this.#abort(new Error('The attempt ended.')));
      if (this.#isOver) return;
      attempt.connecting();
      pool.dispatch({ method, path, headers, body, ...(isLast && { reset: true }) }, this);
    });
  }

  metStaleConnection(error: unknown): boolean {
    return (
      this.#wasUsed &&
      !this.#hasResponse &&
      performance.now() - this.#sentAt < STALE_WITHIN_MS &&
      STALE_CODES.has(codeOf(error))
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('The attempt ended.'));
    const { attempt, isStream, method } = this.#call;
    attempt.sent(isStream === true, method === 'POST');
    this.#wasUsed = this.client?.use() ?? false;
    this.#sentAt = performance.now();
  }

  onResponseStarted(): void {
    this.#hasResponse = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status >= 200) this.#begin(status, headers);
    else if (++this.#interimResponses > MOST_INTERIM_RESPONSES) throw new Error('Too many interim responses.');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#decoder === undefined) this.#read(chunk);
    // What decodes to nothing has no end by its size, and would wait in memory.
    else if (!this.#isOver && !this.#decoder.write(chunk)) controller.pause();
  }

  #begin(status: number, headers: ResponseHeaders): void {
    this.#decoder = createDecoder(headers['content-encoding'], {
      onData: (chunk) => {
        try {
          this.#read(chunk);
        } catch (error) {
          this.#abort(error instanceof Error ? error : new Error('The reader failed.'));
        }
      },
      onDrain: () => this.#controller?.resume(),
      onEnd: () => this.#finish(undefined),
      onError: (error) => this.#abort(error),
    });
    this.#reader.begin(status, headers);
  }

  #read(chunk: Buffer): void {
    // Behind the end of an answer there is nothing to read.
    if (this.#isOver) return;
    const next = this.#reader.read(chunk);
    this.#call.onRead?.();
    if (next === 'more') return;
    if (next === 'complete') {
      this.#finish(END_GRACE_MS);
      return;
    }
    if (next === 'more after all') {
      clearTimeout(this.#grace);
      this.#grace = undefined;
    }
    this.#grace ??= setTimeout(() => this.#finish(0), REST_GRACE_MS);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined || this.#isOver) this.#finish(undefined);
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }

  /**
   * @param closesInMs how long the connection may take to become free for another call; undefined where it is
   */
  #finish(closesInMs: number | undefined): void {
    clearTimeout(this.#grace);
    if (closesInMs !== undefined) {
      this.#grace = setTimeout(() => this.#controller?.abort(new Error('The response does not end.')), closesInMs);
    }
    if (this.#isOver) return;
    this.#end();
    try {
      this.#resolve(this.#reader.end());
    } catch (error) {
      this.#reject(error);
    }
  }

  #abort(error: Error): void {
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: unknown): void {
    clearTimeout(this.#grace);
    if (this.#isOver) return;
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#decoder?.stop();
  }
}

/** How undici says that a connection was closed by the other side. */
const STALE_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
