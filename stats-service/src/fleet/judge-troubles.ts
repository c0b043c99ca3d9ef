import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import { describeCause, isLasting } from '@lontar/shared/failure-cause.ts';
import type { Instance } from '@lontar/shared/instances.ts';
import type { RecentOutcomes } from '@lontar/shared/moments.ts';
import { type Backlog, workerFailure } from '@lontar/shared/worker-failure.ts';

/** What troubles are judged by. */
export interface TroubleReading {
  readonly now: Instance['startedAt'];
  readonly instances: readonly Instance[];
  readonly backlog: Backlog;
  /** Generation requests of the last five minutes, by whether they failed on our side. */
  readonly recent: RecentOutcomes;
  /** How long a job may take, ms. */
  readonly longestJobMs: number;
}

/** A trouble without its beginning, where only who watches knows since when it has been there. */
export type FoundTrouble = Omit<Trouble, 'since'> & { readonly since?: number };

/** Fewer failures than this say nothing of a rate. */
const LEAST_FAILURES = 5;
const LEAST_RATE = 0.95;
const EVERYBODY = 'all callers';

/**
 * What is wrong with the service now, the worst first: what stands on top of the operator's page, each with whom it hits and
 * the runbook that says what to do.
 */
export function judgeTroubles(reading: TroubleReading): FoundTrouble[] {
  const workers = reading.instances.filter(({ service, draining }) => service === 'worker' && !draining);
  const troubles = [
    ...troubleOfWorkers(workers, reading),
    ...troubleOfQueue(reading),
    ...troubleOfModel(workers),
    ...troublesOfRoutes(workers),
    ...troubleOfModelsFile(reading.instances),
    ...troubleOfRate(reading.recent),
  ];
  return troubles.toSorted((a, b) => Number(b.isDown) - Number(a.isDown));
}

function troubleOfWorkers(workers: readonly Instance[], reading: TroubleReading): FoundTrouble[] {
  if (workers.length === 0) {
    const what = 'No worker is up: requests wait, and end with 504.';
    return [{ id: 'no_workers', isDown: true, what, whom: EVERYBODY, runbook: 'no-workers' }];
  }
  const stuck = workers.filter((worker) => workerFailure(worker, reading) !== undefined);
  if (stuck.length === 0) return [];
  const isDown = stuck.length === workers.length;
  const what = `${countOf(stuck, workers)} workers make no progress while jobs wait.`;
  const since = Math.max(...stuck.map(({ lastProgressAt, startedAt }) => lastProgressAt ?? startedAt));
  const whom = isDown ? EVERYBODY : 'callers whose requests they have';
  const parts = { some: stuck.length, all: workers.length };
  return [{ id: 'workers_stuck', isDown, what, whom, parts, since, runbook: 'worker-failing' }];
}

function troubleOfQueue({ backlog }: TroubleReading): FoundTrouble[] {
  if (!backlog.paused) return [];
  const what = 'The queue is paused: requests wait, and end with 504. "lontar queue resume" lets them go on.';
  return [{ id: 'queue_paused', isDown: true, what, whom: EVERYBODY, runbook: 'queue-stuck' }];
}

function troubleOfModel(workers: readonly Instance[]): FoundTrouble[] {
  const known = workers.flatMap(({ model }) => (model && model.lastOutcome !== 'none' ? [model] : []));
  const failing = known.flatMap(({ failure }) => (failure ? [failure] : []));
  const [worst] = failing.toSorted((a, b) => b.times - a.times);
  if (worst === undefined || !isLasting(worst)) return [];
  const isDown = failing.length === known.length;
  const whom = isDown ? EVERYBODY : `callers whose requests ${countOf(failing, known)} workers take`;
  const since = Math.min(...failing.map((failure) => failure.since));
  const runbook = worst.reason === 'rate_limited' ? 'model-quota-exhausted' : 'model-down';
  const cause = describeCause(worst);
  const parts = { cause, some: failing.length, all: known.length };
  return [{ id: 'model_failing', isDown, what: `Calls to the model fail: ${cause}`, whom, parts, since, runbook }];
}

