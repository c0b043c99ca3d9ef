import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const LOOK_MS = 250;
/** How long the next piece of a body, or of an answer, may take to get through, ms. */
const PATIENCE_MS = 7_000;
/** A piece, bytes: at this pace a twentieth of what an upload needs to be through in its time. */
const PIECE_BYTES = 32 * 1024;
const CUT_AT_ONCE = 4;
/**
 * Requests that one connection may send before the first of them is answered. Their answers wait in memory, and a few
 * kilobytes of requests can ask for hundreds of megabytes.
 */
const MOST_PIPELINED = 32;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When and where the piece began that is on its way. */
  since: number;
  received: number;
  sent: number;
  /** Where it stands in the list of all; -1 where it does not. */
  at: number;
}

/**
 * The exchanges under way, in no order. Not a `Set`: V8 makes its table anew again and again as members come and go, and each
 * old one holds its members and the next one until a full collection. So every request outlived two of the young generation.
 */
function createExchanges() {
  const all: Exchange[] = [];
  return {
    all: all as readonly Exchange[],
    add(exchange: Exchange): void {
      exchange.at = all.push(exchange) - 1;
    },
    remove(exchange: Exchange): void {
      if (exchange.at < 0) return;
      const last = all.pop() as Exchange;
      if (last !== exchange) {
        all[exchange.at] = last;
        last.at = exchange.at;
      }
      exchange.at = -1;
    },
  };
}

/**
 * Ends exchanges that hold a connection by sending their body, or reading their answer, a few bytes at a time. Waiting
 * for the model is no such thing, nor is a live stream that has nothing to say. The time in which this process itself stood
 * still (a paused machine, a starved container) is no slowness of others.
 *
 * @param cut answers a request whose body does not arrive, and ends its connection
 * @param patienceMs another one only in tests
 */
export function keepPace(
  listener: RequestListener,
  cut: (request: IncomingMessage) => void,
  patienceMs: number = PATIENCE_MS,
) {
  const exchanges = createExchanges();
  const unanswered = new WeakMap<Socket, number>();
  // Only while there are any: an idle gateway is not woken.
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = 0;
  const look = () => {
    const now = performance.now();
    const lateMs = now - lookedAt - LOOK_MS;
    // Timers come before sockets: what the others sent or took meanwhile is not known yet.
    const stoodStillMs = lateMs > patienceMs / 2 ? lateMs : 0;
    lookedAt = now;
    const slow: Exchange[] = [];
    for (const exchange of exchanges.all.toReversed()) {
      exchange.since = Math.min(now, exchange.since + stoodStillMs);
      if (isOver(exchange)) exchanges.remove(exchange);
      else if (isTooSlow(exchange, now, patienceMs)) slow.push(exchange);
    }
    endInTurns(slow, cut);
    if (exchanges.all.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    listener: ((request, response) => {
      const { socket } = request;
      const pipelined = (unanswered.get(socket) ?? 0) + 1;
      unanswered.set(socket, pipelined);
      if (pipelined > MOST_PIPELINED) return void socket.destroy();
      const exchange = { request, response, since: performance.now(), ...progress(request), at: -1 };
      exchanges.add(exchange);
      if (timer === undefined) {
        lookedAt = performance.now();
        timer = setInterval(look, LOOK_MS).unref();
      }
      response.on('close', () => {
        unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
        if (isOver(exchange)) exchanges.remove(exchange);
      });
      listener(request, response);
    }) satisfies RequestListener,
    stop: () => clearInterval(timer),
  };
}

/** An answer may be out while its request still arrives: an upload that was refused. */
function isOver({ request, response }: Exchange): boolean {
  return request.socket.destroyed || (request.complete && response.closed);
}

/** Notes each piece that has got through; true when the next one takes too long. */
function isTooSlow(exchange: Exchange, now: number, patienceMs: number): boolean {
  const { request, response, received, sent, since } = exchange;
  const next = progress(request);
  const isReceiving = !request.complete;
  const isSending = response.headersSent && request.socket.writableLength > 0;
  const moved = isReceiving ? next.received - received : next.sent - sent;
  if (moved < PIECE_BYTES && (isReceiving || isSending)) return now - since >= patienceMs;
  Object.assign(exchange, next, { since: now });
  return false;
}

/** A few at a time: hundreds that came together are cut together, and others must not wait for all of them. */
function endInTurns(exchanges: readonly Exchange[], cut: (request: IncomingMessage) => void): void {
  for (const exchange of exchanges.slice(0, CUT_AT_ONCE)) if (!isOver(exchange)) end(exchange, cut);
  const rest = exchanges.slice(CUT_AT_ONCE);
  if (rest.length > 0) setImmediate(endInTurns, rest, cut);
}

function end({ request, response }: Exchange, cut: (request: IncomingMessage) => void): void {
  tooSlow.add(response);
  if (!request.complete && !response.headersSent) cut(request);
  // Else the system would keep what was not read, which may be megabytes, for as long as the other end is there.
  else request.socket.resetAndDestroy();
}

const tooSlow = new WeakSet<ServerResponse>();

/** Whether an exchange was ended because it was too slow, and not by its caller. */
export function wasCutForPace(response: ServerResponse): boolean {
  return tooSlow.has(response);
}

/** Bytes that have come from, and gone to, the other end. */
function progress({ socket }: IncomingMessage): { received: number; sent: number } {
  return { received: socket.bytesRead, sent: socket.bytesWritten - socket.writableLength };
}
