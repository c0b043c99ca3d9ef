import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createExpress } from '@lontar/shared/http/app.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import { throttleLines } from '@lontar/shared/throttled-log.ts';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type { CheckKeyDeps, Count } from '../admission/check-key.ts';
import { isUnreadable } from '../caller/cross-site.ts';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { GenerateDeps } from '../generation/generate.ts';
import { isProxy } from '../patches/trusted-proxies.ts';
import type { PublicLimits } from '../reference/openapi.ts';
import {
  createReference,
  createRunbookPages,
  REFERENCE_PATHS,
  type ReferencePage,
  RUNBOOK_PATHS,
} from '../reference/reference-routes.ts';
import { STATS_API_PATHS, UNCOUNTED_PATH } from '../statistics/paths.ts';
import { PAGE_PATHS } from '../statistics/stats-proxy.ts';
import { type ConcludeDeps, concludeAnswer, inProtocol } from './conclude.ts';
import { createRequestDoor } from './connection-bounds.ts';
import { countRequest } from './count-request.ts';
import { createContext, OWN_HEADERS } from './create-context.ts';
import { isPreflight, tellPreflight } from './cross-origin.ts';
import type { EventStreams } from './event-streams.ts';
import { fixedHeaders, setHeadersLast } from './fixed-headers.ts';
import { refuseUnknownPath } from './near-path.ts';
import { originOf } from './origin.ts';
import { wasCutForPace } from './pace.ts';
import { ROUTES } from './routes.ts';
import { serveAdmin } from './serve-admin.ts';
import { type Fail, serveRoute } from './serve-route.ts';
import { type StatisticsDeps, servePage, serveStats } from './serve-stats.ts';
import type { BodyDeps } from './take-json-body.ts';
import { refuseTooMuch } from './too-much.ts';
import {
  FILE_PATH,
  STREAMED_ROUTES,
  type StreamedHandler,
  serveUpload,
  type UploadRouteDeps,
} from './upload-routes.ts';

/** Who is let in. */
interface DoorDeps {
  readonly trustProxy: number | string[] | undefined;
  /** And requests under way of an address that a proxy brings. */
  readonly connectionsPerAddress: number;
  readonly metrics: Pick<GatewayMetrics, 'inFlight' | 'tooMuch'>;
  readonly clock: RedisClock;
}

/** What the gateway says about itself. */
interface ReferenceDeps {
  readonly limits: PublicLimits;
  /** `PUBLIC_URL` */
  readonly publicUrl: string | undefined;
}

/** What each room needs, by room. */
export interface AppDeps {
  readonly door: DoorDeps;
  readonly admission: CheckKeyDeps;
  readonly bodies: BodyDeps;
  readonly generation: GenerateDeps;
  readonly streams: EventStreams;
  readonly uploads: UploadRouteDeps;
  readonly statistics: StatisticsDeps;
  readonly reference: ReferenceDeps;
  readonly conclude: ConcludeDeps;
}

/** Under these each request counts for its address. */
const API_ROOTS = ['/api', '/v1'];

/** What an answer needs that is counted and nothing else. */
type CountedDeps = Pick<AppDeps, 'admission' | 'statistics' | 'conclude'>;

/** The gateway's Express application: the shell around handlers that never see a request object of Express. */
export function createApp(deps: AppDeps): Express {
  const app = createExpress();
  const fail = onError(deps);
  app.set('trust proxy', deps.door.trustProxy ?? false);
  setHeadersLast(app, fixedHeaders(), OWN_HEADERS);
  app.use(beginRequest(deps));
  if (deps.door.trustProxy !== undefined) app.use(boundRequests(deps, isProxy(app)));
  for (const [path, ...steps] of routeTable(deps, fail)) app.all(path, ...steps);
  app.use(API_ROOTS, (request, response) => {
    // A page shall see that there is nothing, not that it may not ask.
    if (isPreflight(request)) return void response.status(204).end();
    return serveCounted(deps, request, response, refuseUnknownPath(request.baseUrl + request.path));
  });
  if (deps.statistics.hasAdminApi) serveAdmin(app, deps.statistics);
  const page = servePage(deps.statistics);
  app.get(PAGE_PATHS, page);
  app.post(PAGE_PATHS, page);
  app.use((request, response) => sendPlain(response, refuseUnknownPath(request.path)));
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    fail(error, request, response),
  );
  return app;
}

