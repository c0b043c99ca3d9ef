import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, mintApiKey } from '@lontar/shared/api-key.ts';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { createLifecycle } from '@lontar/shared/lifecycle.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { gatewaySettings } from '../src/config.ts';
import { startGateway } from '../src/start.ts';

/** A gateway inside the test's own process, on a Redis of its own. */
export interface TestGateway {
  readonly url: string;
  readonly metricsUrl: string;
  /** Where the admin API has a port of its own (`ADMIN_PORT`). */
  readonly adminUrl: string | undefined;
  readonly redis: TestRedis;
  /** `UPLOAD_DIR`. */
  readonly folder: string;
  /** `INNER_SECRET`. */
  readonly innerSecret: string;
  /** `KEY_PEPPER`. */
  readonly pepper: string;
  /** Stores an active key with these fields of its record. */
  createKey(fields?: Record<string, string>): Promise<{ id: string; key: string }>;
  stop(): Promise<void>;
}

/**
 * Starts a gateway in this process, on a free port, with a Redis and a folder of its own.
 *
 * @param beside shares the Redis and the keys of that one, which has to be stopped last
 * @throws when Redis or the gateway does not start
 */
export async function startTestGateway(
  settings: Record<string, string> = {},
  beside?: TestGateway,
): Promise<TestGateway> {
  const [redis, folder] = await Promise.all([
    beside?.redis ?? startTestRedis(),
    mkdtemp(join(tmpdir(), 'lontar-uploads-')),
  ]);
  const pepper = beside?.pepper ?? randomBytes(32).toString('base64url');
  const innerSecret = randomBytes(32).toString('base64url');
  const config = readConfig(gatewaySettings, {
    REDIS_URL: redis.url,
    KEY_PEPPER: pepper,
    INNER_SECRET: innerSecret,
    PORT: '0',
    METRICS_PORT: '0',
    UPLOAD_DIR: folder,
    RATE_LIMIT_PER_HOUR: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
    BAN_AFTER_BAD_KEYS: '0',
    LOG_LEVEL: 'silent',
    ...settings,
  });
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const lifecycle = createLifecycle(logger);
  const { port, metricsPort, adminPort } = await startGateway(config, logger, lifecycle).catch(
    async (error: unknown) => {
      await lifecycle.stop(5_000);
      throw error;
    },
  );
  const served = noteServer(port);
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    adminUrl: adminPort === undefined ? undefined : `http://127.0.0.1:${adminPort}`,
    redis,
    folder,
    innerSecret,
    pepper,
    async createKey(fields = {}) {
      const { id, key } = mintApiKey();
      const record = { id, hash: hashApiKey(key, pepper), name: 'test', state: 'active', createdAt: '0', ...fields };
      await redis.client.hset(redisKeys.apiKey(id), record);
      await redis.client.zadd(redisKeys.apiKeyIndex, 0, id);
      return { id, key };
    },
    async stop() {
      const stopped = lifecycle.stop(2_000);
      // The tests' own kept-alive connections, which a gateway that stops serves on for a second.
      served.closeIdle();
      await stopped;
      if (!beside) await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Finds the server behind a port, which a gateway keeps to itself, by the requests that it gets. */
function noteServer(port: number) {
  let server: Server | undefined;
  const note = (message: unknown): void => {
    const { server: asked } = message as { server: Server };
    if ((asked.address() as AddressInfo | null)?.port === port) server = asked;
  };
  subscribe('http.server.request.start', note);
  return {
    closeIdle(): void {
      unsubscribe('http.server.request.start', note);
      server?.closeIdleConnections();
    },
  };
}
