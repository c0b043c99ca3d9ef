import { MOST_ADMIN_BODY_BYTES } from '@lontar/shared/admin/admin-operations.ts';
import { holdsAdminToken } from '@lontar/shared/admin/admin-token.ts';
import { createExpress } from '@lontar/shared/http/app.ts';
import type { Express, NextFunction, Request, Response } from 'express';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { createPagePlaces } from '../statistics/page-places.ts';
import { createSmallBodies } from '../statistics/small-bodies.ts';
import type { StatsProxy } from '../statistics/stats-proxy.ts';
import { createContext, OWN_HEADERS } from './create-context.ts';
import { fixedHeaders, setHeadersLast } from './fixed-headers.ts';
import { closeWith, refusalOf } from './unread-bodies.ts';

/** Paths of the admin API: names that every reader of URLs reads alike, as those of the page; addresses have colons. */
const ADMIN_PATHS = /^\/admin\/v1(?:\/[\w:-]+(?:\.[\w:-]+)*)+$/;

const IN_URL =
  'An admin token stands in this URL, and so in logs: revoke it (lontar admin-tokens revoke), make another one, and send it as Authorization: Bearer.';

/**
 * The way to the admin API, which stats-service serves: it is asked when the request is here as a whole, and judges who
 * asks. Its answers are for no page of another origin, so none of their headers is set.
 */
export function serveAdmin(app: Express, deps: { readonly statsProxy: StatsProxy }): void {
  app.all(ADMIN_PATHS, handOn(deps));
}

function handOn({ statsProxy }: { readonly statsProxy: StatsProxy }) {
  const bodies = createSmallBodies({ mostBytes: MOST_ADMIN_BODY_BYTES });
  const places = createPagePlaces();
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const context = response.locals['context'] as RequestContext;
    if (holdsAdminToken(request.url)) return closeWith(response, refuse('invalid_parameter', { message: IN_URL }));
    const body = await bodies.read(request, context.address);
    if (body.kind !== 'whole') return closeWith(response, refusalOf(body, MOST_ADMIN_BODY_BYTES));
    if (!places.take(context.address, response)) return closeWith(response, tooMany());
    const { path, protocol } = request;
    statsProxy.forward(request, response, next, { context, path, protocol, body: body.bytes, forAdmin: true });
  };
}

/**
 * The admin API on a listener of its own (`ADMIN_PORT`), and nothing else.
 *
 * @param trustProxy `TRUST_PROXY`
 */
export function createAdminApp(deps: {
  readonly statsProxy: StatsProxy;
  readonly trustProxy: number | string[] | undefined;
  /** Called with what no handler has answered; must not flood the log. */
  readonly onError: (error: unknown) => void;
}): Express {
  const app = createExpress();
  app.set('trust proxy', deps.trustProxy ?? false);
  setHeadersLast(app, fixedHeaders(), OWN_HEADERS);
  app.use((request, response, next) => {
    createContext(request, response, false);
    next();
  });
  serveAdmin(app, deps);
  app.use((_request: Request, response: Response) => {
    closeWith(response, refuse('not_found', { message: 'This port serves the admin API alone, under /admin/v1.' }));
  });
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: unknown) => {
    if (!(error instanceof URIError)) deps.onError(error);
    if (response.headersSent) response.destroy();
    else closeWith(response, refuse(error instanceof URIError ? 'invalid_parameter' : 'internal_error'));
  });
  return app;
}

function tooMany(): Answer {
  return refuse('service_unavailable', {
    message: 'Too many requests to the admin API are in work. Generation goes on; try again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