/** Of gateways and workers alike: the earlier file stays in force, until one of them starts again. */
function troubleOfModelsFile(instances: readonly Instance[]): FoundTrouble[] {
  const readers = instances.filter(({ models }) => models !== undefined);
  const broken = readers.filter(({ models }) => models?.broken === true);
  if (broken.length === 0) return [];
  const what = `The file of models was changed and is broken: ${countOf(broken, readers)} processes go by the earlier one, and would not start again. "lontar models check" says what is wrong.`;
  const whom = 'callers who ask for models that are new';
  const parts = { some: broken.length, all: readers.length };
  return [{ id: 'models_file_broken', isDown: false, what, whom, parts, runbook: 'models-file-broken' }];
}

/** Names that are told of one kind of trouble. */
const MOST_NAMES = 5;

/** What a model and an upstream lack who have a file of models. Without one, the trouble of the model says it. */
function troublesOfRoutes(workers: readonly Instance[]): FoundTrouble[] {
  const withFile = workers.filter(({ models }) => models?.source === 'file');
  const troubles: FoundTrouble[] = [];
  const models = [...new Set(withFile.flatMap(({ routes = {} }) => Object.keys(routes)))];
  // A worker that has lost its own network sees all routes down.
  const down = models.filter((model) => withFile.every(({ routes }) => (routes?.[model]?.[0] ?? 0) === 0));
  if (down.length > 0) {
    const what = `No upstream answers for ${listOf(down)}: its callers get 503.`;
    troubles.push({
      id: 'models_down',
      isDown: true,
      what,
      whom: `callers of ${listOf(down)}`,
      parts: { names: listOf(down) },
      runbook: 'all-routes-down',
    });
  }
  const open = new Map(withFile.flatMap(({ openUpstreams = {} }) => Object.entries(openUpstreams)));
  const [locked, failing] = [true, false].map((isLocked) =>
    [...open].filter(([, reason]) => (reason === 'unauthorized') === isLocked).map(([name]) => name),
  );
  const whom = 'no caller, as long as their models have other routes';
  if (locked !== undefined && locked.length > 0) {
    const parts = { names: listOf(locked) };
    const what = `Upstreams refuse their credentials, or their account may not be used: ${parts.names}.`;
    troubles.push({ id: 'upstreams_unauthorized', isDown: false, what, whom, parts, runbook: 'upstream-unauthorized' });
  }
  if (failing !== undefined && failing.length > 0) {
    const parts = { names: listOf(failing) };
    const what = `Upstreams failed, and get no calls but those that try them: ${parts.names}.`;
    troubles.push({ id: 'upstreams_open', isDown: false, what, whom, parts, runbook: 'upstream-open' });
  }
  return troubles;
}

function listOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` (+${more})` : '');
}

function troubleOfRate({ successes, failures, hasRecovered = false }: RecentOutcomes): FoundTrouble[] {
  const all = successes + failures;
  if (failures < LEAST_FAILURES || successes / all >= LEAST_RATE) return [];
  // Rounded, so that the words change seldom: each change is read out.
  const share = Math.max(5, Math.round(((failures / all) * 100) / 5) * 5);
  // An operator who has mended the cause would otherwise read for five minutes that it is still there.
  const since = hasRecovered ? ' None failed in the last minute.' : '';
  const what = `About ${share} % of the requests of the last five minutes failed on our side.${since}`;
  const whom = 'callers who got 5xx';
  const parts = { share, hasRecovered };
  return [{ id: 'failing_requests', isDown: false, what, whom, parts, runbook: 'error-budget-burn-fast' }];
}

function countOf(some: readonly unknown[], all: readonly unknown[]): string {
  return `${some.length} of ${all.length}`;
}
