import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERROR_CATALOG, type ErrorCode } from '@lontar/shared/errors.ts';
import { errorBody } from '@lontar/shared/http/envelope.ts';
import { collectAfter, MOST_GARBAGE_BYTES } from '@lontar/shared/patches/young-generation.ts';
import { TRANSFER_TIMEOUT_MS } from '@lontar/shared/time-budget.ts';
import { renderError } from '../openai/render-error.ts';
import { hasTransferEncoding, PublicRequest } from '../patches/requests.ts';
import { answerOnSocket } from './answer-on-socket.ts';
import { serveChunked } from './chunked-requests.ts';
import type { ConnectionDoor } from './connection-bounds.ts';
import { holdBody } from './hold-body.ts';
import { newestResponse, serveInTurn } from './in-turn.ts';
import { isAnswerable } from './last-answers.ts';
import { keepPace } from './pace.ts';
import { protocolOf } from './spoken-protocol.ts';

/** URL and headers together; a longer prompt goes into the body of a POST. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 8_000;
const KEEP_ALIVE_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;
/** Of a target enough to know its path by, bytes. */
const MOST_TARGET_BYTES = 256;

/** What is wrong with a request that no handler gets; the label stands in the envelope where it is not the catalog's. */
interface Unreadable {
  readonly code: ErrorCode;
  readonly label?: string;
  readonly message?: string;
}
const NO_HTTP: Unreadable = {
  code: 'invalid_parameter',
  label: 'Bad Request',
  message: 'This is not a valid HTTP request.',
};
const TOO_SLOW: Unreadable = { code: 'request_timeout' };

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
  const paced = keepPace(letBodiesWait(serveInTurn(listener)), cutWith(TOO_SLOW));
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
    malformed: (socket, target) => answerUnreadable(NO_HTTP, socket, target),
    tooLate: (socket) => answerUnreadable(TOO_SLOW, socket),
  });
  // An unknown `Expect` gets the normal envelope.
  server.on('checkExpectation', guarded);
  // Reading the body lets it come, see hold-body.ts.
  server.on('checkContinue', guarded);
  server.on('clientError', (error: ParserError, socket) => answerUnreadable(problemOf(error), socket, targetIn(error)));
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
    if (!isAnswerable(socket)) return void socket.destroy();
    listener(request, response);
  };
}

function refuseWithoutHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') return listener(request, response);
    answerUnreadable(NO_HTTP, request.socket, request.url);
  };
}

function letBodiesWait(listener: RequestListener): RequestListener {
  const cut = cutWith({ code: 'payload_too_large' });
  return (request, response) => {
    holdBody(request, response, cut);
    listener(request, response);
  };
}

const cutWith = (problem: Unreadable) => (request: IncomingMessage) =>
  answerUnreadable(problem, request.socket, request.url);

/**
 * Answers a request that cannot be read, in the form of its path.
 *
 * @param target where it is known; else that of the request whose body the socket brings
 */
function answerUnreadable(problem: Unreadable, socket: Duplex, target = targetInWork(socket)): void {
  const { code } = problem;
  const { status, label: usual } = ERROR_CATALOG[code];
  const { label = usual, message = ERROR_CATALOG[code].message } = problem;
  const body =
    protocolOf(target) === 'openai' ? renderError({ code, message }).body : errorBody(status, label, message);
  answerOnSocket({ status, headers: {}, body }, socket);
}

function targetInWork(socket: Duplex): string | undefined {
  const response = newestResponse(socket as Socket);
  return response?.writableFinished === false ? response.req.url : undefined;
}

/** Of a request whose head was too long for the parser, where its beginning is at hand. */
function targetIn({ rawPacket }: ParserError): string | undefined {
  return /^\S+ (\S+)/.exec(rawPacket?.toString('latin1', 0, MOST_TARGET_BYTES) ?? '')?.[1];
}

function problemOf(error: ParserError): Unreadable {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW;
  if (error.code !== 'HPE_HEADER_OVERFLOW') return NO_HTTP;
  return { code: isInRequestLine(error) ? 'uri_too_long' : 'headers_too_large' };
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
