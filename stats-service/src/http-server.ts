import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitAddress } from '@lontar/shared/address.ts';
import { CLIENT_ADDRESS_HEADER } from '@lontar/shared/inner-headers.ts';
import { type Logger, loggableUrl } from '@lontar/shared/logger.ts';
import { listen } from '@lontar/shared/probe-listener.ts';
import { type Answer, type Asked, failure, findRoute, type Route } from './routes.ts';

/** Bodies are sign-ins; nothing longer is read. */
const MAX_BODY_BYTES = 4_096;

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
  readonly logger: Logger;
}

/**
 * Serves the routes on a listener that only the gateway reaches; it names the caller in a header that it strips from
 * what callers send.
 *
 * @throws when the port is taken
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer((request, response) => {
    void serve(options, request, response).catch((error: unknown) => {
      options.logger.error({ err: error, route: loggableUrl(request.url ?? '') }, 'a request failed');
      if (response.headersSent) response.destroy();
      else send(response, failure('internal_error'), request.method === 'HEAD');
    });
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  // Longer than any proxy in front keeps an idle connection, so that it is not closed under a request.
  server.keepAliveTimeout = 65_000;
  await listen(server, options.port, options.host);
  return { port: (server.address() as AddressInfo).port, stop: () => close(server) };
}

async function serve(options: HttpServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = readUrl(request.url ?? '/');
  if (url === undefined) return send(response, failure('not_found'));
  const method = request.method ?? 'GET';
  // A page may be asked about; the endpoints take GET alone.
  const head = method === 'HEAD' && !url.pathname.startsWith('/api/');
  const asked = ask(request, url);
  try {
    if (method === 'GET' && url.pathname === options.stream.path) {
      const refused = await options.stream.open(asked, response);
      return refused && send(response, refused);
    }
    const found = findRoute(routesFor(request, options.routes), head ? 'GET' : method, url.pathname);
    if (!('route' in found)) return send(response, noRoute(found.allow));
    if (method !== 'GET' && !head && !isSameOrigin(request)) {
      return send(response, failure('key_not_active', 'Requests of other sites are refused.'));
    }
    const body = method === 'POST' ? await readJson(request) : undefined;
    send(response, await found.route.handle({ ...asked, params: found.params, body }), head);
  } catch (error) {
    if (error instanceof BadBody) return send(response, failure('invalid_parameter', error.message));
    if (!isRedisAway(error)) throw error;
    options.logger.warn({ err: error, route: url.pathname }, 'Redis did not answer');
    send(response, failure('service_unavailable'));
  }
}

/**
 * Reads a request's target, unless its path would have to be resolved first (dot segments, however they are written;
 * backslashes; an origin in front): the gateway has judged the path as it was written.
 */
function readUrl(target: string): URL | undefined {
  const url = URL.parse(target, 'http://stats-service');
  return url !== null && url.pathname === target.split('?', 1)[0] ? url : undefined;
}

/** The gateway names the caller of each request that it hands on. */
function routesFor(request: IncomingMessage, routes: readonly Route[]): readonly Route[] {
  return request.headers[CLIENT_ADDRESS_HEADER] === undefined ? routes : routes.filter(({ inner }) => !inner);
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

/** Errors of a connection that is away, slow, full or read-only: the caller may try again. */
function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /timed out|isn't writeable|Connection is closed|max retries|ECONN|LOADING|READONLY|OOM|MISCONF/i.test(
    error.message,
  );
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // Live streams have been told goodbye by now; whatever still hangs must not hold the process.
    setTimeout(() => server.closeAllConnections(), 1_000).unref();
  });
}
