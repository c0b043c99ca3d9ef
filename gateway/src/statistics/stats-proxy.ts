import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  INNER_REFUSAL_HEADER,
  readSpentUploads,
  SPENT_UPLOADS_HEADER,
  type SpentUploads,
} from '@lontar/shared/inner-headers.ts';
import { STATS_PATIENCE_MS, TRANSFER_TIMEOUT_MS } from '@lontar/shared/time-budget.ts';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { takesBody } from '../envelope/announces-body.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { chooseHeaders } from './forwarded-headers.ts';
import { sendUnavailable } from './unavailable.ts';

/** Headers about one connection alone (RFC 9110, 7.6.1). The caller's is another one than that to stats-service. */
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

/** With the count in Redis before it, a caller gets its answer within five seconds; on a slow line the body later. */
const PATIENCE: Patience = { headMs: STATS_PATIENCE_MS, wholeMs: TRANSFER_TIMEOUT_MS };

/**
 * Paths outside `/api/` that belong to the dashboard page: names that every reader of URLs reads alike. No percent sign,
 * no backslash, no empty name and none of dots alone, because who resolves those ends at other paths of stats-service.
 */
export const PAGE_PATHS = /^\/(?:(?:assets|dashboard)(?:\/[\w-]+(?:\.[\w-]+)*)+)?$/;

/** The live stream of a page; each holds a connection for as long as the page is open. */
export const LIVE_STREAM_PATH = '/dashboard/events';

/**
 * Connections to stats-service, by what is asked for: clients who hold all connections of pages or of live streams do
 * not keep others from the endpoints of the API. Health has another one of its own, see shared-health.ts.
 */
const MOST_CONNECTIONS = { api: 128, pages: 128, streams: 160, admin: 32 } as const;
type Pool = keyof typeof MOST_CONNECTIONS;

/** The longest answer that is held for a caller, bytes; the largest part of the page has 81 KB. */
const MOST_HELD_BYTES = 256 * 1024;

/** Takes an error that the proxy cannot answer. */
type Next = (error?: unknown) => void;

/** What a request is handed on with. */
export interface Handover {
  readonly context: RequestContext;
  /** That it was routed by. */
  readonly path: string;
  /** By which the caller reached the gateway. */
  readonly protocol: string;
  /** Its body, which has been read whole. */
  readonly body?: Buffer;
  /** The answer is for the operator alone; stats-service judges who that is. */
  readonly forOperator?: boolean;
  /** It is for the admin API, which reads headers of its own; stats-service judges who asks. */
  readonly forAdmin?: boolean;
  /** Called, before the answer goes out, when that says that the caller has no upload left today. */
  readonly onSpent?: (uploads: SpentUploads) => void;
}

/** Hands requests to stats-service, at one fixed address that no caller can change. */
export interface StatsProxy {
  /** Asks for the path that the request was routed by, and its query. The request's own body must have been read. */
  forward(request: IncomingMessage, response: ServerResponse, next: Next, handover: Handover): void;
  /** Ends the live streams of dashboard pages, now and to come: they would never end by themselves. */
  endStreams(): void;
  stop(): void;
}

/** Where stats-service is, and how it knows this gateway. */
export interface StatsAddress {
  /** `STATS_URL` */
  readonly url: string;
  /** `INNER_SECRET` */
  readonly secret: string;
}

/**
 * @param onFailure called when stats-service cannot be reached, does not answer in time, or does not know this gateway
 * @param patience another one only in tests
 */
export function createStatsProxy(
  stats: StatsAddress,
  onFailure: (error: unknown) => void,
  patience: Patience = PATIENCE,
): StatsProxy {
  const streams = openStreams();
  const passages = new WeakMap<ServerResponse, Passage>();
  const on = handlersOf({ stats, onFailure, patience, streams, passages });
  const proxies = Object.entries(MOST_CONNECTIONS).map(([pool, maxSockets]) => {
    const agent = new Agent({ keepAlive: true, maxSockets });
    // The proxy would copy every header, and the caller's Connection as well.
    const options = { target: stats.url, agent, xfwd: false, selfHandleResponse: true, on };
    return { pool, agent, hand: createProxyMiddleware(options) };
  });
  const giveUp = (response: ServerResponse, passage: Passage): void => {
    onFailure(new Error('no answer in time'));
    sendUnavailable(response, passage);
    passage.proxyRequest?.destroy();
  };
  return {
    forward(request, response, next, handover) {
      // Not the target as it came, which may hold an origin too: what was judged has to be what is asked for.
      request.url = handover.path + queryOf(request.url ?? '');
      // With this header the proxy would send all others before we get to choose among them, forged ones included.
      delete request.headers.expect;
      // Not the proxy's own timeouts: those watch idle sockets, which cuts streams, and miss a request that has none yet.
      const timer = setTimeout(() => giveUp(response, passage), patience.headMs);
      const passage: Passage = { timer, ...handover };
      passages.set(response, passage);
      response.once('close', () => clearTimeout(passage.timer));
      const wanted = poolOf(handover.path);
      void proxies.find(({ pool }) => pool === wanted)?.hand(request, response, next);
    },
    endStreams: streams.end,
    stop: () => proxies.forEach(({ agent }) => agent.destroy()),
  };
}

