import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitAddress } from '@lontar/shared/address.ts';
import { CLIENT_ADDRESS_HEADER, OPERATOR_ONLY_HEADER } from '@lontar/shared/inner-headers.ts';
import { type Logger, loggableUrl } from '@lontar/shared/logger.ts';
import { listen } from '@lontar/shared/probe-listener.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { type ThrottledLogger, throttledWarning, throttleLines } from '@lontar/shared/throttled-log.ts';
import { type Asker, askerOf, refuseStranger } from './inner-door.ts';
import { type Answer, type Asked, failure, findRoute, type Route } from './routes.ts';

/** Bodies are sign-ins; nothing longer is read. */
const MAX_BODY_BYTES = 4_096;
/** More than the gateway takes, as it adds headers of its own to the caller's. */
const MAX_HEADER_BYTES = 64 * 1024;
const RECEIVE_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;

/** Serves a live stream on a response of its own; everything else is a `Route`. */
export interface StreamRoute {
  readonly path: string;
  readonly open: (asked: Asked, response: ServerResponse) => Promise<Answer | undefined>;
}

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly routes: readonly Route[];
  readonly stream: StreamRoute;
  /** What everybody but the operator hears at paths that the gateway keeps for the operator. */
  readonly refuseOthers: (asked: Asked) => Promise<Answer | undefined>;
  readonly logger: Logger;
  /** `INNER_SECRET`. */
  readonly innerSecret: string;
}

/** What serving needs: lines that a caller can cause at will are thinned. */
type Serving = Omit<HttpServerOptions, 'logger'> & { readonly lines: ThrottledLogger };

/**
 * Serves the routes on a listener for the gateway, which names the caller in a header that it strips from what callers
 * send, and for Prometheus. Whoever cannot prove to be one of them is refused, whatever is asked for.
 *
 * @throws when the port is taken
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const serving: Serving = { ...options, lines: throttleLines(options.logger) };
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: RECEIVE_TIMEOUT_MS,
    requestTimeout: RECEIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  };
  const warnOfStranger = throttledWarning(options.logger, 'refused a request without INNER_SECRET');
  const server = createServer(limits, (request, response) => {
    const asker = askerOf(request.headers, options.innerSecret);
    if (asker === 'stranger') {
      warnOfStranger(request.socket.remoteAddress ?? 'unknown');
      return send(response, refuseStranger(), request.method === 'HEAD');
    }
    void serve(serving, asker, request, response).catch((error: unknown) => {
      serving.lines.error({ err: error, route: loggableUrl(request.url ?? '') }, 'a request failed');
      if (response.headersSent) response.destroy();
      else send(response, failure('internal_error'), request.method === 'HEAD');
    });
  });
  // Longer than any proxy in front keeps an idle connection, so that it is not closed under a request.
  server.keepAliveTimeout = 65_000;
  await listen(server, options.port, options.host);
  return { port: (server.address() as AddressInfo).port, stop: () => close(server) };
}

async function serve(
  options: Serving,
  asker: Asker,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = readUrl(request.url ?? '/');
  if (url === undefined) return send(response, failure('not_found'));
  const method = request.method ?? 'GET';
  // A page may be asked about; the endpoints take GET alone.
  const head = method === 'HEAD' && !url.pathname.startsWith('/api/');
  const asked = ask(request, url);
  try {
    if (asker === 'gateway' && method === 'GET' && url.pathname === options.stream.path) {
      const refused = await options.stream.open(asked, response);
      return refused && send(response, refused);
    }
    const found = findRoute(routesFor(asker, options.routes), head ? 'GET' : method, url.pathname);
    if (!('route' in found)) return send(response, noRoute(found.allow));
    if (method !== 'GET' && !head && !isSameOrigin(request)) {
      return send(response, failure('cross_site_request', 'Requests of other sites are refused.'));
    }
    if (request.headers[OPERATOR_ONLY_HEADER] !== undefined) {
      const refused = await refuseOthers(options, request, asked);
      if (refused) return send(response, refused);
    }
    const body = method === 'POST' ? await readJson(request) : undefined;
    send(response, await found.route.handle({ ...asked, params: found.params, body }), head);
  } catch (error) {
    if (error instanceof BadBody) return send(response, failure('invalid_parameter', error.message));
    if (!(error instanceof RedisAwayError)) throw error;
    options.lines.warn({ err: error, route: url.pathname }, 'Redis did not answer');
    send(response, failure('service_unavailable'));
  }
}

/** Pages of other sites may not try tokens in the name of who looks at them, which would use up the tries there. */
async function refuseOthers(options: Serving, request: IncomingMessage, asked: Asked): Promise<Answer | undefined> {
  const judged = isSameOrigin(request) ? asked : { ...asked, bearer: '' };
  return options.refuseOthers(judged);
}

/**
 * Reads a request's target, unless its path would have to be resolved first (dot segments, however they are written;
 * backslashes; an origin in front): the gateway has judged the path as it was written.
 */
function readUrl(target: string): URL | undefined {
  const url = URL.parse(target, 'http://stats-service');
  return url !== null && url.pathname === target.split('?', 1)[0] ? url : undefined;
}

/** What is for Prometheus does not exist for callers of the gateway, and the other way round. */
function routesFor(asker: Asker, routes: readonly Route[]): readonly Route[] {
  return routes.filter(({ inner = false }) => inner === (asker === 'monitoring'));
}

function ask(request: IncomingMessage, url: URL): Asked {
  const header = (name: string) => String(request.headers[name] ?? '');
  const lastEventId = header('last-event-id') || url.searchParams.get('after');
  return {
    address: header(CLIENT_ADDRESS_HEADER) || limitAddress(request.socket.remoteAddress ?? ''),
    path: url.pathname,
    query: url.searchParams,
    params: {},
    body: undefined,
    cookie: header('cookie'),
    bearer: /^Bearer +(\S+)$/i.exec(header('authorization'))?.[1] ?? '',
    secure: header('x-forwarded-proto') === 'https',
    ahead: request.method === 'HEAD' || /prefetch|prerender|preview/.test(header('sec-purpose') + header('purpose')),
    ...(lastEventId ? { lastEventId } : {}),
  };
}

/**
 * Whether a change is asked for by a page of this origin, or by no page at all (curl). SameSite=Strict says the same;
 * this holds where a browser sends the cookie all the same, as between ports of one host. Browsers tell the site over
 * TLS and to localhost alone, the origin everywhere.
 */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // No page can forge it, and it is right behind a proxy that rewrites Host, too.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || isOriginOf(headers.origin, headers.host ?? '');
}

/**
 * Whether an Origin header names the host of a Host header; `null`, the origin of sandboxed frames, names none. The
 * scheme is the caller's own, because a proxy in front may have ended TLS.
 */
function isOriginOf(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.host !== '' && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}

function noRoute(allow: readonly string[]): Answer {
  if (allow.length === 0) return failure('not_found');
  return failure('method_not_allowed', undefined, { allow: allow.join(', ') });
}

function send(response: ServerResponse, answer: Answer, head = false): void {
  const { body } = answer;
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const content = isJson ? JSON.stringify(body) : body;
  const type = isJson ? { 'content-type': 'application/json; charset=utf-8' } : {};
  response.writeHead(answer.status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...type,
    ...answer.headers,
  });
  response.end(head ? undefined : content);
}

class BadBody extends Error {}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new BadBody(`The body may have ${MAX_BODY_BYTES} bytes at most.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new BadBody('The body is not JSON.');
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // Live streams have been told goodbye by now; whatever still hangs must not hold the process.
    setTimeout(() => server.closeAllConnections(), 1_000).unref();
  });
}
