import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { loadFor } from '../../harness/load.ts';
import type { Stack } from '../../harness/stack.ts';
import { type LedgerEntry, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { startSlowAttack } from '../slow-attack.ts';
import { type System, until } from '../system.ts';

const WAITING = '{lontar}:generation:wait';
/** Others' latency is compared in turns of this length, so that a busy machine is busy for both. */
const TURN_SECONDS = 10;

interface SlowKind {
  readonly about: string;
  /** What each of them sends at first. */
  first(system: System): string;
  /** What each of them sends every second. */
  readonly drop: string;
}

/** As long as slow ones are let in: they are then cut, and come, one after the other. */
const RAMP_MS = 8_000;

/** The path of a long file, where a system has one. */
const files = new WeakMap<Stack, string>();

const SLOW = {
  headers: {
    about: 'send their headers byte by byte',
    first: () => 'GET /api/ai?prompt=x HTTP/1.1\r\nHost: x\r\nX-A: ',
    drop: 'a',
  },
  body: {
    about: 'send a prompt byte by byte',
    first: ({ keys }) =>
      `POST /api/ai HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]?.key}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"prompt":"`,
    drop: 'a',
  },
  upload: {
    about: 'send a file byte by byte',
    first: ({ keys }) =>
      `POST /api/upload HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]?.key}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      'Content-Length: 100000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n',
    drop: 'a',
  },
  reading: {
    about: 'ask for a long file and do not read it',
    first: ({ stack, keys }) => `GET ${files.get(stack)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]?.key}\r\n\r\n`,
    drop: '',
  },
} as const satisfies Record<string, SlowKind>;

export const clientScenarios: readonly Scenario[] = [
  {
    name: 'client-leaves-queue',
    about: 'Clients leave while their jobs wait: no worker is there.',
    run: (context) =>
      onSystem(context, { workers: 0 }, async (system) => {
        const goneMs = [];
        for (let round = 0; round < (context.quick ? 10 : 100); round++) {
          const leaving = new AbortController();
          const left = system.send({ leave: leaving.signal });
          await until(async () => (await system.stack.redis.client.llen(WAITING)) === 1, 20_000, 'a job in the queue');
          leaving.abort();
          goneMs.push(
            await until(async () => (await system.stack.redis.client.llen(WAITING)) === 0, 20_000, 'removal'),
          );
          await left;
        }
        context.report.fact('of those who left, charged', await chargedOf(system), { atMost: 0 });
        context.report.timed('queued job gone, p99', percentile(goneMs, 0.99), { atMost: 250 });
        await system.stack.startWorker();
        const next = await system.send();
        judgeAnswers(context.report, [next]);
        context.report.fact('jobs of those who left that ran', system.ledger.calls.size - 1, { atMost: 0 });
      }),
  },
  {
    name: 'client-leaves-call',
    about: 'Clients leave in the middle of model calls, ten at a time.',
    run: (context) =>
      onSystem(context, {}, async (system) => {
        system.behave(() => 'hang');
        const redis = system.stack.redis.client;
        const abortedMs: number[] = [];
        for (let round = 0; round < (context.quick ? 2 : 20); round++) {
          const leaving = new AbortController();
          const left = Array.from({ length: 10 }, () => system.send({ leave: leaving.signal }));
          const calls = await Promise.all(left.map(() => system.stack.upstream.nextCall()));
          const leftAt = performance.now();
          leaving.abort();
          await Promise.all(
            calls.map(({ whenAborted }) => whenAborted.then(() => abortedMs.push(performance.now() - leftAt))),
          );
          await Promise.all(left);
        }
        const settledMs = await until(async () => (await countReservations(redis)) === 0, 20_000, 'all settled');
        context.report.timed('settled after the last left', settledMs, { atMost: 1_000 });
        context.report.fact('of those who left, not charged', system.ledger.entries.size - (await chargedOf(system)), {
          atMost: 0,
        });
        context.report.timed('model call aborted, p99', percentile(abortedMs, 0.99), { atMost: 500 });
      }),
  },
  ...(['headers', 'body', 'upload', 'reading'] as const).map(
    (what): Scenario => ({
      name: `slow-${what}`,
      about: `Clients that ${SLOW[what].about}, while others go on.`,
      run: (context) =>
        onSystem(context, { settings: { LOG_REQUESTS: 'false' } }, (system) => slowClients(context, system, what)),
    }),
  ),
];

/** Credits that the system's key has spent. */
async function chargedOf({ stack, keys }: System): Promise<number> {
  return Number(await stack.redis.client.hget(redisKeys.apiKey(keys[0]?.id ?? ''), 'charged'));
}

/** Longer than what the kernel takes for a client that does not read. */
const FILE_BYTES = 10_000_000;

async function uploadFile({ stack, keys }: System): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([Buffer.alloc(FILE_BYTES, 'text ')]), 'long.txt');
  const headers = { 'x-api-key': keys[0]?.key ?? '' };
  const response = await fetch(new URL('/api/upload', stack.url), { method: 'POST', headers, body });
  const { result } = (await response.json()) as { result: { id: string } };
  files.set(stack, `/files/${result.id}`);
}

async function slowClients({ report, quick }: ScenarioContext, system: System, what: keyof typeof SLOW): Promise<void> {
  system.behave((nonce) => system.answer(nonce, 20));
  const perSecond = quick ? 40 : 100;
  const others = async () => loadFor(TURN_SECONDS, perSecond, () => system.send());
  await loadFor(quick ? 2 : 5, perSecond, () => system.send());
  if (what === 'reading') await uploadFile(system);
  const { hostname: host, port } = new URL(system.stack.url);
  const { first, drop } = SLOW[what];
  // What is not read waits in the memory of the kernel.
  const clients = quick || what === 'reading' ? 100 : 1_000;
  const alone: LedgerEntry[] = [];
  const beside: LedgerEntry[] = [];
  const cutMs: number[] = [];
  for (let turn = 0; turn < (quick ? 1 : 3); turn++) {
    alone.push(...(await others()));
    const attack = startSlowAttack({
      host,
      port: Number(port),
      clients,
      rampMs: quick ? 1_000 : RAMP_MS,
      first: first(system),
      drop,
    });
    await attack.connected;
    beside.push(...(await others()));
    cutMs.push(...(await attack.end(30_000)));
  }
  report.fact('slow clients at once', clients);
  report.fact('slow clients cut', cutMs.length);
  report.timed('cut within, the last', Math.max(...cutMs), { atMost: 10_000 });
  judgeAnswers(report, [...alone, ...beside]);
  const p99 = (entries: readonly LedgerEntry[]) => percentile(entries.map(tookMs), 0.99);
  report.timed("others' p99 alone", p99(alone));
  report.timed("others' p99 beside them", p99(beside));
  // Who does not read is sent what fits into the kernel's buffers, megabytes each: that is work, and others see it.
  const bound = what === 'reading' ? undefined : { atMost: 10 };
  report.timed('growth', (p99(beside) / p99(alone) - 1) * 100, bound, '%');
}
