import type { Logger } from '@lontar/shared/logger.ts';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { limited } from '../admission/refusal.ts';
import type { EventLog } from '../events/event-log.ts';
import type { GenerateDeps } from '../generation/generate.ts';
import { createReference, REFERENCE_PATHS, type ReferencePath } from '../reference/reference-routes.ts';
import {
  FILE_PATH,
  STREAMED_ROUTES,
  type StreamedHandler,
  serveUpload,
  type UploadRouteDeps,
} from '../uploads/upload-routes.ts';
import { type Answer, refuse } from './answer.ts';
import { bodyProblem, readJsonBody } from './body.ts';
import { concludeAnswer, concludeProxied } from './conclude.ts';
import { countRequest, lookAtLimits } from './count-request.ts';
import { createContext } from './create-context.ts';
import { fixedHeaders, setHeadersLast } from './fixed-headers.ts';
import { originOf } from './origin.ts';
import type { RequestContext } from './request-context.ts';
import { ROUTES, type Route, STATS_API_PATHS, UNCOUNTED_PATH } from './routes.ts';
import { PAGE_PATHS, type StatsProxy } from './stats-proxy.ts';

export interface AppDeps extends GenerateDeps, UploadRouteDeps {
  readonly logger: Logger;
  readonly events: EventLog;
  readonly statsProxy: StatsProxy;
  readonly trustProxy: number | string[] | undefined;
  readonly logRequests: boolean;
  /** Bounds the lines about requests that are turned away, see `createThrottle`. */
  readonly shedLines: () => number | undefined;
  readonly draining: () => boolean;
}

/** The gateway's Express application: the shell around handlers that never see a request object of Express. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', deps.trustProxy ?? false);
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);

  setHeadersLast(app, fixedHeaders());
  app.use((request, response, next) => {
    createContext(request, response);
    deps.metrics.inFlight.inc();
    response.once('close', () => deps.metrics.inFlight.dec());
    next();
  });
  app.use('/api', openToOtherOrigins);
  app.use((_request, response, next) => {
    if (!deps.draining()) return next();
    // Keep-alive connections outlive the listener; this sends their owners to another gateway.
    response.setHeader('Connection', 'close');
    next();
  });
  const parseBody = readJsonBody(deps.reading.maxPromptChars);
  for (const route of ROUTES) app.all(route.path, takeMethods(route.methods, deps), parseBody, serveRoute(route, deps));
  for (const [path, take] of STREAMED_ROUTES) {
    app.all(path, takeMethods(['POST'], deps), serveStreamed(path, deps, take));
  }
  app.all(FILE_PATH, serveFiles(deps));
  const reference = createReference(publicLimits(deps));
  for (const path of REFERENCE_PATHS) app.all(path, serveReference(path, deps, reference));
  for (const path of STATS_API_PATHS) app.all(path, takeMethods(['GET'], deps), serveStats(path, deps));
  app.use('/api', (request, response) => {
    // A page shall see that there is nothing, not that it may not ask.
    if (isPreflight(request)) return void response.status(204).end();
    return serveCounted(deps, request, response, refuse('not_found'));
  });
  app.get(PAGE_PATHS, (request, response, next) => deps.statsProxy.forward(request, response, next));
  app.post(PAGE_PATHS, (request, response, next) => deps.statsProxy.forward(request, response, next));
  app.use((_request, response) => sendPlain(response, refuse('not_found')));
  app.use(onError(deps));
  return app;
}

function serveRoute(route: Route, deps: AppDeps) {
  return async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(response);
    const problem = bodyProblem(request);
    if (problem) return serveCounted(deps, request, response, problem);
    context.body = request.body;
    const answer = await route.handle(deps, context);
    await concludeAnswer(deps, route.path, response, context, answer);
  };
}

/** An endpoint whose handler needs the request itself, because its body is streamed or read late. */
function serveStreamed(path: string, deps: AppDeps, take: StreamedHandler) {
  return async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(response);
    await concludeAnswer(deps, path, response, context, await take(deps, request, response, context));
  };
}

