import { setTimeout as delay } from 'node:timers/promises';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { startLoad } from '../../harness/load.ts';
import { type Fleet, isClients } from '../fleet.ts';
import { readOutcomes } from '../invariants.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { sendStream } from '../streams/stream-caller.ts';
import { createStreamTexts } from '../streams/stream-texts.ts';
import { isUp, type System, until } from '../system.ts';

/** With no primary a client gets its answer within this, ms. */
const ANSWER_MS = 1_000;
const BACK_WITHIN_MS = 2_000;
const ROUNDS = { quick: 1, long: 20 };
/** How long a server stands still or is cut off, after another one has taken over where one does. */
const PAUSE_MS = { quick: 5_000, long: 30_000 };
const PER_SECOND = 40;
const STREAMS = 4;
/** Of a key whose hour is used up long before the run ends, which takes less than one: no failover gives any of it back. */
const LIMITED = { perHour: 40, perSecond: 5 };

interface Fault {
  readonly name: string;
  readonly about: string;
  readonly clockOffsets?: readonly number[];
  /** Once alone: it leaves behind less than there was. */
  readonly isOnce?: boolean;
  /** Whether another server becomes the primary. */
  readonly switches: boolean;
  /** Whether there is a primary all the while. */
  readonly isServed?: boolean;
  cause(fleet: Fleet, primary: TestRedis, pauseMs: number): unknown;
  /** Puts back what was there, once the service is back. */
  heal?(fleet: Fleet, primary: TestRedis, pauseMs: number): unknown;
}

const proxyOf = (fleet: Fleet, server: TestRedis) => fleet.proxies[fleet.servers.indexOf(server)];

const FAULTS: readonly Fault[] = [
  { name: 'asked', about: 'SENTINEL FAILOVER.', switches: true, cause: (fleet) => fleet.failover() },
  {
    name: 'killed',
    about: 'SIGKILL of the primary; it comes back as what it was, and is made a replica.',
    switches: true,
    cause: (_fleet, primary) => primary.kill(),
    heal: (_fleet, primary) => primary.start(),
  },
  {
    name: 'stopped',
    about: 'SIGSTOP of the primary, and SIGCONT once another one serves.',
    switches: true,
    cause: (_fleet, primary) => primary.process().kill('SIGSTOP'),
    async heal(_fleet, primary, pauseMs) {
      await delay(pauseMs);
      primary.process().kill('SIGCONT');
    },
  },
  {
    name: 'cut',
    about: 'The primary is cut off from all, without a connection being closed, and comes back.',
    switches: true,
    cause: (fleet, primary) => proxyOf(fleet, primary)?.mode('lose'),
    async heal(fleet, primary, pauseMs) {
      await delay(pauseMs);
      proxyOf(fleet, primary)?.mode('pass');
    },
  },
  {
    name: 'cut-clients',
    about: 'The primary is cut off from its clients alone, so that the Sentinels find nothing wrong, and comes back.',
    switches: false,
    async cause(fleet, primary, pauseMs) {
      proxyOf(fleet, primary)?.mode('lose', isClients);
      await delay(pauseMs);
      proxyOf(fleet, primary)?.mode('pass');
    },
  },
  {
    name: 'clocks',
    about: 'SENTINEL FAILOVER between servers whose clocks are 30 s ahead of and behind the first.',
    clockOffsets: [0, 30, -30],
    switches: true,
    cause: (fleet) => fleet.failover(),
  },
  {
    name: 'replica-killed',
    about: 'SIGKILL of one of two replicas, and its return.',
    switches: false,
    isServed: true,
    cause: (fleet, primary) => fleet.servers.find((server) => server !== primary)?.kill(),
    heal: (fleet, primary) => fleet.servers.find((server) => server !== primary)?.start(),
  },
  {
    name: 'sentinels-killed',
    about: 'SIGKILL of two of three Sentinels, for good.',
    isOnce: true,
    switches: false,
    isServed: true,
    cause: (fleet) => Promise.all(fleet.sentinels.slice(1).map((sentinel) => sentinel.kill())),
  },
];

/** Each on a primary with two replicas and three Sentinels, `REDIS_REPLICAS_ACK=1`, under requests and streams. */
export const failoverScenarios: readonly Scenario[] = FAULTS.map((fault) => ({
  name: `failover-${fault.name}`,
  about: fault.about,
  run: (context) => runFault(context, fault),
}));

function runFault(context: ScenarioContext, fault: Fault): Promise<void> {
  const { report, quick, seed } = context;
  const options = {
    gateways: 2,
    workers: quick ? 2 : 4,
    stats: true,
    secondKey: ['--per-hour', String(LIMITED.perHour)],
    sentinels: { ack: 1 as const, ...(fault.clockOffsets && { clockOffsets: fault.clockOffsets }) },
  };
  return onSystem(context, options, async (system) => {
    const { stack, ledger, keys } = system;
    const processes = [...stack.gateways, ...stack.workers];
    const texts = createStreamTexts(system.answerSecret);
    const random = seededRandom(seed);
    system.behave((nonce) =>
      ledger.entries.get(nonce)?.stream
        ? { kind: 'answer', text: texts.answerTo(nonce), paceMs: 20, pieceLength: 12 }
        : system.answer(nonce, 150),
    );
    const unary = startLoad({ perSecond: PER_SECOND }, () => system.send());
    const streamed = startLoad({ clients: STREAMS }, () =>
      sendStream(system, texts, { key: keys[0] as (typeof keys)[number], random }),
    );
    const limited = startLoad(LIMITED, () => system.send({ key: keys[1] as (typeof keys)[number] }));
    await delay(quick ? 500 : 2_000);
    const rounds: Round[] = [];
    const count = fault.isOnce ? 1 : (context.rounds ?? ROUNDS[quick ? 'quick' : 'long']);
    for (let round = 1; round <= count; round++) {
      rounds.push(await goThrough(system, fault, quick));
      // Results are kept for ten minutes.
      await readOutcomes(system);
      if (round < count || !quick) await untilWhole(system);
    }
    // On a busy machine a round may end before the first stream does.
    await until(() => streamed.outcomes.some(isAnswered), 30_000, 'a stream that is read to its end');
    const [entries, streams, ofHour] = await Promise.all([unary.stop(), streamed.stop(), limited.stop()]);
    await readOutcomes(system);
    judge(report, system, { entries, streams }, rounds, fault);
    judgeHour(report, ofHour);
    report.fact('processes that ended', processes.filter((service) => !isUp(service)).length, { atMost: 0 });
  });
}

