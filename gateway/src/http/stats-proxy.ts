import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  CLIENT_ADDRESS_HEADER,
  readSpentUploads,
  SPENT_UPLOADS_HEADER,
  type SpentUploads,
} from '@lontar/shared/inner-headers.ts';
import type { NextFunction, Request, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { refuse } from './answer.ts';
import type { RequestContext } from './request-context.ts';
import { REQUEST_TIMEOUT_MS } from './server.ts';

/** Headers of a caller that stats-service gets to see; everything else stays here, keys above all. */
const FORWARDED_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'if-none-match',
  'last-event-id',
  'origin',
  'purpose',
  'sec-fetch-site',
  'sec-purpose',
  'transfer-encoding',
  'user-agent',
]);

/** Headers that tell of one connection alone (RFC 9110, 7.6.1). The caller's is another one than that to stats-service. */
const HOP_BY_HOP_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** How long stats-service may take. */
interface Patience {
  /** From handing on to the head of the answer, ms. */
  readonly headMs: number;
  /** From the head to the end, ms; live streams have none. */
  readonly wholeMs: number;
}

/** With the count in Redis before it, a caller hears within five seconds. A slow line may need longer for the body. */
const PATIENCE: Patience = { headMs: 4_000, wholeMs: REQUEST_TIMEOUT_MS };

/**
 * Paths outside `/api/` that belong to the dashboard page: names that every reader of URLs reads alike. No percent sign,
 * no backslash, no empty name and none of dots alone, because who resolves those ends at other paths of stats-service.
 */
export const PAGE_PATHS = /^\/(?:(?:assets|dashboard)(?:\/[\w-]+(?:\.[\w-]+)*)+)?$/;

/** Hands requests to stats-service, at one fixed address that no caller can change. */
export interface StatsProxy {
  /**
   * Asks for the path that the request was routed by, and its query.
   *
   * @param onSpent told, before the answer goes out, when that says that the caller has no upload left today
   */
  forward(request: Request, response: Response, next: NextFunction, onSpent?: (uploads: SpentUploads) => void): void;
  /** Ends the live streams of dashboard pages, now and to come: they would never end by themselves. */
  endStreams(): void;
  stop(): void;
}

/**
 * @param target `STATS_URL`
 * @param onFailure told when stats-service cannot be reached, or does not answer in time
 * @param patience another one only in tests
 */
export function createStatsProxy(
  target: string,
  onFailure: (error: unknown) => void,
  patience: Patience = PATIENCE,
): StatsProxy {
  const streams = openStreams();
  const passages = new WeakMap<ServerResponse, Passage>();
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const proxy = createProxyMiddleware<Request, Response>({
    target,
    agent,
    xfwd: false,
    // The proxy would copy every header, and the caller's Connection as well.
    selfHandleResponse: true,
    on: {
      proxyReq(proxyRequest, request, response) {
        // It stood in line for a connection until it was given up.
        if (response.writableEnded) return void proxyRequest.destroy();
        const passage = passages.get(response);
        if (passage) passage.proxyRequest = proxyRequest;
        for (const name of proxyRequest.getHeaderNames()) {
          if (!FORWARDED_HEADERS.has(name.toLowerCase())) proxyRequest.removeHeader(name);
        }
        const context = response.locals['context'] as RequestContext;
        proxyRequest.setHeader(CLIENT_ADDRESS_HEADER, context.address);
        proxyRequest.setHeader('X-Request-Id', context.id);
        proxyRequest.setHeader('X-Forwarded-Proto', request.protocol);
      },
      proxyRes(proxyResponse, _request, response) {
        response.statusCode = proxyResponse.statusCode ?? 502;
        for (const [name, value] of endToEndHeaders(proxyResponse)) response.setHeader(name, value);
        const passage = passages.get(response);
        const spent = readSpentUploads(proxyResponse.headers);
        if (spent) passage?.onSpent?.(spent);
        // A request that came before the stop began has been promised a connection that lasts.
        if (streams.areOver()) response.setHeader('Connection', 'close');
        proxyResponse.pipe(response);
        clearTimeout(passage?.timer);
        if (proxyResponse.headers['content-type']?.startsWith('text/event-stream')) streams.add(response);
        else if (passage) passage.timer = setTimeout(() => response.destroy(), patience.wholeMs);
      },
      error(error, _request, response) {
        // A request that was given up fails a second time when it is ended.
        if (response.writableEnded) return;
        onFailure(error);
        sendUnavailable(response);
      },
    },
  });
  const giveUp = (request: Request, response: Response, passage: Passage): void => {
    // The request itself is still arriving; whoever sends it too slowly is cut, see pace.ts.
    if (!request.complete) return void passage.timer.refresh();
    onFailure(new Error('no answer in time'));
    sendUnavailable(response);
    passage.proxyRequest?.destroy();
  };
  return {
    forward(request, response, next, onSpent) {
      // Not the target as it came, which may hold an origin too: what was judged has to be what is asked for.
      const query = request.url.indexOf('?');
      request.url = request.path + (query < 0 ? '' : request.url.slice(query));
      // With this header the proxy would send all others before we get to choose among them, forged ones included.
      delete request.headers.expect;
      // Not the proxy's own timeouts: those watch idle sockets, which cuts streams, and miss a request that has none yet.
      const passage: Passage = { timer: setTimeout(() => giveUp(request, response, passage), patience.headMs) };
      if (onSpent) passage.onSpent = onSpent;
      passages.set(response, passage);
      response.once('close', () => clearTimeout(passage.timer));
      void proxy(request, response, next);
    },
    endStreams: streams.end,
    stop: () => agent.destroy(),
  };
}

/** A request on its way through the proxy. */
interface Passage {
  /** Ends it when its answer, or the rest of that, does not come. */
  timer: NodeJS.Timeout;
  /** Absent while it stands in line for a connection. */
  proxyRequest?: ClientRequest;
  onSpent?: (uploads: SpentUploads) => void;
}

/** Pages connect again, and then to a gateway that stays. */
function openStreams() {
  const open = new Set<ServerResponse>();
  let over = false;
  return {
    add(response: ServerResponse): void {
      if (over) return void response.destroy();
      open.add(response);
      response.once('close', () => open.delete(response));
    },
    areOver: () => over,
    end(): void {
      over = true;
      for (const response of open) response.destroy();
    },
  };
}

/** The headers of an answer that are for the caller, whatever connection it came on. */
function endToEndHeaders({ headers }: IncomingMessage): [string, string | string[]][] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set(HOP_BY_HOP_HEADERS.concat(SPENT_UPLOADS_HEADER, named));
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || dropped.has(name) ? [] : [[name, value]],
  );
}

function sendUnavailable(response: ServerResponse | Socket): void {
  if (response instanceof Socket || response.headersSent) return void response.destroy();
  const { status, body } = refuse('service_unavailable', {
    message: 'The statistics cannot be reached now. Generation goes on; try again in a few seconds.',
  });
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Retry-After': '5',
  });
  response.end(text);
}
