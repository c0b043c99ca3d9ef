import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listInstances } from '@lontar/shared/instances.ts';
import type { RedisUser } from '@lontar/shared/redis-users.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { freePort, startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { refusedByRedis, type TestUsers, testUsers } from '@lontar/shared/testing/redis-users.ts';
import { type Operated, operate } from './operate.ts';
import { type Service, startService } from './service.ts';

export interface StackOptions {
  readonly gateways?: number;
  readonly workers?: number;
  /** Start stats-service too. */
  readonly stats?: boolean;
  readonly protocol?: 'openai' | 'gemini' | 'demo';
  readonly durable?: boolean;
  /** A Redis that is up already, instead of one of the stack's own; it is stopped with the stack. */
  readonly redis?: TestRedis;
  /** The users of the Redis that `settings.REDIS_URL` names, if it has Lontar's. */
  readonly users?: TestUsers;
  /** Further settings, for all services. */
  readonly settings?: Record<string, string>;
}

/** What is particular to one process. */
export interface StartHow {
  readonly settings?: Record<string, string>;
  /** The command and arguments that start Node. */
  readonly wrapper?: readonly string[];
  /** Another checkout to start it from. */
  readonly folder?: string;
}

/** The whole service as real processes on a real Redis, with a local HTTP server as the model's upstream. */
export interface Stack {
  readonly redis: TestRedis;
  readonly upstream: FakeUpstream;
  readonly gateways: Service[];
  readonly workers: Service[];
  /** Origin of the first gateway. */
  readonly url: string;
  readonly urls: string[];
  /** `UPLOAD_DIR`. */
  readonly uploads: string;
  /** Secrets that must never show anywhere. */
  readonly secrets: {
    readonly pepper: string;
    readonly upstreamKey: string;
    readonly dashboardToken: string;
    readonly innerSecret: string;
  };
  /** Creates an API key with the operator's command. */
  createKey(...options: string[]): Promise<{ id: string; key: string }>;
  /** Runs the operator's command, see `operate`. */
  lontar(...args: string[]): Promise<Operated>;
  /** Starts a further gateway, or, with `again`, one that has ended: on its old port then. */
  startGateway(how?: StartHow & { readonly again?: number }): Promise<string>;
  startWorker(how?: StartHow): Promise<Service>;
  /** Starts stats-service, again where it was killed, on the same port. */
  startStats(settings?: Record<string, string>): Promise<Service>;
  /** The stats-service that was started last. */
  readonly stats: Service | undefined;
  /** Where the registered instances serve their metrics. */
  metricsUrls(): Promise<string[]>;
  metricsUrlOf(instance: string): Promise<string | undefined>;
  /** All log lines of all services. */
  logs(): string;
  stop(): Promise<void>;
}

