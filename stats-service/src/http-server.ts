import { MOST_ADMIN_BODY_BYTES } from '@lontar/shared/admin/admin-operations.ts';
import { createExpress, endWith, serveRoutes } from '@lontar/shared/http/app.ts';
import { failure, type HttpAnswer, sendAnswer } from '@lontar/shared/http/envelope.ts';
import { type RunningServer, serve } from '@lontar/shared/http/server.ts';
import { OPERATOR_ONLY_HEADER } from '@lontar/shared/inner-headers.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { isSameOrigin } from './access/same-origin.ts';
import { type Asked, isAsWritten, readAsked } from './asked.ts';
import { askerOf, refuseStranger } from './inner-door.ts';
import { readJson } from './read-json.ts';
import type { Routes } from './routes.ts';

/** Bodies are sign-ins, those for the admin API aside. */
const MAX_BODY_BYTES = 4_096;
/** More than the gateway takes, as it adds headers of its own to the caller's. */
const MAX_HEADER_BYTES = 64 * 1024;
const RECEIVE_MS = 10_000;
/** Live streams have been told goodbye by then. */
const LAST_ANSWERS_MS = 1_000;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly routes: Routes;
  /** What all clients but the operator get at paths that the gateway keeps for the operator. */
  readonly refuseOthers: (asked: Asked) => Promise<HttpAnswer | undefined>;
  readonly logger: Logger;
  /** `INNER_SECRET`. */
  readonly innerSecret: string;
}

/**
 * Serves the routes on a listener for the gateway, which names the caller in a header that it strips from what callers
 * send, and for Prometheus. A client that cannot prove to be one of them is refused, whatever is asked for.
 *
 * @throws the system's error when the port is taken
 */
export function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const { host, port, routes, logger } = options;
  const guards = [refuseCrossSite, refuseOthersAt(options), readJson(MAX_BODY_BYTES)];
  const forCallers = serveRoutes(routes.callers, guards, readAsked);
  const adminGuards = [refuseOtherPages, readJson(MOST_ADMIN_BODY_BYTES)];
  forCallers.use(serveRoutes(routes.admin, adminGuards, readAsked));
  // What is for Prometheus does not exist for callers of the gateway, and the other way round.
  const forMonitoring = serveRoutes(routes.monitoring, guards, readAsked);
  const warnOfStranger = throttledWarning(logger, 'refused a request without INNER_SECRET');
  const app = createExpress();
  app.use((request: Request, response: Response, next: NextFunction) => {
    const asker = askerOf(request.headers, options.innerSecret);
    if (asker === 'stranger') {
      warnOfStranger(request.socket.remoteAddress ?? 'unknown');
      return sendAnswer(response, refuseStranger());
    }
    if (!isAsWritten(request.url)) return sendAnswer(response, failure('not_found'));
    return asker === 'gateway' ? forCallers(request, response, next) : forMonitoring(request, response, next);
  });
  endWith(app, logger);
  return serve(app, {
    host,
    port,
    setting: 'STATS_PORT',
    receiveMs: RECEIVE_MS,
    lastAnswersMs: LAST_ANSWERS_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

const refuseCrossSite: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD' || isSameOrigin(request.headers)) return next();
  sendAnswer(response, failure('cross_site_request', 'Requests of other sites are refused.'));
};

/** Whatever is asked for: a page of another site has no business with the admin API, nor may it try tokens there. */
const refuseOtherPages: RequestHandler = (request, response, next) => {
  if (isSameOrigin(request.headers)) return next();
  sendAnswer(response, failure('cross_site_request', 'Requests of other sites are refused.'));
};

/** Pages of other sites may not try tokens in the name of who looks at them, which would use up the tries there. */
function refuseOthersAt({ refuseOthers }: Pick<HttpServerOptions, 'refuseOthers'>): RequestHandler {
  return async (request, response, next) => {
    if (request.headers[OPERATOR_ONLY_HEADER] === undefined) return next();
    const asked = readAsked(request);
    const refused = await refuseOthers(isSameOrigin(request.headers) ? asked : { ...asked, bearer: '' });
    if (refused) sendAnswer(response, refused);
    else next();
  };
}
