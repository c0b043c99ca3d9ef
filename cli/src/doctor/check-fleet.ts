import { describeCause, isLasting } from '@lontar/shared/failure-cause.ts';
import { openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { type Instance, listInstances } from '@lontar/shared/instances.ts';
import { readRedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Backlog, workerFailure } from '@lontar/shared/worker-failure.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** What the processes that run say of themselves. */
export interface FleetReading {
  readonly instances: readonly Instance[];
  readonly backlog: Backlog;
  /** Redis time, Unix ms. */
  readonly now: Instance['startedAt'];
  /** How long a job may take, ms. */
  readonly longestJobMs: number;
  /** Digests of the settings that this shell has, by service; absent where they are not valid. */
  readonly ownSettings?: Readonly<Partial<Record<Instance['service'], Readonly<Record<string, string>>>>>;
}

const SERVICES = ['gateway', 'worker', 'stats-service'] as const;
/** Judges by the running processes whether a caller would get an answer now, and from whom. */
export function checkFleet(reading: FleetReading): Finding[] {
  return [
    ...SERVICES.map((service) => checkService(service, reading)),
    ...checkModel(reading),
    ...checkSettingsOfOthers(reading),
  ];
}

function alive({ instances }: FleetReading, service: Instance['service']): Instance[] {
  return instances.filter((instance) => instance.service === service && !instance.draining);
}

function checkService(service: (typeof SERVICES)[number], reading: FleetReading): Finding {
  const running = alive(reading, service);
  if (running.length === 0)
    return failed(service, `No ${service} is running. Start it: npm start, or docker compose up -d`);
  const found = `${running.length} running, version ${running[0]?.version ?? 'unknown'}`;
  if (service !== 'worker') return ok(service, found);
  const stuck = running.flatMap((worker) => workerFailure(worker, reading) ?? []);
  if (stuck.length === 0) return ok(service, found);
  const what = `${stuck.length} of ${running.length} make no progress: ${stuck[0]}. Restart them; how: /docs/runbooks/worker-failing`;
  return stuck.length === running.length ? failed(service, what) : warning(service, what);
}

/** What the workers know of the model, whatever this shell's settings say. */
function checkModel(reading: FleetReading): Finding[] {
  const workers = alive(reading, 'worker').flatMap(({ id, model }) => (model ? [{ id, ...model }] : []));
  if (workers.length === 0) return [];
  const failing = workers.flatMap(({ failure, ...worker }) => (failure ? [{ ...worker, failure }] : []));
  const worst = failing.toSorted((a, b) => b.failure.times - a.failure.times)[0];
  if (worst === undefined) return [checkWorking(workers)];
  const what = describeFailure(worst.failure, worst.at);
  const hasOther = workers.some(({ lastOutcome }) => lastOutcome === 'ok');
  if (isLasting(worst.failure) && !hasOther) return [failed('model', what)];
  return [warning('model', `${failing.length} of ${workers.length} workers: ${what}`)];
}

function checkWorking(workers: readonly NonNullable<Instance['model']>[]): Finding {
  const providers = [...new Set(workers.map(({ provider }) => provider))].join(', ');
  if (providers === 'demo') {
    const how =
      'Set GEMINI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY for a real one (.env.example has the lines), and start the worker again (npm start: Ctrl-C, then npm start; containers: docker compose up -d worker).';
    return warning('model', `The workers run the demo model, whose text is made up. ${how}`);
  }
  const asked = workers.some(({ lastOutcome }) => lastOutcome === 'ok');
  return ok(
    'model',
    `The workers ask ${providers}${asked ? '; its last call was answered' : '; no call was made yet'}.`,
  );
}

/** Why calls of the model fail, since when, and what to do, in one line. */
function describeFailure(failure: NonNullable<NonNullable<Instance['model']>['failure']>, lastAt: number): string {
  const { since, times } = failure;
  const often = times === 1 ? 'The last call' : `The last ${times} calls`;
  const when = times === 1 ? `at ${timeOf(lastAt)}` : `since ${timeOf(since)}, the last one at ${timeOf(lastAt)}`;
  return `${often} of the model failed (${when}): ${describeCause(failure)}`;
}

function timeOf(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** Processes that run with other settings than this shell has: theirs count, and what this shell changes they do not know. */
function checkSettingsOfOthers(reading: FleetReading): Finding[] {
  return (['gateway', 'worker'] as const).flatMap((service) => {
    const own = reading.ownSettings?.[service];
    const running = alive(reading, service).filter(({ settings }) => settings !== undefined);
    if (own === undefined || running.length === 0) return [];
    const differing = Object.keys(own).filter((name) =>
      running.some(({ settings = {} }) => name in settings && settings[name] !== own[name]),
    );
    if (differing.length === 0) return [];
    const names = differing.join(', ');
    const what = `The running ${service} has other settings than this shell: ${names}. The running ones count.`;
    return [warning('settings', `${what} If the ones here are newer, restart the ${service}.`)];
  });
}

/**
 * Reads what the running processes say of themselves.
 *
 * @throws when Redis fails
 */
export async function readFleet(redis: Redis): Promise<Pick<FleetReading, 'instances' | 'backlog' | 'now'>> {
  const [instances, backlog, now] = await Promise.all([
    listInstances(redis),
    openGenerationQueue(redis).state(),
    readRedisTime(redis),
  ]);
  return { instances, backlog, now };
}
