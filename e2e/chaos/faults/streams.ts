import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import type { Service } from '../../harness/service.ts';
import { readOutcomes } from '../invariants.ts';
import { type LedgerEntry, statusOf } from '../ledger.ts';
import { percentile, type Report } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { type StreamHow, sendStream } from '../streams/stream-caller.ts';
import { createStreamTexts, type StreamTexts } from '../streams/stream-texts.ts';
import { readWrittenFiles } from '../streams/written-frames.ts';
import { type ApiKey, isUp, type System } from '../system.ts';

/** Streams that are read at once. */
const AT_ONCE = { quick: 8, long: 25 };
/** Of streams in the long form, over all rounds: how often they are cut. */
const CUTS = { quick: 30, long: 1_000 };
/** What the death of a worker may cost its streams until they are told, or go on. */
const DEATH_MS = 3_000;
/** How long an answer takes that should not end by itself, ms. */
const LONG_MS = 12_000;
/** An upstream that is not let go by then is not let go, ms; Redis may have to come back first. */
const ABORTED_BY_MS = 10_000;

type FaultName = 'none' | 'gateway killed' | 'worker killed' | 'Redis killed';

/** What happens while streams run; each leaves behind as many processes as there were. Resolves when it is over. */
const FAULTS: Readonly<Record<FaultName, (system: System, random: () => number) => Promise<unknown>>> = {
  none: () => Promise.resolve(),
  'gateway killed': async ({ stack }, random) => {
    const index = Math.floor(random() * stack.gateways.length);
    await stack.gateways[index]?.end('SIGKILL');
    await stack.startGateway({ again: index });
  },
  'worker killed': async ({ stack }, random) => {
    const up = stack.workers.filter(isUp);
    const victim = up[Math.floor(random() * up.length)] as Service;
    await victim.end('SIGKILL');
    await stack.startWorker();
  },
  'Redis killed': async ({ stack }, random) => {
    await stack.redis.kill();
    await delay(random() * 1_000);
    await stack.redis.start();
  },
};

interface Plan {
  readonly name: string;
  readonly about: string;
  /** One for each round, by turns. */
  readonly faults: readonly FaultName[];
  /** Share of the clients that leave for good. */
  readonly leaving: number;
  /** What must become of every stream that nobody left: an answer, or an error too. */
  readonly isWhole: boolean;
}

const PLANS: readonly Plan[] = [
  {
    name: 'streams-clients-leave',
    about: 'Clients leave their streams anywhere, and come back by any gateway for the rest; some leave for good.',
    faults: ['none'],
    leaving: 0.2,
    isWhole: true,
  },
  {
    name: 'streams-gateway-killed',
    about: 'SIGKILL of gateways with open streams, which their clients go on reading by another one.',
    faults: ['gateway killed'],
    leaving: 0,
    isWhole: true,
  },
  {
    name: 'streams-worker-killed',
    about: 'SIGKILL of workers in the middle of streams.',
    faults: ['worker killed'],
    leaving: 0,
    isWhole: false,
  },
  {
    name: 'streams-redis-killed',
    about: 'SIGKILL and restart of Redis in the middle of streams.',
    faults: ['Redis killed'],
    leaving: 0,
    isWhole: false,
  },
  {
    name: 'streams-cut',
    about: 'Clients leave streams and come back, while gateways, workers and Redis are killed by turns.',
    faults: ['none', 'worker killed', 'gateway killed', 'Redis killed'],
    leaving: 0.1,
    isWhole: false,
  },
];

export const streamScenarios: readonly Scenario[] = PLANS.map((plan) => ({
  name: plan.name,
  about: plan.about,
  run: (context) =>
    onSystem(context, { gateways: 2, workers: 2, synced: true, secondKey: ['--on-disconnect', 'finish'] }, (system) =>
      cutStreams(context, system, plan),
    ),
}));

/** What a round has brought. */
interface Round {
  readonly fault: FaultName;
  /** When the fault happened, Unix ms. */
  readonly faultAt: number;
  readonly entries: readonly LedgerEntry[];
  /** From the leaving of clients to the end of their upstream calls, ms. */
  readonly abortedMs: readonly number[];
}

async function cutStreams(context: ScenarioContext, system: System, plan: Plan): Promise<void> {
  const { quick, seed } = context;
  const random = seededRandom(seed);
  const texts = createStreamTexts(system.answerSecret);
  behaveBy(system, texts, seededRandom(seed + 1));
  const rounds: Round[] = [];
  const wanted = CUTS[quick ? 'quick' : 'long'];
  const cuts = () =>
    rounds.flatMap(({ entries }) => entries).reduce((sum, { stream }) => sum + (stream?.resumes ?? 0), 0);
  while (cuts() < wanted || rounds.length < plan.faults.length) {
    rounds.push(await playRound(context, system, texts, plan, random, plan.faults[rounds.length % plan.faults.length]));
    // Results expire after ten minutes.
    await readOutcomes(system);
  }
  await judge(context, system, texts, plan, rounds);
}

