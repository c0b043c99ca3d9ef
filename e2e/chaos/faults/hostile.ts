import { loadFor } from '../../harness/load.ts';
import type { Service } from '../../harness/service.ts';
import { type AttackName, type AttackTally, type AttackTarget, startAttack } from '../hostile/attack.ts';
import { answerToAttacker, streamOf } from '../hostile/attacker-streams.ts';
import { memoryMb, trackedPercent } from '../hostile/machine.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System, SystemOptions } from '../system.ts';

/** The attacker's address. Honest callers come from another one, so that limits of addresses tell them apart. */
const ATTACKER = '127.0.0.66';
const HONEST_PER_SECOND = 20;
/** What a small machine gives a gateway. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256', MAX_CONNECTIONS_PER_ADDRESS: '200' };
/** Callers who have stayed below all limits of number so far: what is attacked must be reached, again and again. */
const WITHOUT_LIMITS = { UPLOADS_PER_DAY: '1000000', DOWNLOADS_PER_HOUR: '1000000' };
/** As installed; the tester's own stack lets all of its callers share an address. */
const OWN_CONNECTIONS = { MAX_CONNECTIONS_PER_ADDRESS: '200' };

interface Attack {
  readonly name: AttackName;
  readonly about: string;
  readonly clients: number;
  /** How many addresses they come from; one where not said. */
  readonly addresses?: number;
  readonly withKey?: boolean;
  /** Whether it asks for generation, which the service's numbers count. */
  readonly generates?: boolean;
  /** How many bytes of a stream the attacker has asked for before, with its key, and read. */
  readonly streamed?: number;
  readonly options?: SystemOptions;
  /** By how much the gateway may grow, MB. */
  readonly growthMb?: number;
  /** What must hold beyond honest callers being served. */
  readonly check?: (found: Found, context: ScenarioContext) => Promise<void> | void;
}

