import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import { keepPace } from './pace.ts';

/** URL and headers together; a longer prompt goes into the body of a POST. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 8_000;
/** Long enough for 10 MB over a slow line (90 KB a second); what is much slower is cut earlier, see pace.ts. */
export const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;

/**
 * The public HTTP server. Its timeouts bound how long a slow sender can hold a connection; requests that the parser
 * refuses get the same form of error as all others.
 */
export function createPublicServer(listener: RequestListener): Server {
  const paced = keepPace(listener, ({ socket }) => answerUnreadable('ERR_HTTP_REQUEST_TIMEOUT', socket));
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      noDelay: true,
      // Node's own refusal would have no body.
      requireHostHeader: false,
    },
    refuseWithoutHost(paced.listener),
  );
  server.once('close', paced.stop);
  // An expectation that nobody can meet is no reason for an answer of another form.
  server.on('checkExpectation', paced.listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerUnreadable(error.code, socket));
  return server;
}

function refuseWithoutHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') return listener(request, response);
    answerUnreadable(undefined, request.socket);
  };
}

/** Answers a request that the HTTP parser could not read. */
function answerUnreadable(code: string | undefined, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const { status, label, message } = describe(code);
  const body = JSON.stringify({ status: false, code: status, message, error: label });
  socket.end(
    `HTTP/1.1 ${status} ${label}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

function describe(code: string | undefined): { status: number; label: string; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return ERROR_CATALOG.headers_too_large;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, label: 'Request Timeout', message: 'The request did not arrive in time. Send it faster.' };
  }
  return { status: 400, label: 'Bad Request', message: 'This is not a valid HTTP request.' };
}