/** Answers in pieces of many lengths within some seconds; those whose clients leave for good would take longer. */
function behaveBy({ behave, ledger, keys }: System, texts: StreamTexts, random: () => number): void {
  behave((nonce) => {
    const text = texts.answerTo(nonce);
    const isLong = ledger.entries.get(nonce)?.keyId === keys[0]?.id;
    // Who leaves for good does so in the text.
    const reasoning = isLong ? undefined : texts.thoughtOf(nonce);
    const call = texts.callOf(nonce);
    // Not more pieces than without: on a busy machine each takes its time.
    const pieceLength = (1 + Math.floor(random() * 9)) * (reasoning === undefined ? 1 : 2);
    const lastsMs = isLong ? LONG_MS : 500 + random() * 2_500;
    const paceMs = (lastsMs * pieceLength) / (text.length + (reasoning?.length ?? 0));
    const delayMs = random() < 0.3 ? random() * 1_500 : 0;
    const besides = { ...(reasoning !== undefined && { reasoning }), ...(call && { toolCalls: [call] }) };
    return { kind: 'answer', text, ...besides, delayMs, paceMs, pieceLength };
  });
}

async function playRound(
  { quick }: ScenarioContext,
  system: System,
  texts: StreamTexts,
  { leaving }: Plan,
  random: () => number,
  fault: FaultName = 'none',
): Promise<Round> {
  const [plain, finishing] = system.keys as [ApiKey, ApiKey];
  const visible = Promise.withResolvers<void>();
  const sent = Array.from({ length: AT_ONCE[quick ? 'quick' : 'long'] }, () => {
    const leaves = random() < leaving;
    const how: StreamHow = {
      random,
      // Of the other key, the client who leaves has the work stopped, and there is no rest.
      key: leaves ? plain : finishing,
      ...(leaves ? { leaveAt: 20 + random() * 80 } : { cuts: cutsOf(random) }),
      onText: (text) => text.length > 60 && visible.resolve(),
    };
    return sendStream(system, texts, how);
  });
  const aborted = sent.map(async (sending) => abortedAfter(system, await sending));
  const all = Promise.all(sent);
  await Promise.race([visible.promise, all]);
  await delay(random() * 700);
  const faultAt = Date.now();
  await FAULTS[fault](system, random);
  const abortedMs = (await Promise.all(aborted)).filter((ms) => ms !== undefined);
  return { fault, faultAt, entries: await all, abortedMs };
}

/** @returns how long it took until the call of a client who has left for good was aborted; nothing of other clients */
async function abortedAfter({ stack }: System, { nonce, end }: LedgerEntry): Promise<number | undefined> {
  if (end?.kind !== 'left') return undefined;
  const leftAt = performance.now();
  const calls = stack.upstream.calls.filter(({ prompt }) => prompt === nonce);
  const ended = Promise.all(calls.map(({ whenAborted }) => whenAborted)).then(() => performance.now() - leftAt);
  return Promise.race([ended, delay(ABORTED_BY_MS, Number.POSITIVE_INFINITY, { ref: false })]);
}

/** None to three places, most of them within the text. */
function cutsOf(random: () => number): number[] {
  return Array.from({ length: Math.floor(random() * 4) }, () => 1 + Math.floor(random() * 600)).toSorted(
    (a, b) => a - b,
  );
}