interface Found {
  readonly system: System;
  readonly tally: AttackTally;
  readonly seconds: number;
  /** Log lines of the gateway about requests of the attack. */
  readonly refusedLines: number;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'hostile-prompts',
    about: 'A caller with a key sends prompts that are made to keep masking busy; the model repeats them.',
    generates: true,
    clients: 8,
    withKey: true,
    // Those of the longest that masking promises to be done with in time.
    options: { settings: { MAX_PROMPT_CHARS: '60000' } },
  },
  {
    name: 'one-byte-chunks',
    about: '14 callers without a key send bodies in chunks of one byte.',
    clients: 14,
    growthMb: 40,
    options: { settings: SMALL_HEAP },
  },
  {
    name: 'one-byte-chunks',
    about: '500 callers without a key send bodies in chunks of one byte.',
    clients: 500,
    growthMb: 100,
    options: { settings: SMALL_HEAP },
  },
  {
    name: 'large-bodies',
    about: '14 callers without a key send the largest bodies, which are no JSON.',
    clients: 14,
    growthMb: 40,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'large-bodies',
    about: '500 callers without a key send the largest bodies, which are no JSON.',
    clients: 500,
    growthMb: 100,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'slow-sign-ins',
    about: '520 slow sign-ins at the dashboard.',
    clients: 520,
    options: { stats: true },
  },
  {
    name: 'slow-sign-ins',
    about: '520 slow sign-ins at the dashboard, of 130 addresses.',
    clients: 520,
    addresses: 130,
    options: { stats: true, settings: OWN_CONNECTIONS },
  },
  {
    name: 'bad-keys',
    about: 'An address tries wrong keys, is banned, and goes on.',
    generates: true,
    clients: 14,
    options: { stats: true, settings: { BAN_AFTER_BAD_KEYS: '20' } },
    check: ({ refusedLines, seconds }, { report }) =>
      report.fact('log lines about refused requests, a second', refusedLines / seconds, { atMost: 15 }),
  },
  {
    name: 'code-bodies',
    about: 'A caller with a key uploads 8 pieces of code of 20 MB each at once.',
    clients: 8,
    withKey: true,
    // What V8 lets lie of what has been read and is used no more; of the bodies themselves 160 MB are under way.
    growthMb: 150,
    options: { settings: WITHOUT_LIMITS },
  },
  {
    name: 'dotted-names',
    about: 'Uploads with names of 150,000 dots.',
    clients: 4,
    withKey: true,
    options: { settings: WITHOUT_LIMITS },
  },
  { name: 'health-flood', about: 'Requests for /api/health without end.', clients: 50, options: { stats: true } },
  {
    name: 'guessed-files',
    about: 'An address guesses the ids of files.',
    clients: 14,
    options: { stats: true, settings: WITHOUT_LIMITS },
  },
  {
    name: 'idle-connections',
    about: '2,000 connections of one address that say nothing.',
    clients: 2_000,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'unread-pages',
    about: '200 connections ask for the longest page 32 times each, and read nothing.',
    clients: 200,
    growthMb: 100,
    options: { stats: true, settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'unread-streams',
    about: '100 connections ask 8 times each for a streamed answer of 4 MB once more, and read nothing.',
    clients: 100,
    withKey: true,
    streamed: 4_000_000,
    // 256 KB for each, and what lies about of an answer that was read from Redis.
    growthMb: 125,
    options: { settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'unread-answers',
    about: '100 connections ask 8 times each for an answer of 4 MB once more, in one piece, and read nothing.',
    clients: 100,
    withKey: true,
    streamed: 4_000_000,
    growthMb: 125,
    options: { settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'one-byte-readers',
    about: '100 connections ask 8 times each for a streamed answer of 4 MB once more, and read a byte a second.',
    clients: 100,
    withKey: true,
    streamed: 4_000_000,
    growthMb: 125,
    options: { settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'open-streams',
    about: '10,000 streams of one address and key, which are never read.',
    clients: 10_000,
    withKey: true,
    generates: true,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'pages',
    about: "A web page makes its visitors' browsers ask with wrong keys.",
    generates: true,
    clients: 4,
    options: { settings: { BAN_AFTER_BAD_KEYS: '20' } },
    check: async ({ system }, { report }) => {
      const entry = await system.send({ from: ATTACKER });
      report.fact('status of a genuine key from that address', statusOf(entry), { atLeast: 200, atMost: 200 });
    },
  },
];

/** Attacks of callers with a key, of callers without one and of web pages, beside honest load. */
export const hostileScenarios: readonly Scenario[] = ATTACKS.map((attack) => ({
  name: nameOf(attack),
  about: attack.about,
  run: (context) => onSystem(context, { ...attack.options }, (system) => attackBeside(context, system, attack)),
}));

function nameOf({ name, clients, addresses }: Attack): string {
  const variant = addresses === undefined ? '' : '-of-many';
  return `hostile-${name}${clients === 500 ? '-500' : variant}`.replace('hostile-hostile', 'hostile');
}

async function attackBeside(context: ScenarioContext, system: System, attack: Attack): Promise<void> {
  const { report, quick } = context;
  const seconds = quick ? 5 : 60;
  // The model repeats a hostile prompt, so that the answer is as hard to mask as the prompt is.
  system.behave((nonce, words) => (nonce === '' ? answerToAttacker(words) : system.answer(nonce)));
  const gateway = system.stack.gateways[0] as Service;
  const honest = (duration: number) => loadFor(duration, HONEST_PER_SECOND, () => system.send());
  await honest(quick ? 1 : 5);
  const alone = await honest(quick ? 3 : 15);
  const [memoryBefore, linesBefore] = [await memoryMb(gateway), refusedLines(gateway)];
  const running = startAttack(attack.name, await targetOf(system, attack));
  await running.begun;
  const watch = watchHealth(system);
  let memoryMost = 0;
  const memoryTimer = setInterval(() => {
    void memoryMb(gateway).then((memory) => {
      memoryMost = Math.max(memoryMost, memory);
    });
  }, 250);
  const beside = await honest(seconds);
  clearInterval(memoryTimer);
  const slowestHealthMs = await watch.stop();
  const tally = await running.end();
  const { strangers } = system.ledger;
  if (attack.generates === true) strangers.answered += sum(Object.values(tally.statuses));
  // A connection that was cut, or was open at the end, may have been answered all the same.
  strangers.unseen += tally.broken + attack.clients;

  report.fact('answers to the attacker', sum(Object.values(tally.statuses)));
  for (const [status, count] of Object.entries(tally.statuses)) report.fact(`of them ${status}`, count);
  report.fact('connections of the attacker that were cut', tally.broken);
  const failed = beside.filter((entry) => statusOf(entry) !== 200);
  report.fact('honest requests', beside.length);
  report.fact('honest requests that failed', failed.length, { atMost: 0 });
  for (const [cause, those] of Map.groupBy(failed, causeOf)) report.fact(`of them ${cause}`, those.length);
  report.timed('p99 of honest callers alone', p99(alone));
  report.timed('p99 added', p99(beside) - p99(alone), { atMost: 500 });
  if (system.stack.stats) report.timed('slowest /api/health', slowestHealthMs, { atMost: 1_000 });
  report.fact(
    'share of the connections that this machine can track (a firewall of Linux), percent',
    await trackedPercent(),
    {
      atMost: 95,
    },
  );
  const bound = attack.growthMb === undefined ? undefined : { atMost: attack.growthMb };
  report.timed('growth of the gateway', Math.max(0, memoryMost - memoryBefore), bound, 'MB');
  await attack.check?.({ system, tally, seconds, refusedLines: refusedLines(gateway) - linesBefore }, context);
}

async function targetOf({ stack, ledger }: System, attack: Attack): Promise<AttackTarget> {
  const { withKey, clients, addresses } = attack;
  const { hostname: host, port } = new URL(stack.url);
  const from = Array.from({ length: addresses ?? 1 }, (_, index) => ATTACKER.replace('.0.66', `.${index}.66`));
  const target = { host, port: Number(port), from, clients };
  if (withKey !== true) return target;
  const { id, key } = await stack.createKey('--name', 'attacker', '--concurrency', '100');
  ledger.strangers.keyIds.push(id);
  if (attack.streamed === undefined) return { ...target, key };
  ledger.strangers.answered++;
  return { ...target, key, completionId: await streamOf(stack.url, key, attack.streamed) };
}

/** Asks for health twice a second; the slowest answer, or a refusal, is what counts. */
function watchHealth({ stack }: System) {
  let slowestMs = 0;
  let goesOn = stack.stats !== undefined;
  const watch = (async () => {
    while (goesOn) {
      const startedAt = performance.now();
      const { ok } = await fetch(new URL('/api/health', stack.url)).catch(() => ({ ok: false }));
      slowestMs = Math.max(slowestMs, ok ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  return {
    async stop() {
      goesOn = false;
      await watch;
      return slowestMs;
    },
  };
}

function refusedLines(gateway: Service): number {
  return gateway
    .logs()
    .split('\n')
    .filter((line) => /"status":(?:401|403|429|503)/.test(line)).length;
}

/** How an honest request failed, so that a machine that is too busy can be told from an attack that came through. */
function causeOf({ end }: LedgerEntry): string {
  return end?.kind === 'answered' ? `${end.status} ${end.text.slice(0, 120)}` : (end?.kind ?? 'open');
}

function p99(entries: readonly LedgerEntry[]): number {
  return percentile(entries.filter((entry) => statusOf(entry) === 200).map(tookMs), 0.99);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