/**
 * Starts the service as real processes, with a Redis and a fake upstream of its own.
 *
 * @throws when a process does not start, or Redis fails
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const users = options.users ?? testUsers();
  const [redis, upstream] = await Promise.all([
    options.redis ?? startTestRedis({ durable: options.durable ?? false, args: users.args }),
    startFakeUpstream(),
  ]);
  // As installed: each process has a user of its own. A Redis that is given has the users that it has.
  const named = options.settings?.['REDIS_URL'];
  const hasUsers = options.users !== undefined || (options.redis === undefined && named === undefined);
  const redisOf = (user: RedisUser): Record<string, string> =>
    hasUsers ? { REDIS_URL: users.urlOf(named ?? redis.url, user) } : {};
  const uploads = await mkdtemp(join(tmpdir(), 'lontar-e2e-'));
  const secrets = {
    pepper: randomBytes(32).toString('base64url'),
    upstreamKey: randomBytes(24).toString('base64url'),
    dashboardToken: randomBytes(24).toString('base64url'),
    innerSecret: randomBytes(32).toString('base64url'),
  };
  const environment: Record<string, string> = {
    REDIS_URL: redis.url,
    KEY_PEPPER: secrets.pepper,
    DASHBOARD_TOKEN: secrets.dashboardToken,
    INNER_SECRET: secrets.innerSecret,
    RATE_LIMIT_PER_HOUR: '1000000',
    // All callers of a test have one address.
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
    METRICS_PORT: '0',
    UPLOAD_DIR: uploads,
    ...modelSettings(options.protocol ?? 'openai', upstream, secrets.upstreamKey),
    ...options.settings,
  };
  const gateways: Service[] = [];
  const workers: Service[] = [];
  const others: Service[] = [];
  const urls: string[] = [];
  let isOver = false;
  const start: typeof startService = (...args) => {
    // A test that was broken off may still be about to.
    if (isOver) throw new Error('this stack has been stopped');
    return startService(...args);
  };

  const startGateway = async (how: StartHow & { readonly again?: number } = {}) => {
    const index = how.again ?? gateways.length;
    const service = start(
      `gateway-${index + 1}`,
      'gateway/src/main.ts',
      { PORT: new URL(urls[index] ?? 'http://x:0').port, ...environment, ...redisOf('gateway'), ...how.settings },
      how,
    );
    gateways[index] = service;
    const { port } = await service.logged('the gateway serves');
    const url = `http://127.0.0.1:${String(port)}`;
    urls[index] = url;
    return url;
  };
  const startWorker = async (how: StartHow = {}) => {
    const service = start(
      `worker-${workers.length + 1}`,
      'worker/src/main.ts',
      { ...environment, ...redisOf('worker'), ...how.settings },
      how,
    );
    workers.push(service);
    await service.logged('the worker takes jobs');
    return service;
  };
  const lontar = (...args: string[]) => operate(args, { ...environment, ...redisOf('operator') });

  const statsPort = String(await freePort());
  environment['STATS_URL'] = `http://127.0.0.1:${statsPort}`;
  const startStats = async (settings: Record<string, string> = {}) => {
    const stats = start('stats-service', 'stats-service/src/main.ts', {
      ...environment,
      ...redisOf('stats-service'),
      STATS_PORT: statsPort,
      ...settings,
    });
    others.push(stats);
    await stats.logged('stats-service serves');
    return stats;
  };
  const endAll = async () => {
    isOver = true;
    await Promise.all([...gateways, ...workers, ...others].map((service) => service.end('SIGKILL')));
    await upstream.stop();
  };
  const removeAll = async () => {
    await redis.stop();
    await rm(uploads, { recursive: true, force: true });
  };
  try {
    if (options.stats) await startStats();
    await Promise.all([
      ...Array.from({ length: options.gateways ?? 1 }, () => startGateway()),
      ...Array.from({ length: options.workers ?? 1 }, () => startWorker()),
    ]);
  } catch (error) {
    // Who asked for it has nothing to stop.
    await endAll();
    await removeAll();
    throw error;
  }
  return {
    redis,
    upstream,
    gateways,
    workers,
    urls,
    uploads,
    get url() {
      return urls[0] ?? '';
    },
    secrets,
    async createKey(...keyOptions) {
      const { stdout } = await lontar(
        'keys',
        'create',
        '--name',
        'test',
        '--json',
        '--concurrency',
        '1000',
        ...keyOptions,
      );
      return JSON.parse(stdout) as { id: string; key: string };
    },
    lontar,
    startGateway,
    startWorker,
    startStats,
    get stats() {
      return others.at(-1);
    },
    metricsUrls: async () => (await listInstances(redis.client)).map(({ metricsUrl }) => metricsUrl),
    metricsUrlOf: async (instance) => (await listInstances(redis.client)).find(({ id }) => id === instance)?.metricsUrl,
    logs: () => [...gateways, ...workers, ...others].map((service) => service.logs()).join('\n'),
    async stop() {
      await endAll();
      // A Redis that a test has killed has nothing to say.
      const isUp = named !== undefined || redis.client.status === 'ready';
      const refused = hasUsers && isUp ? await refusedByRedis(named ?? redis.url) : [];
      await removeAll();
      // Whatever the test was about: no service may want what its user may not do.
      if (refused.length > 0) throw new Error(`Redis refused its users: ${refused.join('; ')}`);
    },
  };
}

function modelSettings(
  protocol: 'openai' | 'gemini' | 'demo',
  upstream: FakeUpstream,
  key: string,
): Record<string, string> {
  if (protocol === 'demo') return { MODEL_PROVIDER: 'demo' };
  if (protocol === 'gemini') return { GEMINI_API_KEY: key, GEMINI_BASE_URL: upstream.geminiUrl };
  return { OPENAI_API_KEY: key, OPENAI_BASE_URL: upstream.openAiUrl };
}
