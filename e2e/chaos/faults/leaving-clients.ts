import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import type { LedgerEntry } from '../ledger.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { sendStream } from '../streams/stream-caller.ts';
import { createStreamTexts, type StreamTexts } from '../streams/stream-texts.ts';
import { type ApiKey, type System, until } from '../system.ts';

const WAITING = '{lontar}:generation:wait';
/** Longer than anything here may take, ms: what is late is a figure, and no end of the run. */
const PATIENCE_MS = 20_000;
/** From the leaving of a client to the settlement of its request, ms. */
const SETTLED_MS = 1_000;
const ABORTED_MS = 500;
const AT_ONCE = 10;
/** How long an answer takes that should not end by itself, ms. */
const LONG_MS = 30_000;

/** What became of clients who left, ms from their leaving. */
interface Left {
  readonly settledMs: number[];
  /** Of their calls of the upstream. */
  readonly abortedMs: number[];
}

/** Clients that leave while they wait for their answers, or read them. */
export const leavingScenarios: readonly Scenario[] = [
  {
    name: 'client-leaves-queue',
    about: 'Clients leave while their jobs wait: no worker is there.',
    run: (context) => onSystem(context, { workers: 0 }, (system) => leaveQueue(context, system)),
  },
  {
    name: 'client-leaves-call',
    about: 'Clients leave in the middle of model calls, ten at a time.',
    run: (context) =>
      onSystem(context, {}, async (system) => {
        system.behave(() => 'hang');
        const send = (leave: AbortSignal) => ({ left: system.send({ leave }), begun: Promise.resolve() });
        await leaveWork(context, system, send);
      }),
  },
  {
    name: 'client-leaves-stream',
    about: 'Clients leave in the middle of streams that they read, ten at a time.',
    run: (context) =>
      onSystem(context, {}, async (system) => {
        const texts = createStreamTexts(system.answerSecret);
        system.behave((nonce) => {
          const text = texts.answerTo(nonce);
          const pieceLength = 10;
          return { kind: 'answer', text, pieceLength, paceMs: (LONG_MS * pieceLength) / text.length };
        });
        await leaveWork(context, system, (leave) => readStream(system, texts, leave));
      }),
  },
];

async function leaveQueue({ report, quick }: ScenarioContext, system: System): Promise<void> {
  const { client } = system.stack.redis;
  const untilWaiting = (count: number, what: string) =>
    until(async () => (await client.llen(WAITING)) === count, PATIENCE_MS, what);
  const goneMs: number[] = [];
  const settledMs: number[] = [];
  for (let round = 0; round < (quick ? 10 : 100); round++) {
    const leaving = new AbortController();
    const left = system.send({ leave: leaving.signal });
    await untilWaiting(1, 'a job in the queue');
    leaving.abort();
    const settled = untilSettled(system);
    goneMs.push(await untilWaiting(0, 'removal'));
    settledMs.push(await settled);
    await left;
  }
  report.fact('of those who left, charged', await chargedOf(system), { atMost: 0 });
  report.timed('queued job gone, p99', percentile(goneMs, 0.99), { atMost: 250 });
  await judgeSettled(system, { report }, settledMs);
  await system.stack.startWorker();
  const next = await system.send();
  judgeAnswers(report, [next]);
  report.fact('jobs of those who left that ran', system.ledger.calls.size - 1, { atMost: 0 });
}

/** A client on its way to leave: `begun` once it has what it waits for before it does. */
interface Leaving {
  readonly left: Promise<LedgerEntry>;
  readonly begun: Promise<unknown>;
}

async function leaveWork(
  { report, quick }: ScenarioContext,
  system: System,
  send: (leave: AbortSignal) => Leaving,
): Promise<void> {
  const all: Left = { settledMs: [], abortedMs: [] };
  for (let round = 0; round < (quick ? 2 : 20); round++) {
    const leaving = new AbortController();
    const clients = Array.from({ length: AT_ONCE }, () => send(leaving.signal));
    const calls = await Promise.all(clients.map(() => system.stack.upstream.nextCall()));
    await Promise.all(clients.map(({ begun }) => begun));
    const leftAt = performance.now();
    leaving.abort();
    const settled = untilSettled(system);
    await Promise.all(
      calls.map(({ whenAborted }) => whenAborted.then(() => all.abortedMs.push(performance.now() - leftAt))),
    );
    all.settledMs.push(await settled);
    await Promise.all(clients.map(({ left }) => left));
  }
  report.fact('of those who left, not charged', system.ledger.entries.size - (await chargedOf(system)), { atMost: 0 });
  report.timed('model call aborted, p99', percentile(all.abortedMs, 0.99), { atMost: ABORTED_MS });
  await judgeSettled(system, { report }, all.settledMs);
}

function readStream(system: System, texts: StreamTexts, leave: AbortSignal): Leaving {
  const begun = Promise.withResolvers<void>();
  const key = system.keys[0] as ApiKey;
  const left = sendStream(system, texts, { key, random: Math.random, leave, onText: () => begun.resolve() });
  // One that was refused says so by its end.
  return { left, begun: Promise.race([begun.promise, left]) };
}

/** From now until no request is unsettled, ms: settlement and end of the reservation are one step. */
function untilSettled({ stack }: System): Promise<number> {
  return until(async () => (await countReservations(stack.redis.client)) === 0, PATIENCE_MS, 'the settlement');
}

/** @param settledMs of those who left together, that of the last */
async function judgeSettled(
  system: System,
  { report }: Pick<ScenarioContext, 'report'>,
  settledMs: readonly number[],
): Promise<void> {
  report.timed('settled, p50', percentile(settledMs, 0.5));
  report.timed('settled, the last', Math.max(...settledMs), { atMost: SETTLED_MS });
  const left = system.ledger.entries.size;
  await until(async () => (await countLeft(system)) >= left, PATIENCE_MS, 'the counting').catch(() => undefined);
  report.fact('of those who left, not counted as such', left - (await countLeft(system)), { atMost: 0, atLeast: 0 });
}

/** Callers who have left, as the gateways count them. */
async function countLeft({ stack }: System): Promise<number> {
  const pages = await Promise.all((await stack.metricsUrls()).map(async (url) => (await fetch(url)).text()));
  const lines = pages.join('\n').matchAll(/^gateway_callers_left_total\S* ([0-9]+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Credits that the system's key has spent. */
async function chargedOf({ stack, keys }: System): Promise<number> {
  return Number(await stack.redis.client.hget(redisKeys.apiKey(keys[0]?.id ?? ''), 'charged'));
}
