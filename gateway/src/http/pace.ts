import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const LOOK_MS = 1_000;
/** The pace is judged over spans of this length; two slow ones in a row are one too many, ms. */
const SPAN_MS = 4_000;
/** What a span has to bring, bytes: a tenth of what an upload needs to be through in its time. */
const LEAST_BYTES = 32 * 1024;
const MOST_SLOW_SPANS = 2;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the span that is being judged. */
  since: number;
  received: number;
  sent: number;
  slowSpans: number;
}

/**
 * Ends exchanges that hold a connection by sending their body, or reading their answer, a few bytes at a time. Waiting
 * for the model is no such thing, nor is a live stream that has nothing to say.
 *
 * @param cut answers a request whose body does not arrive, and ends its connection
 */
export function keepPace(listener: RequestListener, cut: (request: IncomingMessage) => void) {
  const exchanges = new Set<Exchange>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const exchange of exchanges) if (now - exchange.since >= SPAN_MS) judge(exchange, now, cut);
  }, LOOK_MS);
  timer.unref();
  return {
    listener: ((request, response) => {
      const exchange = { request, response, since: performance.now(), slowSpans: 0, ...progress(request) };
      exchanges.add(exchange);
      response.once('close', () => exchanges.delete(exchange));
      listener(request, response);
    }) satisfies RequestListener,
    stop: () => clearInterval(timer),
  };
}

function judge(exchange: Exchange, now: number, cut: (request: IncomingMessage) => void): void {
  const { request, response, received, sent } = exchange;
  const next = progress(request);
  const isReceiving = !request.complete;
  const isSending = response.headersSent && request.socket.writableLength > 0;
  const moved = isReceiving ? next.received - received : next.sent - sent;
  const isSlow = (isReceiving || isSending) && moved < LEAST_BYTES;
  Object.assign(exchange, next, { since: now, slowSpans: isSlow ? exchange.slowSpans + 1 : 0 });
  if (exchange.slowSpans < MOST_SLOW_SPANS) return;
  if (isReceiving && !response.headersSent) cut(request);
  else request.socket.destroy();
}

/** Bytes that have come from, and gone to, the other end. */
function progress({ socket }: IncomingMessage): { received: number; sent: number } {
  return { received: socket.bytesRead, sent: socket.bytesWritten - socket.writableLength };
}
