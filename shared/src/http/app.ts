import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { type Logger, loggableUrl } from '../logger.ts';
import { RedisAwayError } from '../redis-away.ts';
import { throttleLines } from '../throttled-log.ts';
import { failure, type HttpAnswer, sendAnswer } from './envelope.ts';

/** An Express application that decides nothing by itself: no caching, no reading of queries, paths as they are written. */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  return app;
}

/** One row of a service's table of routes. */
export interface Route<Asked> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path; a part `:name` takes one segment. */
  readonly path: string;
  /** HEAD is answered as GET is, without the body. */
  readonly head?: true;
  readonly handle: (asked: Asked) => Promise<HttpAnswer> | HttpAnswer;
}

/** A row whose answer goes on: it has the response to itself, unless it gives an answer. For other methods it does not exist. */
export interface StreamRoute<Asked> {
  readonly method: 'GET';
  readonly path: string;
  readonly stream: (asked: Asked, response: Response) => Promise<HttpAnswer | undefined>;
}

type ReadAsked<Asked> = (request: Request, response: Response) => Asked;

/**
 * Serves a table of routes: finds the row, refuses other methods, asks the guards and sends what the handler gives back.
 *
 * @param guards steps before the handler; they answer, or call `next`
 * @param read what the handlers get of a request
 */
export function serveRoutes<Asked>(
  routes: readonly (Route<Asked> | StreamRoute<Asked>)[],
  guards: readonly RequestHandler[],
  read: ReadAsked<Asked>,
): express.Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const [path, rows] of Map.groupBy(routes, (route) => route.path)) {
    const streams = rows.filter((route) => 'stream' in route);
    const answered = rows.filter((route) => 'handle' in route);
    for (const row of streams) router.all(path, openBy(row, read));
    if (answered.length > 0) router.all(path, ...answerBy(answered, guards, read));
  }
  return router;
}

function openBy<Asked>({ method, stream }: StreamRoute<Asked>, read: ReadAsked<Asked>): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== method) return next();
    const refused = await stream(read(request, response), response);
    if (refused) sendAnswer(response, refused);
  };
}

/** The steps of requests for one path: its methods, the guards, the handler. */
function answerBy<Asked>(
  rows: readonly Route<Asked>[],
  guards: readonly RequestHandler[],
  read: ReadAsked<Asked>,
): RequestHandler[] {
  const rowFor = (asked: string) => rows.find(({ method, head }) => asked === method || (asked === 'HEAD' && head));
  const allow = rows.map(({ method }) => method).join(', ');
  const takeMethods: RequestHandler = (request, response, next) => {
    if (rowFor(request.method)) next();
    else sendAnswer(response, failure('method_not_allowed', undefined, { allow }));
  };
  const answer: RequestHandler = async (request, response, next) => {
    const answered = await rowFor(request.method)?.handle(read(request, response));
    if (answered) sendAnswer(response, answered);
    else next();
  };
  return [takeMethods, ...guards, answer];
}

/** What no route has answered gets the envelope, and so does what a route has thrown; callers learn nothing of either. */
export function endWith(app: Express, logger: Logger): void {
  const lines = throttleLines(logger);
  app.use((_request: Request, response: Response) => sendAnswer(response, failure('not_found')));
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const line = { err: error, route: loggableUrl(request.url) };
    const isAway = error instanceof RedisAwayError;
    if (isAway) lines.warn(line, 'Redis did not answer');
    else lines.error(line, 'a request failed');
    if (response.headersSent) response.destroy();
    else sendAnswer(response, failure(isAway ? 'service_unavailable' : 'internal_error'));
  });
}