const isAnswered = (entry: LedgerEntry) => statusOf(entry) === 200;

function judgeHour(report: ScenarioContext['report'], entries: readonly LedgerEntry[]): void {
  const count = (status: number) => entries.filter((entry) => statusOf(entry) === status).length;
  report.fact(`answered on a key of ${LIMITED.perHour} an hour`, count(200), { atMost: LIMITED.perHour });
  report.fact('refused on it by 429', count(429));
}

interface Round {
  /** From the moment that there is a primary which takes writes to the first answer of the slowest gateway, ms. */
  readonly backMs: number;
  /** From the cause to that moment, ms. */
  readonly absentMs: number;
}

async function goThrough(system: System, fault: Fault, quick: boolean): Promise<Round> {
  const fleet = system.fleet as Fleet;
  const before = await fleet.primary();
  const pauseMs = PAUSE_MS[quick ? 'quick' : 'long'];
  const causedAt = performance.now();
  await fault.cause(fleet, before, pauseMs);
  const primary = fault.switches ? await fleet.untilSwitched(before) : before;
  // A connection that only reads stays with the old primary until the Sentinels make that a replica, some seconds later.
  if (fault.switches) system.stack.redis.client.stream?.destroy();
  await until(() => takesWrites(primary), 60_000, 'a primary that takes writes');
  const servedAt = performance.now();
  await Promise.all(system.urls().map((url) => untilAnswered(system, url)));
  const backMs = performance.now() - servedAt;
  await fault.heal?.(fleet, before, pauseMs);
  await delay(1_000);
  return { backMs, absentMs: servedAt - causedAt };
}

/** Until there are as many replicas as before: with fewer the next failover would be another fault. */
async function untilWhole(system: System): Promise<void> {
  const fleet = system.fleet as Fleet;
  await until(async () => (await onlineReplicas(await fleet.primary())) >= 2, 60_000, 'two replicas');
}

/** It may have to wait for the replica that is left, see `min-replicas-to-write`. */
async function takesWrites({ client }: TestRedis): Promise<boolean> {
  return client.set('{lontar}:probe:tester', '1').then(
    () => true,
    () => false,
  );
}

async function onlineReplicas({ client }: TestRedis): Promise<number> {
  const info = await client.info('replication');
  return [...info.matchAll(/state=online,offset=\d+,lag=[01]\b/g)].length;
}

async function untilAnswered(system: System, url: string): Promise<void> {
  let isAnswered = false;
  while (!isAnswered) {
    void system.send({ url }).then((entry) => (isAnswered ||= statusOf(entry) === 200));
    await delay(25);
  }
}

function judge(
  report: ScenarioContext['report'],
  { ledger }: System,
  { entries, streams }: { readonly entries: readonly LedgerEntry[]; readonly streams: readonly LedgerEntry[] },
  rounds: readonly Round[],
  fault: Fault,
): void {
  const count = (all: readonly LedgerEntry[], isSuch: (entry: LedgerEntry) => boolean) => all.filter(isSuch).length;
  const isRefused = (entry: LedgerEntry) => statusOf(entry) === 503;
  const refused = entries.filter(isRefused);
  const isLost = ({ end }: LedgerEntry) =>
    end?.kind === 'answered' && end.status === 200 && !ledger.settled.get(end.requestId)?.charged;
  const worst = (times: readonly number[]) => percentile(times, 1);
  report.fact('rounds', rounds.length);
  report.fact('answered', count(entries, isAnswered), { atLeast: 1 });
  report.fact('streams read to their end', count(streams, isAnswered), { atLeast: 1 });
  report.fact(
    'streams that were refused, or ended with an error',
    count(streams, (entry) => !isAnswered(entry) && statusOf(entry) > 0),
  );
  report.fact(
    'streams that ended without one',
    count(streams, (entry) => statusOf(entry) === 0),
    { atMost: 0 },
  );
  report.fact('refused by 503', refused.length);
  const others = entries.filter((entry) => !isAnswered(entry) && statusOf(entry) !== 503);
  report.fact('neither answered nor refused', others.length, { atMost: 0 });
  for (const { end } of others.slice(0, 3)) report.fact(JSON.stringify(end), 0);
  if (fault.isServed) report.timed('refused though there was a primary', refused.length, { atMost: 0 }, 'requests');
  report.fact('answered and not charged, or its settlement lost', count([...entries, ...streams], isLost), {
    atMost: 0,
  });
  report.timed('slowest refusal', worst(refused.map(tookMs)), { atMost: ANSWER_MS });
  report.timed('slowest answer', worst(entries.filter(isAnswered).map(tookMs)));
  report.timed('longest without a primary', worst(rounds.map(({ absentMs }) => absentMs)));
  const back = rounds.map(({ backMs }) => backMs);
  report.timed('back after there is a primary, median of rounds', percentile(back, 0.5));
  report.timed('back after there is a primary, slowest gateway of all rounds', worst(back), { atMost: BACK_WITHIN_MS });
}
