import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startLoad } from '../../harness/load.ts';
import { statusOf, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System, SystemOptions } from '../system.ts';

const run = promisify(execFile);

/** With Redis away a client gets its answer within this, ms. */
const ANSWER_MS = 1_000;

interface Outage {
  readonly name: string;
  readonly about: string;
  readonly options?: SystemOptions;
  cause(system: System): Promise<unknown> | void;
  /** Ends it; resolves when Redis accepts again. */
  heal(system: System): Promise<unknown> | void;
  /** Redis answers reads all the same: the probe has to notice by writing. */
  readonly answersReads?: boolean;
}

const outages: readonly Outage[] = [
  {
    name: 'redis-killed',
    about: 'SIGKILL of Redis (append-only) under load, and its restart.',
    options: { synced: true },
    cause: ({ stack }) => stack.redis.kill(),
    heal: ({ stack }) => stack.redis.start(),
  },
  {
    name: 'redis-blackholed',
    about: 'Nothing reaches Redis for a while; then everything that was sent arrives.',
    cause: ({ proxy }) => proxy.mode('hold'),
    heal: ({ proxy }) => proxy.mode('pass'),
  },
  {
    name: 'redis-connections-lost',
    about: 'Nothing reaches Redis for a while, and connections that were open are dead without either end noticing.',
    cause: ({ proxy }) => proxy.mode('lose'),
    heal: ({ proxy }) => proxy.mode('pass'),
  },
  {
    name: 'redis-full',
    about: 'Redis at maxmemory refuses writes.',
    cause: ({ stack }) => stack.redis.client.config('SET', 'maxmemory', '1mb'),
    heal: ({ stack }) => stack.redis.client.config('SET', 'maxmemory', '0'),
    answersReads: true,
  },
  {
    name: 'redis-read-only',
    about: 'Redis becomes a replica, which refuses writes.',
    cause: ({ stack }) => stack.redis.client.replicaof('127.0.0.1', 1),
    heal: ({ stack }) => stack.redis.client.replicaof('NO', 'ONE'),
    answersReads: true,
  },
  {
    name: 'redis-disk-full',
    about: 'The append-only file cannot grow any more.',
    options: {
      redisArgs: ['--auto-aof-rewrite-percentage', '0'],
      // A limit on the size of files stands for a full disk; Redis goes through the same failed write.
      redisWrapper: ['bash', '-c', 'trap "" XFSZ; exec "$0" "$@"'],
    },
    cause: ({ stack }) => limitFiles(stack.redis.process().pid, 4_096),
    heal: ({ stack }) => limitFiles(stack.redis.process().pid, 'unlimited'),
    answersReads: true,
  },
];

export const redisScenarios: readonly Scenario[] = [
  ...outages.map(
    (outage): Scenario => ({
      name: outage.name,
      about: outage.about,
      run: (context) =>
        onSystem(context, { stats: true, ...outage.options }, (system) => goThrough(context, system, outage)),
    }),
  ),
  {
    name: 'redis-scripts-forgotten',
    about: 'Redis forgets all scripts under load.',
    run: (context) =>
      onSystem(context, { stats: true }, async (system) => {
        const load = startLoad({ perSecond: 40 }, () => system.send());
        for (let round = 0; round < 5; round++) {
          await delay(400);
          await system.stack.redis.client.script('FLUSH');
        }
        const entries = await load.stop();
        judgeAnswers(context.report, entries);
      }),
  },
];

async function goThrough({ report, quick }: ScenarioContext, system: System, outage: Outage): Promise<void> {
  const probes = (await system.stack.metricsUrls()).map((url) => new URL('/readyz', url).href);
  system.behave((nonce) => system.answer(nonce, 100));
  const load = startLoad({ perSecond: 30 }, () => system.send());
  await delay(1_000);
  const linesBefore = countLines(system);
  await outage.cause(system);
  const causedAt = Date.now();
  const redMs = await Promise.all(probes.map((probe) => untilReady(probe, false)));
  await delay(Math.max(0, (quick ? 4_000 : 10_000) - (Date.now() - causedAt)));
  const lines = countLines(system) - linesBefore;
  const healingAt = Date.now();
  await outage.heal(system);
  const acceptsAt = Date.now();
  const firstSuccess = await firstAnswer(system);
  const entries = await load.stop();
  await Promise.all(probes.map((probe) => untilReady(probe, true)));

  const during = entries.filter(({ sentAt }) => sentAt > causedAt + 50 && sentAt < healingAt - ANSWER_MS);
  const refused = during.filter((entry) => statusOf(entry) === 503);
  report.fact('sent while it lasted', during.length, { atLeast: 1 });
  if (!outage.name.includes('disk')) report.fact('not refused by 503', during.length - refused.length, { atMost: 0 });
  report.timed('slowest refusal', percentile(refused.map(tookMs), 1), { atMost: ANSWER_MS });
  report.timed('readiness red after', Math.max(...redMs), { atMost: 2_000 });
  report.timed('log lines', lines / ((healingAt - causedAt) / 1_000), { atMost: 10 }, 'a second, all processes');
  report.timed('first success after Redis accepts', firstSuccess - acceptsAt, { atMost: 1_000 });
  const broken = entries.filter(({ end }) => end?.kind === 'broken').length;
  report.fact('connections broken', broken, { atMost: 0 });
}

function countLines({ stack }: System): number {
  return stack.logs().split('\n').length;
}

/** Asks until the probe says so, ms. */
async function untilReady(probe: string, ready: boolean): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { status } = await fetch(probe);
    if ((status === 200) === ready || performance.now() - startedAt > 30_000) return performance.now() - startedAt;
    await delay(50);
  }
}

/** Unix ms of the first answer to requests that are sent again and again. */
async function firstAnswer(system: System): Promise<number> {
  let answeredAt: number | undefined;
  while (answeredAt === undefined) {
    void system.send().then((entry) => {
      if (statusOf(entry) === 200) answeredAt ??= entry.endedAt;
    });
    await delay(20);
  }
  return answeredAt;
}

async function limitFiles(pid: number | undefined, bytes: number | 'unlimited'): Promise<void> {
  await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
