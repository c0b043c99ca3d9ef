import type { ModelView } from '@lontar/shared/admin/models-schemas.ts';
import type { FleetMember } from '@lontar/shared/dashboard-contract.ts';
import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { type HttpAnswer, success } from '@lontar/shared/http/envelope.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import { type RouteCalls, sumCalls } from '@lontar/shared/models/call-report.ts';
import type { CatalogView } from '@lontar/shared/models/catalog-view.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { lastDays, readUsage, sumUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { ALL_KEYS, NO_MODEL } from '@lontar/shared/usage/usage-counts.ts';
import { readUpstreams, type UpstreamsNow } from '../upstreams/read-upstreams.ts';
import type { AdminDeps } from './admin-call.ts';

/** Days over which requests to models are counted. */
const MODEL_DAYS = 30;

/**
 * Models with their routes, upstreams with their state, and the workers that ask them.
 *
 * @throws when Redis fails
 */
export async function tellModels({ fleet, redis, clock }: AdminDeps): Promise<HttpAnswer> {
  const now = clock.now();
  const [{ members, totals }, counts, known] = await Promise.all([
    fleet.fleet(),
    countRequests(redis, now),
    listInstances(redis).then((instances) => readUpstreams(redis, instances, now)),
  ]);
  const workers = members.filter(({ service }) => service === 'worker').map(viewWorker);
  const { modelCalls: total, modelErrors: errors, modelRetries: retries, modelMeanMs: meanMs } = totals;
  const calls = { total, errors, retries, ...(meanMs === undefined ? {} : { meanMs }) };
  const models = listModels(known, counts);
  return success({ catalog: known?.summary ?? null, models, upstreams: known?.upstreams ?? [], workers, calls });
}

type Counts = Pick<ModelView, 'requests' | 'serverErrors' | 'timeouts'>;

/** What was asked of each model in the last days. */
async function countRequests(redis: Redis, now: number): Promise<Map<string, Counts>> {
  const counted = new Map<string, UsageRow[]>();
  for await (const rows of readUsage(redis, [ALL_KEYS], lastDays(MODEL_DAYS, now))) {
    for (const row of rows) {
      if (row.model !== NO_MODEL) counted.set(row.model, [...(counted.get(row.model) ?? []), row]);
    }
  }
  return new Map(
    [...counted].map(([name, rows]) => {
      const { requests, serverErrors, timeouts } = sumUsage(rows);
      return [name, { requests, serverErrors, timeouts }];
    }),
  );
}

const NOTHING: Counts = { requests: 0, serverErrors: 0, timeouts: 0 };

/** Those of the catalog in its order, then what was asked for besides. */
function listModels(known: UpstreamsNow | undefined, counts: ReadonlyMap<string, Counts>): ModelView[] {
  const inCatalog = known?.models ?? [];
  const names = new Set<string>([...inCatalog.map(({ name }) => name), ...PUBLIC_MODELS, ...counts.keys()]);
  const models = new Map(inCatalog.map((model) => [model.name, model]));
  const closed = new Set(known?.upstreams.filter(({ state }) => state === 'closed').map(({ name }) => name));
  const calls = Map.groupBy(known?.calls ?? [], ({ model, upstream, route }) => keyOf(model, upstream, route));
  return [...names].map((name) => viewModel(name, models.get(name), { counts, closed, calls }));
}

interface Told {
  readonly counts: ReadonlyMap<string, Counts>;
  /** Upstreams whose breaker is closed. */
  readonly closed: ReadonlySet<string>;
  readonly calls: ReadonlyMap<string, readonly RouteCalls[]>;
}

function viewModel(name: string, model: CatalogView['models'][number] | undefined, told: Told): ModelView {
  const routes = (model?.routes ?? []).map(({ upstream, model: upstreamsModel, weight, order }) => ({
    upstream,
    model: upstreamsModel,
    weight,
    order,
    up: told.closed.has(upstream),
    lately: sumCalls(told.calls.get(keyOf(name, upstream, upstreamsModel)) ?? []),
  }));
  return {
    name,
    inCatalog: model !== undefined,
    aliases: model?.aliases ?? [],
    ...(told.counts.get(name) ?? NOTHING),
    routesUp: routes.filter(({ up }) => up).length,
    deadlines: model?.deadlines ?? null,
    price: model?.price ?? null,
    hedgeAfter: model?.hedgeAfter ?? null,
    routes,
  };
}

function keyOf(...names: readonly string[]): string {
  return JSON.stringify(names);
}

function viewWorker({ id, version, inFlight, slots, draining, failing, model }: FleetMember) {
  return {
    id,
    version,
    inFlight,
    draining,
    ...(slots === undefined ? {} : { slots }),
    ...(failing === undefined ? {} : { failing }),
    ...(model === undefined ? {} : { provider: model.provider, lastOutcome: model.lastOutcome }),
  };
}
