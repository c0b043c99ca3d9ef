import type { NextFunction, Request, Response } from 'express';
import { type CheckKeyDeps, type Count, checkKey, isCaller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { limited } from '../admission/refusal.ts';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { createPagePlaces } from '../statistics/page-places.ts';
import { COUNTER_PATHS, UNCOUNTED_PATH, type UtilityAccess } from '../statistics/paths.ts';
import type { SharedLooks } from '../statistics/shared-looks.ts';
import { createSmallBodies, MOST_BODY_BYTES } from '../statistics/small-bodies.ts';
import { LIVE_STREAM_PATH, type StatsProxy } from '../statistics/stats-proxy.ts';
import { type ConcludeDeps, concludeAnswer, concludeProxied } from './conclude.ts';
import { countRequest } from './count-request.ts';
import { closeWith, refusalOf } from './unread-bodies.ts';

type Handler = (request: Request, response: Response, next: NextFunction) => Promise<void>;

/** The ways to stats-service, and who may use them. */
export interface StatisticsDeps {
  readonly statsProxy: StatsProxy;
  /** How the service is, see `shareHealth`. */
  readonly askHealth: () => Promise<Answer>;
  readonly looks: SharedLooks;
  /** `UTILITY_ENDPOINTS` */
  readonly utilityEndpoints: UtilityAccess;
  /** Whether the admin API is at this listener too (`ADMIN_API`, `ADMIN_PORT`). */
  readonly hasAdminApi: boolean;
}

interface ServeStatsDeps {
  readonly admission: CheckKeyDeps;
  readonly statistics: StatisticsDeps;
  readonly conclude: ConcludeDeps;
}

/** The dashboard's page and its own API: stats-service is asked when the request is here as a whole. */
export function servePage({ statsProxy }: Pick<StatisticsDeps, 'statsProxy'>): Handler {
  const bodies = createSmallBodies();
  const places = createPagePlaces();
  return async (request, response, next) => {
    const context = response.locals['context'] as RequestContext;
    const { address } = context;
    const body = await bodies.read(request, address);
    if (body.kind !== 'whole') return closeWith(response, refusalOf(body, MOST_BODY_BYTES));
    // A live stream lasts as long as its page; it has connections of its own, and stats-service bounds their number.
    const isStream = request.method === 'GET' && request.path === LIVE_STREAM_PATH;
    if (!isStream && !places.take(address, response)) return closeWith(response, tooManyPages());
    const { path, protocol } = request;
    statsProxy.forward(request, response, next, { context, path, protocol, body: body.bytes });
  };
}

/** The endpoints under `/api/` that stats-service answers. */
export function serveStats(deps: ServeStatsDeps): (path: string) => Handler {
  const bodies = createSmallBodies();
  const counted = (path: string): Handler => {
    return async (request, response, next) => {
      const context = response.locals['context'] as RequestContext;
      const mayRead = COUNTER_PATHS.has(path) ? deps.statistics.utilityEndpoints : 'open';
      const { admission, refusal } = await (mayRead === 'key' ? countKeyed : countRequest)(
        deps.admission,
        context,
        response,
      );
      if (refusal) return concludeAnswer(deps.conclude, path, response, context, refusal);
      const body = await bodies.read(request, context.address);
      if (body.kind !== 'whole') {
        response.setHeader('Connection', 'close');
        return concludeAnswer(deps.conclude, path, response, context, refusalOf(body, MOST_BODY_BYTES));
      }
      concludeProxied(deps.conclude, path, response, context);
      deps.statistics.statsProxy.forward(request, response, next, {
        context,
        path: request.path,
        protocol: request.protocol,
        forOperator: mayRead === 'operator',
        onSpent: (uploads) => {
          // The headers of limits were set for the address's hour; now the day of uploads is what refuses.
          if (admission) response.set(limited(admission, {}, uploads).headers);
        },
      });
    };
  };
  return (path) => (path === UNCOUNTED_PATH ? serveHealth(deps) : counted(path));
}

/** As `countRequest`, of a request that needs an active key. */
async function countKeyed(deps: CheckKeyDeps, context: RequestContext, response: Response): Promise<Count> {
  const result = await checkKey(deps, context, 'check');
  if (!isCaller(result)) return { refusal: result };
  response.set(rateLimitHeaders(result.admission));
  return { admission: result.admission };
}

/** What is asked for by many at once is looked up once; the answer is each one's own all the same. */
function serveHealth({ statistics, conclude }: ServeStatsDeps): Handler {
  return async (_request, response) => {
    const context = response.locals['context'] as RequestContext;
    const [answer, limits] = await Promise.all([statistics.askHealth(), statistics.looks.look(context)]);
    response.set(limits);
    await concludeAnswer(conclude, UNCOUNTED_PATH, response, context, answer);
  };
}

function tooManyPages(): Answer {
  return refuse('service_unavailable', {
    message: 'Too many pages of the dashboard are being loaded. Generation goes on; try again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
