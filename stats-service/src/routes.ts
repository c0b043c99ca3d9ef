import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { Route, StreamRoute } from '@lontar/shared/http/app.ts';
import type { HttpAnswer } from '@lontar/shared/http/envelope.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import {
  type DashboardDeps,
  describeSession,
  forOperator,
  liftBlock,
  listBlocked,
  readDetail,
  readLog,
  resetRequests,
  signIn,
  signOut,
} from './access/dashboard.ts';
import { createSignInPlaces } from './access/sign-in-places.ts';
import type { Asked } from './asked.ts';
import { answerHealth, answerStats, answerUploadLimit, answerUsage } from './endpoints/answers.ts';
import type { HealthDeps } from './endpoints/read-health.ts';
import { type FleetWatch, scrapeTargets } from './fleet/watch-fleet.ts';
import type { LiveService } from './live/live-service.ts';
import type { Page } from './page/serve-page.ts';

/** What stats-service answers, by who may ask. */
export interface Routes {
  readonly callers: readonly (Route<Asked> | StreamRoute<Asked>)[];
  readonly monitoring: readonly Route<Asked>[];
  /** Of the admin API; none where it is off. */
  readonly admin: readonly Route<Asked>[];
}

interface RouteDeps extends DashboardDeps, HealthDeps {
  readonly queue: GenerationQueue;
  readonly uploadsPerDay: number;
  readonly page: Page;
  readonly live: Pick<LiveService, 'openStream'>;
  readonly fleet: FleetWatch;
  readonly admin: readonly Route<Asked>[];
}

/**
 * Every route of stats-service: for callers of the gateway, and for Prometheus, which proves itself by `INNER_SECRET`.
 * Handlers reject when Redis fails, with `RedisAwayError` where it is away.
 */
export function createRoutes(deps: RouteDeps): Routes {
  const { redis, page, live, fleet, admin } = deps;
  const places = createSignInPlaces();
  const operator = (handle: Parameters<typeof forOperator>[1]) => forOperator(deps, handle);
  const head = true;
  return {
    callers: [
      { method: 'GET', path: '/api/usage', handle: () => answerUsage(deps) },
      { method: 'GET', path: '/api/stats', handle: () => answerStats(deps) },
      { method: 'GET', path: '/api/health', handle: () => answerHealth(deps) },
      { method: 'GET', path: '/api/check-limit', handle: ({ address }) => answerUploadLimit(deps, address) },
      { method: 'GET', path: '/', head, handle: page.open },
      { method: 'GET', path: '/assets/:file', head, handle: page.asset },
      { method: 'GET', path: '/dashboard/events', stream: live.openStream },
      { method: 'GET', path: '/dashboard/session', head, handle: (asked) => describeSession(deps, asked) },
      { method: 'POST', path: '/dashboard/session', handle: (asked) => signIn(deps, places, asked) },
      { method: 'POST', path: '/dashboard/sign-out', handle: (asked) => signOut(deps, asked) },
      { method: 'GET', path: '/dashboard/log', head, handle: operator((asked) => readLog(redis, asked)) },
      { method: 'GET', path: '/dashboard/log/:cursor', head, handle: operator((asked) => readDetail(redis, asked)) },
      { method: 'GET', path: '/dashboard/blocked', head, handle: operator(() => listBlocked(deps)) },
      {
        method: 'POST',
        path: '/dashboard/unblock',
        handle: operator((asked, session) => liftBlock(deps, asked, session)),
      },
      {
        method: 'POST',
        path: '/dashboard/reset',
        handle: operator((asked, session) => resetRequests(deps, asked, session)),
      },
    ],
    monitoring: [
      { method: 'GET', path: '/prometheus/targets', head, handle: () => tellTargets(redis) },
      { method: 'GET', path: '/prometheus/aggregate', head, handle: () => tellAggregate(fleet) },
    ],
    admin,
  };
}

/** Whom to scrape. */
async function tellTargets(redis: Redis): Promise<HttpAnswer> {
  return { status: 200, body: scrapeTargets(await listInstances(redis)) };
}

/** Everyone's metrics added up. */
async function tellAggregate(fleet: FleetWatch): Promise<HttpAnswer> {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  return { status: 200, headers, body: await fleet.aggregated() };
}