/** What is done with every request, in one layer: each layer of Express costs every request. */
function beginRequest({ door, statistics: { looks }, conclude }: AppDeps): RequestHandler {
  return (request, response, next) => {
    const { path } = request;
    const isOfApi = isUnder(API_ROOTS, path);
    const { address, protocol, gone } = createContext(request, response, isOfApi);
    door.metrics.inFlight.inc();
    // One listener, and not `once`, which keeps three objects more of each request in flight: it closes once.
    response.on('close', () => {
      door.metrics.inFlight.dec();
      if (!response.writableFinished) gone.note(wasCutForPace(response) ? 'cut for pace' : 'left');
    });
    if (isOfApi) {
      if (!looks.isEmpty() && path !== UNCOUNTED_PATH) looks.forget(address);
      tellPreflight(request, response, protocol);
    }
    // Keep-alive connections outlive the listener; this sends their owners to another gateway.
    if (conclude.draining()) response.setHeader('Connection', 'close');
    next();
  };
}

/** The gateway's paths, each with the steps that its requests go through after those that all share. The page's come last. */
function routeTable(deps: AppDeps, fail: Fail): (readonly [path: string, ...steps: RequestHandler[]])[] {
  const { limits, publicUrl } = deps.reference;
  const reference = createReference(limits);
  const runbooks = createRunbookPages();
  const statistics = serveStats(deps);
  const take = (...methods: readonly string[]) => takeMethods(methods, deps);
  const readable = refuseUnreadable(deps);
  return [
    ...ROUTES.map(
      (route) => [route.path, inTurn(take(...route.methods), readable, serveRoute(route, deps, fail))] as const,
    ),
    ...STREAMED_ROUTES.map(([path, read]) => [path, take('POST'), readable, serveStreamed(path, deps, read)] as const),
    [FILE_PATH, serveFiles(deps.uploads)],
    ...REFERENCE_PATHS.map(
      (path) => [path, serveReference((request) => reference(path, originOf(request, publicUrl)))] as const,
    ),
    ...RUNBOOK_PATHS.map(
      (path) => [path, serveReference(({ params }) => runbooks(params['name'] as string | undefined))] as const,
    ),
    ...STATS_API_PATHS.map((path) => [path, take('GET'), statistics(path)] as const),
  ];
}

/** Three steps as one: each step of a route costs its requests what a layer does. */
function inTurn(first: RequestHandler, second: RequestHandler, third: RequestHandler): RequestHandler {
  return (request, response, next) =>
    first(request, response, () => second(request, response, () => third(request, response, next)));
}

/** An endpoint whose handler needs the request itself, because its body is streamed or read late. */
function serveStreamed(path: string, deps: Pick<AppDeps, 'uploads' | 'conclude'>, take: StreamedHandler) {
  return async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(response);
    const answer = await take(deps.uploads, request, context);
    await concludeAnswer(deps.conclude, path, response, context, answer);
  };
}

/** @param find `undefined` where there is no such page */
function serveReference(find: (request: Request) => ReferencePage | undefined) {
  return (request: Request, response: Response): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const details = { message: 'This path takes GET and HEAD only.', headers: { Allow: 'GET, HEAD' } };
      return sendPlain(response, refuse('method_not_allowed', details));
    }
    const found = find(request);
    if (found === undefined) return sendPlain(response, refuseUnknownPath(request.path));
    const { type, pieces, contentSecurityPolicy } = found;
    response.type(type).set('Content-Security-Policy', contentSecurityPolicy);
    response.set('Content-Length', String(pieces.reduce((sum, { length }) => sum + length, 0)));
    // Not Express's `send`, which would copy them.
    for (const piece of pieces) response.write(piece);
    response.end();
  };
}

function serveFiles(deps: UploadRouteDeps) {
  return async (request: Request, response: Response): Promise<void> => {
    const answer = await serveUpload(deps, request, response, contextOf(response));
    if (answer) sendPlain(response, answer);
  };
}