function publicLimits({ reading, maxFileBytes, uploadsPerDay, rules }: AppDeps) {
  return { reading, maxFileBytes, uploadsPerDay, perHour: rules.perHour };
}

function serveReference(path: ReferencePath, deps: AppDeps, reference: ReturnType<typeof createReference>) {
  return (request: Request, response: Response): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const details = { message: 'This path takes GET and HEAD only.', headers: { Allow: 'GET, HEAD' } };
      return sendPlain(response, refuse('method_not_allowed', details));
    }
    const { type, text, contentSecurityPolicy } = reference(path, originOf(request, deps.publicUrl));
    response.type(type).set('Content-Security-Policy', contentSecurityPolicy).send(text);
  };
}

function serveFiles(deps: AppDeps) {
  return async (request: Request, response: Response): Promise<void> => {
    const answer = await serveUpload(deps, request, response, contextOf(response));
    if (answer) sendPlain(response, answer);
  };
}

function serveStats(path: string, deps: AppDeps) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const context = contextOf(response);
    const { admission, refusal } = await noteLimits(path)(deps, context, response);
    if (refusal) return concludeAnswer(deps, path, response, context, refusal);
    concludeProxied(deps, path, response, context);
    deps.statsProxy.forward(request, response, next, (uploads) => {
      // The headers of limits were set for the address's hour; now the day of uploads is what refuses.
      if (admission) response.set(limited(admission, {}, uploads).headers);
    });
  };
}

/** Health is never counted, whatever it is asked: monitoring must not run into a limit. */
const noteLimits = (path: string) => (path === UNCOUNTED_PATH ? lookAtLimits : countRequest);

/** Counts the request under its address, then gives an answer that needs nothing else. */
async function serveCounted(deps: AppDeps, request: Request, response: Response, answer: Answer): Promise<void> {
  const context = contextOf(response);
  const path = request.baseUrl + request.path;
  const { refusal } = await noteLimits(path)(deps, context, response);
  await concludeAnswer(deps, path, response, context, refusal ?? answer);
}

function takeMethods(methods: readonly string[], deps: AppDeps) {
  const allow = [...methods, 'OPTIONS'].join(', ');
  const message = `This path takes ${methods.join(' and ')} only.`;
  return (request: Request, response: Response, next: NextFunction): void | Promise<void> => {
    if (methods.includes(request.method)) return next();
    // A question about the path, often a browser's, and not the caller's request: it is not counted.
    if (request.method === 'OPTIONS') return void response.status(204).set('Allow', allow).end();
    return serveCounted(deps, request, response, refuse('method_not_allowed', { message, headers: { Allow: allow } }));
  };
}

/** Pages of any origin may call the API: a key is needed anyway, and no cookie counts there. */
function openToOtherOrigins(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader(
    'Access-Control-Expose-Headers',
    'X-Request-Id, X-Masked, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After',
  );
  if (isPreflight(request)) {
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-API-Key');
    response.setHeader('Access-Control-Max-Age', '86400');
  }
  next();
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function onError(deps: AppDeps) {
  // Express recognises an error handler by its four parameters.
  return async (error: unknown, request: Request, response: Response, _next: NextFunction): Promise<void> => {
    if (response.headersSent) return void response.destroy();
    const problem = bodyProblem(request, error);
    if (problem) return serveCounted(deps, request, response, problem);
    if (error instanceof URIError) {
      const message = 'The path holds a percent sign that is not followed by two hexadecimal digits of valid UTF-8.';
      return sendPlain(response, refuse('invalid_parameter', { message }));
    }
    deps.logger.error({ err: error, requestId: contextOf(response).id }, 'a request failed');
    const answer = refuse('internal_error');
    if (!request.path.startsWith('/api/')) return sendPlain(response, answer);
    return serveCounted(deps, request, response, answer);
  };
}

function sendPlain(response: Response, answer: Answer): void {
  response.status(answer.status).set(answer.headers).json(answer.body);
}

function contextOf(response: Response): RequestContext & { body: RequestContext['body'] } {
  return response.locals['context'] as RequestContext;
}