interface Passing {
  readonly stats: StatsAddress;
  readonly onFailure: (error: unknown) => void;
  readonly patience: Patience;
  readonly streams: ReturnType<typeof openStreams>;
  readonly passages: WeakMap<ServerResponse, Passage>;
}

/** What happens to a request on its way, and to its answer. */
function handlersOf({ stats, onFailure, patience, streams, passages }: Passing): NonNullable<Options['on']> {
  return {
    proxyReq(proxyRequest, request, response) {
      // It stood in line for a connection until it was given up.
      if (response.writableEnded) return void proxyRequest.destroy();
      const passage = passages.get(response);
      if (passage === undefined) return void proxyRequest.destroy();
      passage.proxyRequest = proxyRequest;
      chooseHeaders(proxyRequest, request, passage, stats);
      if (!takesBody(request.method)) return;
      const body = passage.body ?? Buffer.alloc(0);
      proxyRequest.setHeader('Content-Length', body.length);
      if (body.length > 0) proxyRequest.write(body);
    },
    proxyRes(proxyResponse, _request, response) {
      if (isRefusal(proxyResponse)) {
        proxyResponse.resume();
        onFailure(new Error(NOT_KNOWN));
        return sendUnavailable(response, passages.get(response));
      }
      response.statusCode = proxyResponse.statusCode ?? 502;
      for (const [name, value] of endToEndHeaders(proxyResponse)) response.setHeader(name, value);
      const passage = passages.get(response);
      const spent = readSpentUploads(proxyResponse.headers);
      if (spent) passage?.onSpent?.(spent);
      // A request that came before the stop began has been promised a connection that lasts.
      if (streams.areOver()) response.setHeader('Connection', 'close');
      passOn(proxyResponse, response);
      clearTimeout(passage?.timer);
      if (proxyResponse.headers['content-type']?.startsWith('text/event-stream')) streams.add(response);
      else if (passage) passage.timer = setTimeout(() => response.destroy(), patience.wholeMs);
    },
    error(error, _request, response) {
      // A request that was given up fails a second time when it is ended.
      if (response.writableEnded) return;
      onFailure(error);
      sendUnavailable(response, response instanceof Socket ? undefined : passages.get(response));
    },
  };
}

/** A request on its way through the proxy. */
interface Passage extends Handover {
  /** Ends it when its answer, or the rest of that, does not come. */
  timer: NodeJS.Timeout;
  /** Absent while it stands in line for a connection. */
  proxyRequest?: ClientRequest;
}

/** The query with its question mark, without a key: that stays here. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return '';
  const query = new URLSearchParams(url.slice(at + 1));
  if (!query.has('apikey')) return url.slice(at);
  query.delete('apikey');
  return `?${query.toString()}`;
}

function poolOf(path: string): Pool {
  if (path === LIVE_STREAM_PATH) return 'streams';
  if (path.startsWith('/admin/')) return 'admin';
  return path.startsWith('/api/') ? 'api' : 'pages';
}

/**
 * Passes on the body of an answer. One of a page's size is taken whole at once: a caller who does not read it, or has
 * answers before it that do not end, then holds this memory and no connection to stats-service.
 */
function passOn(answer: IncomingMessage, response: ServerResponse): void {
  const length = Number(answer.headers['content-length'] ?? Number.NaN);
  if (!(length <= MOST_HELD_BYTES)) return void answer.pipe(response);
  answer.on('data', (chunk: Buffer) => response.write(chunk)).on('end', () => response.end());
}

/** Whether stats-service answered the gateway itself, and not its caller: the two have not the same secret. */
export function isRefusal({ headers }: IncomingMessage): boolean {
  return headers[INNER_REFUSAL_HEADER] !== undefined;
}

export const NOT_KNOWN = 'stats-service does not know this gateway: give both the same INNER_SECRET';

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