/** Health is never counted, whatever it is asked: monitoring must not run into a limit. */
async function noteLimits(path: string, deps: Omit<CountedDeps, 'conclude'>, response: Response): Promise<Count> {
  const context = contextOf(response);
  if (path !== UNCOUNTED_PATH) return countRequest(deps.admission, context, response);
  response.set(await deps.statistics.looks.look(context));
  return {};
}

/** Counts the request under its address, then gives an answer that needs nothing else. */
async function serveCounted(deps: CountedDeps, request: Request, response: Response, answer: Answer): Promise<void> {
  const context = contextOf(response);
  const path = request.baseUrl + request.path;
  const { refusal } = await noteLimits(path, deps, response);
  await concludeAnswer(deps.conclude, path, response, context, refusal ?? answer);
}

function takeMethods(methods: readonly string[], deps: CountedDeps) {
  const allow = [...methods, 'OPTIONS'].join(', ');
  const message = `This path takes ${methods.join(' and ')} only.`;
  return (request: Request, response: Response, next: NextFunction): void | Promise<void> => {
    if (methods.includes(request.method)) return next();
    // A question about the path, often a browser's, and not the caller's request: it is not counted.
    if (request.method === 'OPTIONS') return void response.status(204).set('Allow', allow).end();
    return serveCounted(deps, request, response, refuse('method_not_allowed', { message, headers: { Allow: allow } }));
  };
}

/** A proxy brings many callers over few connections, so what is counted of those is their requests under way. */
function boundRequests(deps: CountedDeps & Pick<AppDeps, 'door'>, isProxied: (address: string) => boolean) {
  const limit = deps.door.connectionsPerAddress;
  const door = createRequestDoor(limit);
  return (request: Request, response: Response, next: NextFunction): void | Promise<void> => {
    if (!isProxied(request.socket.remoteAddress ?? '')) return next();
    const leave = door.enter(contextOf(response).address);
    if (leave) {
      response.once('close', leave);
      return next();
    }
    deps.door.metrics.tooMuch.inc({ what: 'requests', whose: 'address' });
    const answer = refuseTooMuch('address', 'requests', limit, deps.door.clock.now());
    if (!isCounted(request.path)) return sendPlain(response, answer);
    return serveCounted(deps, request, response, answer);
  };
}

/** What spends something is not done for pages that could not read the answer. Counted it is. */
function refuseUnreadable(deps: CountedDeps) {
  return (request: Request, response: Response, next: NextFunction): void | Promise<void> =>
    isUnreadable(request.headers) ? serveCounted(deps, request, response, refuse('cross_site_request')) : next();
}

function onError(deps: CountedDeps): Fail {
  const lines = throttleLines(deps.conclude.logger);
  return async (error, request, response) => {
    if (response.headersSent) return void response.destroy();
    try {
      if (error instanceof URIError) return sendPlain(response, badPath(deps, response));
      lines.error({ err: error, requestId: contextOf(response).id }, 'a request failed');
      const answer = refuse('internal_error');
      if (isCounted(request.path)) await serveCounted(deps, request, response, answer);
      else sendPlain(response, answer);
    } catch (again) {
      lines.error({ err: again }, 'the answer to a request that failed, failed as well');
      response.destroy();
    }
  };
}

function badPath({ conclude }: Pick<AppDeps, 'conclude'>, response: Response): Answer {
  const message = 'The path holds a percent sign that is not followed by two hexadecimal digits of valid UTF-8.';
  return inProtocol(conclude, response, contextOf(response), refuse('invalid_parameter', { message }));
}

/** Whether a path is one whose requests count for their address, whatever is there. */
function isCounted(path: string): boolean {
  return API_ROOTS.some((root) => path.startsWith(`${root}/`));
}

/** Whether a path is one of these, or below one, as Express has it. */
function isUnder(roots: readonly string[], path: string): boolean {
  return roots.some((root) => path.startsWith(root) && (path.length === root.length || path[root.length] === '/'));
}

function sendPlain(response: Response, answer: Answer): void {
  response.status(answer.status).set(answer.headers).json(answer.body);
}

function contextOf(response: Response): RequestContext {
  return response.locals['context'] as RequestContext;
}
