import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { startTestRedis } from '@lontar/shared/testing/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';
import { buildPage } from '../../cli/src/page/build-page.ts';
import { ROOT } from '../harness/launch.ts';
import type { Service } from '../harness/service.ts';
import { type Stack, type StackOptions, startStack } from '../harness/stack.ts';
import { type Caller, createCaller, type SendHow } from './caller.ts';
import { asOneRedis, type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { createLedger, type Ledger, type LedgerEntry, NONCE } from './ledger.ts';

export interface SystemOptions extends Omit<StackOptions, 'redis'> {
  /** For the private Redis. */
  readonly redisArgs?: string[];
  /** Whether a write is on the disk before it is answered, so that a kill of Redis loses none; as slow as the disk. */
  readonly synced?: boolean;
  readonly redisWrapper?: string[];
  /** A primary with replicas and Sentinels instead of one Redis. */
  readonly sentinels?: FleetOptions;
  /** Options of a second key, `keys[1]`. */
  readonly secondKey?: readonly string[];
}

/** Of one process, in a row. */
const MOST_STARTS = 5;

export interface ApiKey {
  readonly id: string;
  readonly key: string;
}

/** A whole service under test, its Redis behind a proxy, with a ledger of everything that is sent to it. */
export interface System {
  readonly stack: Stack;
  readonly proxy: TcpProxy;
  /** Where `sentinels` was asked for. */
  readonly fleet: Fleet | undefined;
  readonly ledger: Ledger;
  readonly caller: Caller;
  readonly keys: readonly ApiKey[];
  /** In each unmasked answer. */
  readonly answerSecret: string;
  /** Sends a request to a gateway that is up; by default the next one in turn. */
  send(how?: SendHow & { readonly url?: string; readonly key?: ApiKey }): Promise<LedgerEntry>;
  /** Gateways that run. */
  urls(): string[];
  /** Sets how the upstream answers; by default at once. */
  behave(behaviour: (nonce: string, words: string) => FakeBehaviour | Promise<FakeBehaviour>): void;
  /** An answer with the nonce and a secret in it; every fourth is of 21 KB. */
  answer(nonce: string, delayMs?: number): FakeBehaviour;
  /** How long this process, which is clients, upstream and the way to Redis in one, stood still at most, ms. */
  stoodStillMs(): number;
  stop(): Promise<void>;
}

/** Nonces whose answers are long: those go to Redis another way than short ones (shared/src/settlement/turn.ts). */
const LONG_ANSWER = /[048cgkosw]$/;
const MORE_TEXT = ' It goes on for a while.'.repeat(900);

export const isUp = ({ process }: Service) => process.exitCode === null && process.signalCode === null;

/** @throws Error when the dashboard's page, whose numbers are compared at the end, cannot be built; whatever a start throws */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const { redisArgs, redisWrapper, synced, secondKey, sentinels, ...stackOptions } = options;
  const unbuilt = options.stats ? await buildPage(ROOT) : undefined;
  if (unbuilt !== undefined) throw new Error(`The page could not be built: ${unbuilt}`);
  const fleet = sentinels && (await startFleet(sentinels.clockOffsets));
  const redis = fleet
    ? asOneRedis(fleet)
    : await startTestRedis({
        durable: options.durable ?? true,
        args: ['--appendfsync', synced ? 'always' : 'everysec', ...(redisArgs ?? [])],
        wrapper: redisWrapper ?? [],
      });
  const proxy = await startTcpProxy(redis.port);
  const stack = await startStack({
    ...stackOptions,
    redis,
    settings: {
      REQUEST_TIMEOUT_MS: '20000',
      MODEL_TIMEOUT_MS: '10000',
      BAN_AFTER_BAD_KEYS: '0',
      ...options.settings,
      REDIS_URL: fleet?.url ?? `redis://127.0.0.1:${proxy.port}`,
      ...(sentinels && { REDIS_REPLICAS_ACK: String(sentinels.ack) }),
    },
  });
  const { startGateway, startWorker, startStats } = stack;
  Object.assign(stack, {
    startGateway: supervised(startGateway),
    startWorker: supervised(startWorker),
    startStats: supervised(startStats),
  });
  const ledger = createLedger(randomBytes(4).toString('hex'));
  const caller = createCaller(ledger);
  const ample = ['--credits', '1000000', '--concurrency', '10000'];
  const keys = [await stack.createKey(...ample)];
  if (secondKey) keys.push(await stack.createKey(...ample, ...secondKey));
  // Made at run time, so that no token-shaped text stands in the sources.
  const answerSecret = ['ghp', randomBytes(27).toString('base64url').replaceAll(/[-_]/g, 'x')].join('_');
  const stalls = monitorEventLoopDelay();
  stalls.enable();
  let turn = 0;

  const urls = () => stack.urls.filter((_url, index) => isUp(stack.gateways[index] as Service));
  const system: System = {
    stack,
    proxy,
    fleet,
    ledger,
    caller,
    keys,
    answerSecret,
    urls,
    send({ url, key, ...how } = {}) {
      const up = urls();
      return caller.send(url ?? up[turn++ % up.length] ?? stack.url, key ?? (keys[0] as ApiKey), how);
    },
    behave(behaviour) {
      stack.upstream.behave(async (call) => {
        const nonce = NONCE.exec(call.prompt)?.[0] ?? '';
        ledger.called(nonce, Date.now());
        return behaviour(nonce, call.prompt);
      });
    },
    answer: (nonce, delayMs = 0) => ({
      kind: 'answer',
      text: `Answer to ${nonce}, with the token ${answerSecret}, keep it.${LONG_ANSWER.test(nonce) ? MORE_TEXT : ''}`,
      delayMs,
    }),
    stoodStillMs: () => stalls.max / 1e6,
    async stop() {
      stalls.disable();
      caller.close();
      await stack.stop();
      await proxy.stop();
    },
  };
  system.behave((nonce) => system.answer(nonce));
  return system;
}

/**
 * A service that finds no Redis for ten seconds ends, and is started again, as supervisors do: on a machine that is far too
 * busy the way to Redis, which this process is, may be that slow.
 */
function supervised<Args extends unknown[], Started>(start: (...args: Args) => Promise<Started>) {
  return async (...args: Args): Promise<Started> => {
    for (let left = MOST_STARTS; ; left--) {
      try {
        return await start(...args);
      } catch (error) {
        if (left === 1 || !String(error).includes('Redis cannot be reached')) throw error;
      }
    }
  };
}

/**
 * Looks again every few ms until it is true.
 *
 * @throws Error that names `what` when the time is over
 */
export async function until(isTrue: () => boolean | Promise<boolean>, withinMs: number, what: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await isTrue()) return performance.now() - startedAt;
    if (performance.now() - startedAt > withinMs) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await delay(2);
  }
}
