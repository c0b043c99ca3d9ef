import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from '../measure.ts';
import { installPortkey, portkeyRequest, startPortkey, upstreamRequest } from '../portkey.ts';
import { startBenchRedis } from '../processes/bench-redis.ts';
import { chatRequest, type ServiceUnderTest, startServiceUnderTest } from '../processes/service-under-test.ts';
import { startProcess } from '../processes/start-process.ts';
import { promptFor, type Wish } from '../wish.ts';

/** Everything that is compared, but for LiteLLM (`beside-litellm.ts`), running side by side; who is not asked is idle. */
export interface Contenders {
  readonly service: ServiceUnderTest;
  /** The contender as a target that is asked for this. @throws Error when it is none of `names` */
  target(name: ContenderName, wish: Wish): Target;
  readonly names: readonly ContenderName[];
  stop(): Promise<void>;
}

export const CONTENDERS = {
  service: 'Lontar',
  portkey: 'Portkey',
  direct: 'upstream itself',
  v1: 'Lontar, /v1',
  stubbed: 'Lontar, built-in model',
  queue: 'bare BullMQ loop',
  express: 'Express hello',
  litellm: 'LiteLLM',
} as const;
export type ContenderName = keyof typeof CONTENDERS;

export interface Upstream {
  readonly port: number;
  readonly process: { readonly name: string; readonly pid: number };
  stop(): Promise<void>;
}

/** Starts the mock upstream. */
export async function startUpstream(): Promise<Upstream> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-bench-'));
  const [process, line] = await startProcess({
    name: 'upstream',
    command: ['e2e/bench/mock-upstream.ts'],
    folder,
    readyMessage: 'serves',
  });
  return {
    port: Number(line['port']),
    process,
    async stop() {
      await process.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @param options.portkey false leaves Portkey out, where it cannot be installed */
export async function startContenders(
  upstream: Upstream,
  options: { readonly portkey: boolean; readonly profileFolder?: string | undefined },
): Promise<Contenders> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-bench-'));
  const service = await startServiceUnderTest({ upstreamPort: upstream.port, profileFolder: options.profileFolder });
  const stubbed = await startServiceUnderTest({});
  const portkey = options.portkey ? await startPortkey(await installPortkey(), folder) : undefined;
  const [express, line] = await startProcess({
    name: 'express',
    command: ['e2e/bench/floors/express-hello.ts'],
    folder,
    readyMessage: 'serves',
  });
  const queue = await startQueueFloor(folder);
  return {
    service,
    names: (Object.keys(CONTENDERS) as ContenderName[]).filter(
      (name) => name !== 'litellm' && (name !== 'portkey' || portkey),
    ),
    target(name, wish) {
      const prompt = promptFor(wish);
      const ofService = ({ ports, request, processes }: ServiceUnderTest) => ({
        ports,
        requests: [request(prompt)],
        processes,
      });
      switch (name) {
        case 'service':
          return { name, ...ofService(service), processes: [...service.processes, upstream.process] };
        case 'v1':
          return {
            name,
            ...ofService(service),
            requests: [chatRequest(prompt, service.key)],
            processes: [...service.processes, upstream.process],
          };
        case 'stubbed':
          return { name, ...ofService(stubbed) };
        case 'portkey':
          return {
            name,
            ports: [portkey?.port ?? 0],
            requests: [portkeyRequest(prompt, upstream.port)],
            processes: portkey ? [portkey.process, upstream.process] : [],
          };
        case 'direct':
          return { name, ports: [upstream.port], requests: [upstreamRequest(prompt)], processes: [upstream.process] };
        case 'express': {
          const requests = ['GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n'];
          return { name, ports: [Number(line['port'])], requests, processes: [express] };
        }
        case 'queue':
          return queue.target;
        case 'litellm':
          throw new Error('LiteLLM is measured in a section of its own');
      }
    },
    async stop() {
      await Promise.all([service.stop(), stubbed.stop(), portkey?.process.stop(), express.stop(), queue.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Jobs that its worker has at once: those of the loops, and at a pace those of 400 a second which take 1.5 s each. */
const QUEUE_CONCURRENCY = { loops: 50, pace: 1_000 };

/**
 * Starts the bare queue loop's worker, on a Redis of its own.
 *
 * @param jobMs what each job takes where they come at a pace, as requests in an open loop; absent for loops that wait
 * @throws when Redis or the worker does not start
 */
export async function startQueueFloor(
  folder: string,
  jobMs?: number,
): Promise<{ target: Target; stop(): Promise<void> }> {
  const redis = await startBenchRedis();
  const how = jobMs === undefined ? 'loops' : 'pace';
  const [worker] = await startProcess({
    name: 'queue-worker',
    command: ['e2e/bench/floors/queue-worker.ts', redis.socket, String(QUEUE_CONCURRENCY[how])],
    folder,
    readyMessage: 'takes jobs',
  });
  const file = jobMs === undefined ? 'queue-loop.ts' : 'queue-pace.ts';
  const script = fileURLToPath(new URL(`../floors/${file}`, import.meta.url));
  const args = jobMs === undefined ? [redis.socket] : [redis.socket, String(jobMs)];
  return {
    target: {
      name: 'queue',
      ports: [],
      requests: [],
      generator: { script, args },
      processes: [worker, { name: 'redis', pid: redis.process().pid ?? 0 }],
    },
    async stop() {
      await worker.stop();
      await redis.stop();
    },
  };
}
