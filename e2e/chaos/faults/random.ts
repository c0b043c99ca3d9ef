import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { startLoad } from '../../harness/load.ts';
import type { Service } from '../../harness/service.ts';
import { readOutcomes } from '../invariants.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { countStreams, createSomeStreams, KEY_OF_STREAMS } from '../streams/some-streams.ts';
import { isUp, type System } from '../system.ts';
import { badMood } from '../upstream-moods.ts';
import { FAILOVERS } from './random-failovers.ts';

const TIMEOUT_MS = 20_000;
const PER_SECOND = 25;
/** Of unexpected answers. */
const MOST_SHOWN = 10;
const EXPECTED = new Set([200, 502, 503, 504]);

type Fault = (system: System, random: () => number) => Promise<unknown>;

const pick = (services: readonly Service[], random: () => number) => {
  const up = services.filter(isUp);
  return up[Math.floor(random() * up.length)] as Service;
};

/** What can happen, by name; each leaves behind as many processes as there were. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'worker killed': async ({ stack }, random) => {
    await pick(stack.workers, random).end('SIGKILL');
    await stack.startWorker();
  },
  'worker ends': async ({ stack }, random) => {
    await stack.startWorker();
    await pick(stack.workers, random).end('SIGTERM');
  },
  'worker stands still': async ({ stack }, random) => {
    const { process } = pick(stack.workers, random);
    process.kill('SIGSTOP');
    await delay(1_000 + random() * 7_000);
    process.kill('SIGCONT');
  },
  'gateway killed': async ({ stack }, random) => {
    await stack.startGateway();
    await pick(stack.gateways, random).end('SIGKILL');
  },
  'gateway ends': async ({ stack }, random) => {
    await stack.startGateway();
    await pick(stack.gateways, random).end('SIGTERM');
  },
  'gateway stands still': async ({ stack }, random) => {
    const { process } = pick(stack.gateways, random);
    process.kill('SIGSTOP');
    await delay(500 + random() * 3_000);
    process.kill('SIGCONT');
  },
  'statistics killed': async ({ stack }) => {
    await stack.stats?.end('SIGKILL');
    await stack.startStats();
  },
  'Redis killed': async ({ stack }, random) => {
    await stack.redis.kill();
    await delay(random() * 3_000);
    await stack.redis.start();
  },
  'Redis silent': async ({ proxy }, random) => {
    proxy.mode('hold');
    await delay(300 + random() * 5_000);
    proxy.mode('pass');
  },
  'Redis lost': async ({ proxy }, random) => {
    proxy.mode('lose');
    await delay(300 + random() * 5_000);
    proxy.mode('pass');
  },
  'Redis full': async ({ stack }, random) => {
    await stack.redis.client.config('SET', 'maxmemory', '1mb');
    await delay(500 + random() * 4_000);
    await stack.redis.client.config('SET', 'maxmemory', '0');
  },
  'Redis read-only': async ({ stack }, random) => {
    await stack.redis.client.replicaof('127.0.0.1', 1);
    await delay(500 + random() * 3_000);
    await stack.redis.client.replicaof('NO', 'ONE');
  },
  'scripts forgotten': ({ stack }) => stack.redis.client.script('FLUSH'),
};
/** Of one Redis alone: of several, its place is taken by `FAILOVERS`. */
const OF_ONE_REDIS: ReadonlySet<string> = new Set(Object.keys(FAULTS).filter((name) => name.startsWith('Redis ')));

function faultsOn({ fleet }: System): Readonly<Record<string, Fault>> {
  if (!fleet) return FAULTS;
  const shared = Object.entries(FAULTS).filter(([name]) => !OF_ONE_REDIS.has(name));
  const failovers = Object.entries(FAILOVERS).map(([name, cause]): [string, Fault] => [
    name,
    (_system, random) => cause(fleet, random),
  ]);
  return Object.fromEntries([...shared, ...failovers]);
}

