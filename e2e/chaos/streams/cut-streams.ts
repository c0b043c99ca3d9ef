import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { readOutcomes } from '../invariants.ts';
import type { LedgerEntry } from '../ledger.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { ApiKey, System } from '../system.ts';
import { judgeStreams, type LeftClient, type Round } from './judge-streams.ts';
import { type StreamHow, sendStream } from './stream-caller.ts';
import { createStreamTexts, type StreamTexts } from './stream-texts.ts';

/** Streams that are read at once. */
const AT_ONCE = { quick: 8, long: 25 };
/** Of streams in the long form, over all rounds: how often they are cut. */
const CUTS = { quick: 30, long: 1_000 };
/** How long an answer takes that should not end by itself, ms. */
const LONG_MS = 12_000;
/** An upstream that is not let go by then is not let go, ms; Redis may have to come back first. */
const ABORTED_BY_MS = 10_000;

/** The upstream is this process: on a machine that is far too busy its answers take many times as long as they should. */
const PATIENT = { MODEL_TIMEOUT_MS: '40000', REQUEST_TIMEOUT_MS: '60000' };

/** What happens while streams run; it leaves behind as many processes as there were. Resolves when it is over. */
export interface StreamFault {
  readonly name: 'nothing' | 'gateway killed' | 'worker killed' | 'Redis killed';
  run(system: System, random: () => number): Promise<unknown>;
}

export const NOTHING: StreamFault = { name: 'nothing', run: () => Promise.resolve() };

export interface StreamPlan {
  readonly name: string;
  readonly about: string;
  /** One for each round, by turns. */
  readonly faults: readonly StreamFault[];
  /** Share of the clients that leave for good. */
  readonly leaving: number;
  /** What must become of every stream that nobody left: an answer, or an error too. */
  readonly isWhole: boolean;
}

/** Clients read many streams, leave and come back, while the faults of the plan happen. */
export function streamScenario(plan: StreamPlan): Scenario {
  return {
    name: plan.name,
    about: plan.about,
    run: (context) =>
      onSystem(
        context,
        { gateways: 2, workers: 2, synced: true, secondKey: ['--on-disconnect', 'finish'], settings: PATIENT },
        (system) => cutStreams(context, system, plan),
      ),
  };
}

async function cutStreams(context: ScenarioContext, system: System, plan: StreamPlan): Promise<void> {
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
  await judgeStreams(context.report, { system, texts, isWhole: plan.isWhole, rounds });
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
  { leaving }: StreamPlan,
  random: () => number,
  fault: StreamFault = NOTHING,
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
  await fault.run(system, random);
  const left = (await Promise.all(aborted)).filter((client) => client !== undefined);
  return { fault: fault.name, faultAt, entries: await all, left };
}

/** Waits until the call of a client who has left for good is aborted; gives nothing of other clients. */
async function abortedAfter({ stack }: System, entry: LedgerEntry): Promise<LeftClient | undefined> {
  const { nonce, end, endedAt = 0 } = entry;
  if (end?.kind !== 'left') return undefined;
  const leftAt = performance.now();
  const calls = stack.upstream.calls.filter(({ prompt }) => prompt === nonce);
  const ended = Promise.all(calls.map(({ whenAborted }) => whenAborted)).then(() => performance.now() - leftAt);
  const abortedMs = await Promise.race([ended, delay(ABORTED_BY_MS, Number.POSITIVE_INFINITY, { ref: false })]);
  return { leftAt: endedAt, hadComeBack: (entry.stream?.resumes ?? 0) > 0, abortedMs };
}

/** None to three places, most of them within the text. */
export function cutsOf(random: () => number): number[] {
  return Array.from({ length: Math.floor(random() * 4) }, () => 1 + Math.floor(random() * 600)).toSorted(
    (a, b) => a - b,
  );
}
