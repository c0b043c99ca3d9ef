import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_CATALOG, type ErrorEntry } from '@lontar/shared/errors.ts';
import { keepPace } from './pace.ts';

/** URL and headers together; a longer prompt goes into the body of a POST. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 8_000;
/** Long enough for 10 MB over a slow line (90 KB a second); what is much slower is cut earlier, see pace.ts. */
export const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;

type Problem = Pick<ErrorEntry, 'status' | 'label' | 'message'>;
const NO_HTTP: Problem = { status: 400, label: 'Bad Request', message: 'This is not a valid HTTP request.' };

/** What Node's `clientError` brings. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** How far the parser came in it. */
  readonly bytesParsed?: number;
}

/**
 * The public HTTP server. Its timeouts bound how long a slow sender can hold a connection; requests that the parser
 * refuses get the same form of error as all others.
 */
export function createPublicServer(listener: RequestListener): Server {
  const paced = keepPace(listener, ({ socket }) => answerUnreadable(ERROR_CATALOG.request_timeout, socket));
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
  server.on('clientError', (error: ParserError, socket) => answerUnreadable(problemOf(error), socket));
  return server;
}

function refuseWithoutHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') return listener(request, response);
    answerUnreadable(NO_HTTP, request.socket);
  };
}

/** Answers a request that the HTTP parser could not read. */
function answerUnreadable({ status, label, message }: Problem, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({ status: false, code: status, message, error: label });
  socket.end(
    `HTTP/1.1 ${status} ${label}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

function problemOf(error: ParserError): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return ERROR_CATALOG.request_timeout;
  if (error.code !== 'HPE_HEADER_OVERFLOW') return NO_HTTP;
  return isInRequestLine(error) ? ERROR_CATALOG.uri_too_long : ERROR_CATALOG.headers_too_large;
}

/**
 * Whether the parser gave up in the request line. It shows the packet that was one too many: that line begins there, or
 * ends there. In a packet from the middle of a line nothing tells; the answer for headers is right for both.
 */
function isInRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const packet = rawPacket?.toString('latin1') ?? '';
  const before = packet.slice(packet.lastIndexOf('\n', bytesParsed - 1) + 1, bytesParsed);
  return /^ HTTP\/\d/.test(packet.slice(bytesParsed)) || /^[A-Z]+ \S*$/.test(before);
}