export const randomScenarios: readonly Scenario[] = [
  {
    name: 'random-faults',
    about:
      'Faults of all kinds, one after the other by the seed, under steady load with streams and with clients that leave.',
    run: (context) =>
      onSystem(
        context,
        {
          gateways: 2,
          workers: 2,
          stats: true,
          synced: true,
          ...(context.hasSentinels && { sentinels: { ack: 1 as const } }),
          secondKey: KEY_OF_STREAMS,
          settings: { REQUEST_TIMEOUT_MS: String(TIMEOUT_MS), MODEL_TIMEOUT_MS: '2000' },
        },
        (system) => anyFaults(context, system),
      ),
  },
];

async function anyFaults({ report, seed, minutes, quick }: ScenarioContext, system: System): Promise<void> {
  const random = seededRandom(seed);
  const answers = seededRandom(seed + 1);
  const streams = createSomeStreams(system, seededRandom(seed + 3));
  system.behave((nonce) => (answers() < 0.1 ? badMood(answers) : streams.answer(nonce, answers() * 1_000)));
  const clients = seededRandom(seed + 2);
  const load = startLoad({ perSecond: PER_SECOND }, () => streams.send(() => sendOrLeave(system, clients)));
  const faults = faultsOn(system);
  const names = Object.keys(faults);
  const happened: string[] = [];
  const end = performance.now() + minutes * 60_000;
  let outcomesReadAt = performance.now();
  while (performance.now() < end) {
    await delay((quick ? 500 : 2_000) + random() * 2_000);
    const name = names[Math.floor(random() * names.length)] ?? '';
    happened.push(name);
    await faults[name]?.(system, random);
    // Results expire after ten minutes.
    if (performance.now() - outcomesReadAt < 120_000) continue;
    await readOutcomes(system);
    outcomesReadAt = performance.now();
  }
  const entries = await load.stop();
  report.fact('faults', happened.length);
  for (const [what, count] of Object.entries(countStreams(entries))) report.fact(what, count);
  for (const [what, count] of Object.entries(streams.faultsOf(entries))) report.fact(what, count, { atMost: 0 });
  for (const status of EXPECTED) {
    report.fact(`answered ${status}`, entries.filter((entry) => statusOf(entry) === status).length);
  }
  for (const kind of ['broken', 'left'] as const) {
    report.fact(kind, entries.filter(({ end }) => end?.kind === kind).length);
  }
  report.fact('given up after two lost workers', entries.filter(isGivenUp).length);
  const others = entries.filter(
    (entry) => entry.end?.kind === 'answered' && !EXPECTED.has(statusOf(entry)) && !isGivenUp(entry),
  );
  report.fact('answered otherwise', others.length, { atMost: 0 });
  for (const { end } of others.slice(0, MOST_SHOWN))
    if (end?.kind === 'answered') report.fact(end.text.trim(), end.status);
  // Who came back for the rest of a stream has asked for as long as it took, also while Redis was away: then each connection
  // is refused within a second, and with Redis each ends as the request does. This process reads them, and may stand still.
  const [once, again] = [false, true].map((isSuch) => entries.filter((entry) => cameBack(entry) === isSuch));
  report.timed('slowest end', Math.max(0, ...(once ?? []).map(tookMs)), { atMost: TIMEOUT_MS + 5_000 });
  report.timed('slowest end of those who came back', Math.max(0, ...(again ?? []).map(tookMs)));
  const back = entries.map(({ stream }) => stream?.longestBackMs ?? 0);
  const longest = TIMEOUT_MS + 5_000 + system.stoodStillMs();
  report.timed('longest connection by which one came back', Math.max(0, ...back), { atMost: longest });
  if (report.figures.some(({ passed }) => !passed)) report.fact(`faults were: ${happened.join(', ')}`, 0);
}

const cameBack = ({ stream }: LedgerEntry) => (stream?.resumes ?? 0) > 0;

/** One client in twenty leaves within a second. */
function sendOrLeave(system: System, random: () => number): Promise<LedgerEntry> {
  if (random() > 0.05) return system.send();
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), random() * 1_000);
  return system.send({ leave: leaving.signal });
}

/** A third call for one request needs a free failure of its key; the upstream's moods use these up. */
function isGivenUp({ end }: LedgerEntry): boolean {
  return end?.kind === 'answered' && end.status === 500 && end.text.includes('this API key has been given back');
}
