import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERROR_CATALOG, type ErrorEntry } from '@lontar/shared/errors.ts';
import { errorBody } from '@lontar/shared/http/envelope.ts';
import { collectAfter } from '@lontar/shared/patches/young-generation.ts';
import { TRANSFER_TIMEOUT_MS } from '@lontar/shared/time-budget.ts';
import { hasTransferEncoding, PublicRequest } from '../patches/requests.ts';
import { answerOnSocket } from './answer-on-socket.ts';
import { serveChunked } from './chunked-requests.ts';
import type { ConnectionDoor } from './connection-bounds.ts';
import { holdBody } from './hold-body.ts';
import { serveInTurn } from './in-turn.ts';
import { keepPace } from './pace.ts';

/** URL and headers together; a longer prompt goes into the body of a POST. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 8_000;
const KEEP_ALIVE_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;
/** What is read of bodies in chunks takes memory until the next collection; this much asks for one. */
const MOST_GARBAGE_BYTES = 4 * 1024 * 1024;

type Problem = Pick<ErrorEntry, 'status' | 'label' | 'message'>;
const NO_HTTP: Problem = { status: 400, label: 'Bad Request', message: 'This is not a valid HTTP request.' };

/** What Node's `clientError` brings. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** How far the parser came in it. */
  readonly bytesParsed?: number;
}

/**
 * The public HTTP server. Its door bounds open connections, its timeouts bound how long a slow sender can hold a connection; requests that the parser
 * refuses get the same form of error as all others.
 *
 * @param door none only in tests
 */
export function createPublicServer(listener: RequestListener, door?: ConnectionDoor): Server {
  const paced = keepPace(letBodiesWait(serveInTurn(listener)), cutWith(ERROR_CATALOG.request_timeout));
  const guarded = whileOpen(refuseWithoutHost(paced.listener));
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: TRANSFER_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      noDelay: true,
      // Node's own refusal would have no body.
      requireHostHeader: false,
      IncomingMessage: PublicRequest,
      shouldUpgradeCallback: hasTransferEncoding,
    },
    guarded,
  );
  if (door) guardDoor(server, door);
  server.once('close', paced.stop);
  serveChunked(server, guarded, {
    onRead: collectAfter(MOST_GARBAGE_BYTES),
    timeoutMs: TRANSFER_TIMEOUT_MS,
    malformed: (socket) => answerUnreadable(NO_HTTP, socket),
    tooLate: (socket) => answerUnreadable(ERROR_CATALOG.request_timeout, socket),
  });
  // An unknown `Expect` gets the normal envelope.
  server.on('checkExpectation', guarded);
  // Reading the body lets it come, see hold-body.ts.
  server.on('checkContinue', guarded);
  server.on('clientError', (error: ParserError, socket) => answerUnreadable(problemOf(error), socket));
  return server;
}

/**
 * Lets in what the door does not refuse. Node's own listener would make a parser for every connection and begin to read
 * from it; those that are refused may be many, and shall cost next to nothing.
 */
function guardDoor(server: Server, door: ConnectionDoor): void {
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    if (door.enter(socket)) for (const serve of listeners) serve.call(server, socket);
  });
}

/** Not for requests behind an answer that ended their connection, see linger.ts: they could not be answered. */
function whileOpen(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    if (!socket.writable) return void socket.destroy();
    listener(request, response);
  };
}

function refuseWithoutHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') return listener(request, response);
    answerUnreadable(NO_HTTP, request.socket);
  };
}

function letBodiesWait(listener: RequestListener): RequestListener {
  const cut = cutWith(ERROR_CATALOG.payload_too_large);
  return (request, response) => {
    holdBody(request, response, cut);
    listener(request, response);
  };
}

const cutWith = (problem: Problem) => (request: IncomingMessage) => answerUnreadable(problem, request.socket);

/** Answers a request that the HTTP parser could not read. */
function answerUnreadable({ status, label, message }: Problem, socket: Duplex): void {
  answerOnSocket({ status, headers: {}, body: errorBody(status, label, message) }, socket);
}

function problemOf(error: ParserError): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return ERROR_CATALOG.request_timeout;
  if (error.code !== 'HPE_HEADER_OVERFLOW') return NO_HTTP;
  return isInRequestLine(error) ? ERROR_CATALOG.uri_too_long : ERROR_CATALOG.headers_too_large;
}

/**
 * Whether the parser gave up in the request line. It shows the packet that was one too many: that line begins there, or
 * ends there. In a packet from the middle of a line nothing says so; the answer for headers is right for both.
 */
function isInRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const packet = rawPacket?.toString('latin1') ?? '';
  const before = packet.slice(packet.lastIndexOf('\n', bytesParsed - 1) + 1, bytesParsed);
  return /^ HTTP\/\d/.test(packet.slice(bytesParsed)) || /^[A-Z]+ \S*$/.test(before);
}
