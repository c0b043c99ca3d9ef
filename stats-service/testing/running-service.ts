import { createHash, randomBytes } from 'node:crypto';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { createLifecycle } from '@lontar/shared/lifecycle.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { operatorKeys } from '@lontar/shared/operator-sessions.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { statsSettings } from '../src/config.ts';
import { startStatsService } from '../src/stats-service.ts';

export interface RunningService {
  readonly url: string;
  readonly metricsUrl: string;
  readonly token: string;
  /** `INNER_SECRET`. */
  readonly innerSecret: string;
  /** Headers of a request that a gateway hands on for the caller at `HOME`. */
  readonly fromHome: Readonly<Record<string, string>>;
  /** Asks as a caller of this address, as the gateway names it. */
  ask(path: string, options?: RequestInit & { readonly from?: string }): Promise<Response>;
  /** Signs in and gives the Cookie header. */
  signIn(from?: string): Promise<string>;
  /** Tries to sign in with this token. */
  guess(token: string, from?: string): Promise<Response>;
  /** Makes a one-time code, as `lontar dashboard` does. */
  makeCode(): Promise<string>;
  append(events: readonly RequestEvent[]): Promise<void>;
  stop(): Promise<void>;
}

export const HOME = '192.0.2.10';

/** A stats-service in this process, on free ports. */
export async function runService(redis: TestRedis, settings: Record<string, string> = {}): Promise<RunningService> {
  const [token, innerSecret] = [randomBytes(24), randomBytes(32)].map((bytes) => bytes.toString('base64url')) as [
    string,
    string,
  ];
  const config = readConfig(statsSettings, {
    REDIS_URL: redis.url,
    STATS_PORT: '0',
    METRICS_PORT: '0',
    DASHBOARD_TOKEN: token,
    INNER_SECRET: innerSecret,
    ...settings,
  });
  const logger = createLogger('stats-service', 'silent');
  const lifecycle = createLifecycle(logger);
  const service = await startStatsService(config, logger, lifecycle);
  const url = `http://127.0.0.1:${service.port}`;
  const fromGateway = (address: string) => ({
    'x-lontar-inner-secret': innerSecret,
    'x-lontar-client-address': address,
  });
  const ask: RunningService['ask'] = (path, { from = HOME, headers, ...options } = {}) =>
    fetch(new URL(path, url), {
      redirect: 'manual',
      ...options,
      headers: { ...fromGateway(from), ...(headers as Record<string, string>) },
    });
  const guess: RunningService['guess'] = (given, from = HOME) =>
    ask('/dashboard/session', { method: 'POST', body: JSON.stringify({ token: given }), from });
  return {
    url,
    metricsUrl: `http://127.0.0.1:${service.metricsPort}/metrics`,
    token: config.DASHBOARD_TOKEN,
    innerSecret,
    fromHome: fromGateway(HOME),
    ask,
    async signIn(from = HOME) {
      const answer = await guess(config.DASHBOARD_TOKEN, from);
      if (answer.status !== 204) throw new Error(`sign-in gave ${answer.status}`);
      return cookieOf(answer);
    },
    guess,
    async makeCode() {
      const code = randomBytes(24).toString('base64url');
      const digest = createHash('sha256').update(code).digest('hex');
      await redis.client.zadd(operatorKeys.signInCodes, Date.now() + 600_000, digest);
      return code;
    },
    async append(events) {
      const pipeline = redis.client.pipeline();
      for (const event of events) pipeline.xadd(redisKeys.events, '*', 'event', JSON.stringify(event));
      await pipeline.exec();
      while ((await redis.client.xlen(redisKeys.events)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async stop() {
      await lifecycle.stop(5_000);
    },
  };
}

/** The Cookie header that answers a Set-Cookie. */
export function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
