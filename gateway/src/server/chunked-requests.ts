import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { neverReadAgain, stopReadingHandedOver } from '../patches/sockets.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { newestResponse } from './in-turn.ts';
import { isAnswerable } from './last-answers.ts';

/** What may come behind a body while its request is in work, bytes. It is dropped; reading shows when the caller leaves. */
const MOST_BEHIND_BYTES = 64 * 1024;

export interface ChunkedOptions {
  /** How long a body may take, ms. */
  readonly timeoutMs: number;
  /**
   * Answers a request whose body is not framed as it says, or does not end, and ends its connection. Its target is given
   * where the request was not handed to the listener.
   */
  readonly malformed: (socket: Socket, target?: string) => void;
  readonly tooLate: (socket: Socket) => void;
  /** Called with how much has been read of a body into memory of its own, bytes. */
  readonly onRead: (bytes: number) => void;
}

const decoders = new WeakMap<IncomingMessage, ChunkDecoder>();

/** Whether a body has come in very many chunks that hold next to nothing; it then seems to end. */
export function isInTinyChunks(request: IncomingMessage): boolean {
  return decoders.get(request)?.isAbsurd ?? false;
}

/** Whether a request's body comes in chunks, taken apart here. */
export function isChunked(request: IncomingMessage): boolean {
  return decoders.has(request);
}

/** Whether all of a request has been read from its connection. */
export function hasCome(request: IncomingMessage): boolean {
  return request.complete && !isInTinyChunks(request);
}

/**
 * Serves requests with bodies in chunks by a decoder of our own; their connection ends with the answer. By Node's
 * parser, a few connections that send single bytes keep this process from doing anything else.
 *
 * This rests on documented options of Node 24 (`IncomingMessage`, `shouldUpgradeCallback`, the event `upgrade`), and
 * on reading that a request which is handed over skips its body; chunked-requests.int.test.ts would notice a change.
 */
export function serveChunked(server: Server, listener: RequestListener, options: ChunkedOptions): void {
  server.on('upgrade', (original: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', ignore);
    socket.setTimeout(0);
    const { 'transfer-encoding': encoding = '' } = original.headers;
    if (encoding.toLowerCase() !== 'chunked') return options.malformed(socket, original.url);
    const before = newestResponse(socket);
    // Bound, not a function written here: all of those share what one of them needs, and would hold the head's 64 KB.
    const taken = take.bind(undefined, original, socket, head, listener, options);
    if (before === undefined || before.writableFinished) taken();
    else before.once('finish', taken);
  });
}

const ignore = (): void => undefined;

function take(
  original: IncomingMessage,
  socket: Socket,
  head: Buffer,
  listener: RequestListener,
  options: ChunkedOptions,
): void {
  // The one before has ended the connection.
  if (socket.destroyed || !isAnswerable(socket)) return void socket.destroy();
  stopReadingHandedOver(socket);
  const request = bodiless(original, socket);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  socket.on('drain', () => response.emit('drain'));
  const begin = (): void => listener(request, response);
  receive({ request, socket, head, begin, isAnswered: () => response.writableEnded }, options);
}

/** The same request, whose body is still to come. */
function bodiless(original: IncomingMessage, socket: Socket): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = original;
  return Object.assign(new IncomingMessage(socket), {
    method,
    url,
    headers,
    rawHeaders,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
  });
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** What of the body came in one piece with the head. */
  readonly head: Buffer;
  readonly begin: () => void;
  readonly isAnswered: () => boolean;
}

/** Makes the decoded pieces that come from the socket the body of the request. */
function receive(
  { request, socket, head, begin, isAnswered }: Arrival,
  { malformed, tooLate, timeoutMs, onRead }: ChunkedOptions,
): void {
  const decoder = new ChunkDecoder();
  decoders.set(request, decoder);
  const timer = setTimeout(() => request.complete || tooLate(socket), timeoutMs);
  let behind = 0;
  const decode = (raw: Buffer): void => {
    onRead(raw.length);
    // Behind the end, or behind the answer: the connection ends with that.
    if (request.complete || request.destroyed || isAnswered()) {
      behind += raw.length;
      if (behind > MOST_BEHIND_BYTES) neverReadAgain(socket);
      return;
    }
    const content = decoder.decode(raw);
    if (content === undefined) return malformed(socket);
    // Also of one that is broken off: it would end its connection before the answer, see `hasCome`.
    if (decoder.isDone || decoder.isAbsurd) request.complete = true;
    if (decoder.isAbsurd) neverReadAgain(socket);
    if (content.length > 0 && !request.push(content)) socket.pause();
    if (request.complete) request.push(null);
  };
  socket.on('data', decode);
  socket.once('end', () => (request.complete ? socket.end() : malformed(socket)));
  socket.once('close', () => {
    clearTimeout(timer);
    if (!request.readableEnded) request.destroy();
  });
  begin();
  if (head.length > 0) decode(head);
}
