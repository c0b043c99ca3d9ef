import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { ROOT } from '../../harness/launch.ts';
import { startBenchRedis } from './bench-redis.ts';
import { type Measured, startProcess } from './start-process.ts';

const run = promisify(execFile);

export interface ServiceOptions {
  /** How many, or the settings of each. */
  readonly gateways?: number | readonly Readonly<Record<string, string>>[];
  readonly workers?: number;
  /** Port of the mock upstream; the built-in model answers where it is absent. */
  readonly upstreamPort?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Root of another checkout, to compare with. */
  readonly root?: string | undefined;
  readonly profileFolder?: string | undefined;
}

/** The whole service: real processes, a Redis of its own, everything switched on, limits too high to refuse anything. */
export interface ServiceUnderTest {
  readonly redis: TestRedis;
  readonly gateways: readonly Measured[];
  readonly workers: readonly Measured[];
  readonly ports: readonly number[];
  /** All processes, Redis too, by the names that the tables show. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  /** An API key that may have 10,000 requests in flight. */
  readonly key: string;
  /** `KEY_PEPPER`. */
  readonly pepper: string;
  /** The HTTP request that asks for an answer. */
  request(prompt: string): string;
  startWorker(): Promise<Measured>;
  stop(): Promise<void>;
}

/**
 * Starts the service that is measured, with a Redis of its own and limits that no round reaches.
 *
 * @throws when a process does not start, or Redis fails
 */
export async function startServiceUnderTest(options: ServiceOptions): Promise<ServiceUnderTest> {
  const redis = await startBenchRedis();
  const folder = await mkdtemp(join(tmpdir(), 'lontar-bench-'));
  const statsPort = await freePort();
  const pepper = randomBytes(32).toString('base64url');
  const environment = {
    REDIS_URL: `unix://${redis.socket}`,
    KEY_PEPPER: pepper,
    DASHBOARD_TOKEN: randomBytes(32).toString('base64url'),
    INNER_SECRET: randomBytes(32).toString('base64url'),
    RATE_LIMIT_PER_HOUR: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
    QUEUE_MAX_WAITING: '100000',
    METRICS_PORT: '0',
    // As the launcher and the image have it.
    MALLOC_ARENA_MAX: '1',
    UPLOAD_DIR: folder,
    STATS_PORT: String(statsPort),
    STATS_URL: `http://127.0.0.1:${statsPort}`,
    ...(options.upstreamPort === undefined
      ? { MODEL_PROVIDER: 'demo' }
      : { OPENAI_BASE_URL: `http://127.0.0.1:${options.upstreamPort}/v1` }),
    ...options.settings,
  };
  const { root, profileFolder } = options;
  const common = { environment, folder, root, profileFolder };
  const workers: Measured[] = [];
  const startWorker = async () => {
    const name = `worker-${workers.length + 1}`;
    const command = ['worker/src/main.ts'];
    const [worker] = await startProcess({ ...common, name, command, readyMessage: 'the worker takes jobs' });
    workers.push(worker);
    return worker;
  };
  const [stats] = await startProcess({
    ...common,
    name: 'stats-service',
    command: ['stats-service/src/main.ts'],
    readyMessage: 'stats-service serves',
  });
  const gateways: Measured[] = [];
  const ports: number[] = [];
  const { gateways: wanted = 1 } = options;
  for (const [index, own] of (typeof wanted === 'number'
    ? Array.from({ length: wanted }, () => ({}))
    : wanted
  ).entries()) {
    const [gateway, line] = await startProcess({
      ...common,
      name: `gateway-${index + 1}`,
      command: ['gateway/src/main.ts'],
      environment: { ...environment, PORT: '0', ...own },
      readyMessage: 'the gateway serves',
    });
    gateways.push(gateway);
    ports.push(Number(line['port']));
  }
  for (let count = 0; count < (options.workers ?? 1); count++) await startWorker();
  const key = await createKey(environment);
  return {
    redis,
    gateways,
    workers,
    ports,
    get processes() {
      return [...gateways, ...workers, stats, { name: 'redis', pid: redis.process().pid ?? 0 }];
    },
    key,
    pepper,
    request: (prompt) => generationRequest(prompt, key),
    startWorker,
    async stop() {
      await Promise.all([...gateways, ...workers, stats].map((service) => service.stop()));
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @param environment what the command finds its Redis by, and its secrets
 * @returns an API key that may have 10,000 requests in flight
 */
export async function createKey(environment: Readonly<Record<string, string>>): Promise<string> {
  const args = ['keys', 'create', '--name', 'bench', '--json', '--concurrency', '10000'];
  const { stdout } = await run(process.execPath, ['cli/src/lontar/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
  });
  return (JSON.parse(stdout) as { key: string }).key;
}

/** The same question over the OpenAI protocol. */
export function chatRequest(prompt: string, key: string): string {
  const body = JSON.stringify({ model: 'ai-2.5-flash', messages: [{ role: 'user', content: prompt }] });
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `Authorization: Bearer ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n${body}`
  );
}

/** One GET, as the service's documentation shows it. */
export function generationRequest(prompt: string, key: string, headers = ''): string {
  return (
    `GET /api/ai?prompt=${encodeURIComponent(prompt)} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${key}\r\n` +
    `${headers}Connection: keep-alive\r\n\r\n`
  );
}
