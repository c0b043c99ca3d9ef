import { z } from 'zod';
import { failureCauseSchema } from './failure-cause.ts';
import type { CatalogSource } from './models/catalog.ts';
import { readRedisTime, redisTimeSchema } from './redis-clock.ts';
import type { Redis } from './redis-connection.ts';
import { redisKeys } from './redis-keys.ts';
import { loadScript } from './redis-script.ts';
import { HEARTBEAT_MS, INSTANCE_EXPIRY_MS } from './time-budget.ts';

/** What one running gateway or worker says of itself. */
const instanceSchema = z.object({
  id: z.string(),
  service: z.enum(['gateway', 'worker', 'stats-service']),
  version: z.string(),
  /** Where its Prometheus metrics are served. */
  metricsUrl: z.string(),
  startedAt: redisTimeSchema,
  /** Requests or jobs in work now. */
  inFlight: z.number().int(),
  /** Jobs in work at most; workers only. */
  slots: z.number().int().optional(),
  /** When a job was last started or finished; workers only. */
  lastProgressAt: redisTimeSchema.optional(),
  draining: z.boolean(),
  /** Requests that an address may make in an hour (`RATE_LIMIT_PER_HOUR`); gateways only. */
  addressPerHour: z.number().int().optional().catch(undefined),
  /** Digests of what it runs with, see `settingDigests`. */
  settings: z.record(z.string(), z.string()).optional().catch(undefined),
  /** The last outcome of a model call: `none` before the first. Workers only. */
  model: z
    .object({
      provider: z.string(),
      lastOutcome: z.enum(['none', 'ok', 'failed']),
      at: redisTimeSchema,
      /** Why the last call failed, since when no call has succeeded, and how many have failed since; for the operator. */
      failure: failureCauseSchema
        .extend({ since: redisTimeSchema, times: z.number().int() })
        .optional()
        .catch(undefined),
    })
    .optional(),
  /** Of the first models of the catalog: how many routes are not known to be down, and how many there are. Workers only. */
  routes: z
    .record(z.string(), z.tuple([z.number().int(), z.number().int()]))
    .optional()
    .catch(undefined),
  /** Upstreams of a file of models whose breaker is open, with the kind of error that opened it. Workers only. */
  openUpstreams: z.record(z.string(), z.string()).optional().catch(undefined),
  /** The catalog of models in force: its digest, and whether a newer file is broken. Gateways and workers only. */
  models: z.object({ digest: z.string(), source: z.enum(['file', 'variables']), broken: z.boolean() }).optional(),
});

export type Instance = z.infer<typeof instanceSchema>;
const beatSchema = z.object({ seenAt: redisTimeSchema, instance: instanceSchema });

const beatScript = loadScript(new URL('./heartbeat.lua', import.meta.url));

export interface Heartbeat {
  stop(): Promise<void>;
}

/** What an instance says of its models. */
export function modelsInForce({ current, problems }: CatalogSource): NonNullable<Instance['models']> {
  return { digest: current.digest, source: current.source, broken: problems.length > 0 };
}

/**
 * Registers an instance and renews the registration every few seconds until it is stopped; then it is taken out.
 * A beat that fails is not retried: the next one follows.
 * Never rejects: where Redis fails the next beat registers the instance, and an instance that cannot be taken out
 * expires.
 *
 * @param describe gives the record at each beat
 */
export async function startHeartbeat(redis: Redis, describe: () => Instance): Promise<Heartbeat> {
  const beat = async () => {
    const instance = describe();
    await beatScript(
      redis,
      [redisKeys.instances, redisKeys.clock],
      [instance.id, JSON.stringify(instance), INSTANCE_EXPIRY_MS],
    );
  };
  await beat().catch(() => undefined);
  const timer = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_MS);
  return {
    async stop() {
      clearInterval(timer);
      await redis.hdel(redisKeys.instances, describe().id).catch(() => 0);
    },
  };
}

/**
 * All instances with a recent heartbeat.
 *
 * @throws when Redis fails, or holds a record that is no JSON
 */
export async function listInstances(redis: Redis): Promise<Instance[]> {
  const [records, now] = await Promise.all([redis.hvals(redisKeys.instances), readRedisTime(redis)]);
  return records
    .map((record) => beatSchema.safeParse(JSON.parse(record)))
    .filter((beat) => beat.success && beat.data.seenAt > now - INSTANCE_EXPIRY_MS)
    .map((beat) => (beat.data as z.infer<typeof beatSchema>).instance)
    .sort((a, b) => (a.service + a.id < b.service + b.id ? -1 : 1));
}