async function judge(
  { report }: ScenarioContext,
  system: System,
  texts: StreamTexts,
  { isWhole }: Plan,
  rounds: readonly Round[],
): Promise<void> {
  const entries = rounds.flatMap((round) => round.entries);
  const count = (isSuch: (entry: LedgerEntry) => boolean) => entries.filter(isSuch).length;
  const sum = (valueOf: (entry: LedgerEntry) => number | undefined) =>
    entries.reduce((total, entry) => total + (valueOf(entry) ?? 0), 0);
  const faultOf = new Map<string, FaultName>();
  const broken = entries.filter(({ end }) => end?.kind !== 'left' && !(end?.kind === 'answered' && end.status === 200));
  report.fact('streams', entries.length);
  report.fact(
    'cuts after which clients came back',
    sum(({ stream }) => stream?.resumes),
  );
  report.fact(
    'streams that were whole',
    count((entry) => statusOf(entry) === 200),
    { atLeast: 1 },
  );
  // Before its head has come, a client cannot know what its answer is called.
  const nameless = broken.filter(({ end, stream }) => end?.kind === 'broken' && stream?.text === '');
  report.fact('streams that broke before their head', nameless.length);
  report.fact('others without an answer', broken.length - nameless.length, isWhole ? { atMost: 0 } : undefined);
  for (const { fault, entries: those } of rounds) for (const { nonce } of those) faultOf.set(nonce, fault);
  for (const [how, those] of Map.groupBy(broken, (entry) => `${faultOf.get(entry.nonce)}: ${endOf(entry)}`)) {
    report.fact(how, those.length);
  }
  report.fact(
    'texts that are not the answer in one piece, or its beginning',
    count(({ ownAnswer }) => ownAnswer !== true),
    { atMost: 0 },
  );
  // A reader who comes back for the rest of a text gets no reasoning again, and calls behind what it has.
  const unbroken = entries.filter(
    (entry) => statusOf(entry) === 200 && entry.stream?.resumes === 0 && entry.keyId !== system.keys[0]?.id,
  );
  report.fact(
    'streams read in one go, with reasoning',
    unbroken.filter(({ stream }) => stream?.reasoning !== '').length,
  );
  report.fact(
    'of them with other reasoning than the answer in one piece has',
    unbroken.filter(({ nonce, stream }) => stream?.reasoning !== texts.maskedThoughtOf(nonce)).length,
    { atMost: 0 },
  );
  report.fact(
    'streams with tool calls',
    count(({ stream }) => stream !== undefined && stream.calls.length > 0),
  );
  report.fact(
    'whose calls are others, more or fewer than the model made, or no JSON',
    count((entry) => statusOf(entry) === 200 && !areCallsRight(entry, texts)),
    { atMost: 0 },
  );
  report.fact(
    'silent ends',
    sum(({ stream }) => stream?.silentEnds),
    { atMost: 0 },
  );
  report.fact(
    'events whose id is not where their text ends',
    sum(({ stream }) => stream?.wrongIds),
    { atMost: 0 },
  );
  report.fact(
    'connections with a fragment of a secret',
    sum(({ stream }) => stream?.leaks),
    { atMost: 0 },
  );
  judgeTimes(report, rounds);
  judgeLeaving(report, rounds);
  await judgeWritten(report, system, texts);
}

/** Of a call, all but the secrets in its arguments has to be there. */
function areCallsRight({ nonce, stream }: LedgerEntry, texts: StreamTexts): boolean {
  const made = texts.callOf(nonce);
  const seen = stream?.calls ?? [];
  if (made === undefined || seen.length === 0) return made === undefined && seen.length === 0;
  try {
    const [call] = seen;
    const { nonce: said } = JSON.parse(call?.arguments ?? '') as { nonce?: string };
    return seen.length === 1 && call?.name === made.name && said === nonce && texts.fragmentsIn(call.arguments) === 0;
  } catch {
    return false;
  }
}

function endOf({ end }: LedgerEntry): string {
  if (end?.kind !== 'answered') return end?.kind ?? 'open';
  const code = /"code":"([a-z_]+)"/.exec(end.text)?.[1] ?? '';
  return `${end.inBand ? 'in the stream' : 'at once'} ${end.status} ${code}`;
}

/** How long the streams of a dead worker were silent: until their error, or, where they began anew, their end. */
function judgeTimes(report: Report, rounds: readonly Round[]): void {
  const killed = rounds.filter(({ fault }) => fault === 'worker killed');
  const told = killed.flatMap(({ entries, faultAt }) =>
    entries
      .filter(({ end }) => end?.kind === 'answered' && /stream_broken/.test(end.text))
      .map(({ endedAt = 0 }) => endedAt - faultAt),
  );
  if (killed.length === 0) return;
  report.fact('streams that their worker took along', told.length);
  report.timed('told after the death of their worker, the last', Math.max(0, ...told), { atMost: DEATH_MS });
}

/** Of clients who have left for good the upstream is let go. */
function judgeLeaving(report: Report, rounds: readonly Round[]): void {
  const abortedMs = rounds.flatMap((round) => round.abortedMs);
  if (abortedMs.length === 0) return;
  const kept = abortedMs.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
  report.fact('clients who left for good', abortedMs.length);
  report.fact('of them with an upstream call that went on', kept, { atMost: 0 });
  const undisturbed = rounds.filter(({ fault }) => fault === 'none').flatMap((round) => round.abortedMs);
  report.timed('upstream call aborted, p99, nothing else being broken', percentile(undisturbed, 0.99), { atMost: 500 });
}

/** What Redis has ever written: all that anybody could find in it at any time. */
async function judgeWritten(report: Report, system: System, texts: StreamTexts): Promise<void> {
  const { text, starts } = await readWrittenFiles(system.stack.redis.directory);
  report.fact('starts whose frames Redis has written', starts.length, { atLeast: 1 });
  report.fact('fragments of secrets in what Redis has written', texts.fragmentsIn(text), { atMost: 0 });
  report.fact('in the joined texts of frames', starts.filter((start) => texts.fragmentsIn(start.text) > 0).length, {
    atMost: 0,
  });
  report.fact(
    'requests that more than one start has shown something of',
    starts.length - new Set(starts.map(({ requestId }) => requestId)).size,
    { atMost: 0 },
  );
  report.fact('fragments of secrets in logs', texts.fragmentsIn(system.stack.logs()), { atMost: 0 });
}
