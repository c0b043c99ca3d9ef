import { type LedgerEntry, statusOf } from '../ledger.ts';
import { percentile, type Report } from '../report.ts';
import type { System } from '../system.ts';
import type { StreamTexts } from './stream-texts.ts';
import { readWrittenFiles } from './written-frames.ts';

/** What the death of a worker may cost its streams until they are told, or go on. */
const DEATH_MS = 3_000;
/** What a round has brought. */
export interface Round {
  readonly fault: string;
  /** When the fault happened, Unix ms. */
  readonly faultAt: number;
  readonly entries: readonly LedgerEntry[];
  readonly left: readonly LeftClient[];
}

/** A client that has left for good. */
export interface LeftClient {
  /** Unix ms. */
  readonly leftAt: number;
  /** Its connection was broken before, and it read on from another gateway. */
  readonly hadComeBack: boolean;
  /** From then to the end of its upstream call, ms; infinite where that went on. */
  readonly abortedMs: number;
}

/** Rounds of streams that were cut, and what is to be expected of them. */
export interface PlayedStreams {
  readonly system: System;
  readonly texts: StreamTexts;
  /** Whether every stream that its client has not left must have an answer; else it may have an error. */
  readonly isWhole: boolean;
  readonly rounds: readonly Round[];
}

/** Prints what became of the streams of all rounds. @throws when Redis's files cannot be read */
export async function judgeStreams(report: Report, { system, texts, isWhole, rounds }: PlayedStreams): Promise<void> {
  const entries = rounds.flatMap((round) => round.entries);
  const count = (isSuch: (entry: LedgerEntry) => boolean) => entries.filter(isSuch).length;
  const sum = (valueOf: (entry: LedgerEntry) => number | undefined) =>
    entries.reduce((total, entry) => total + (valueOf(entry) ?? 0), 0);
  const faultOf = new Map<string, string>();
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

/** A gateway that dies has seen what was long before. */
const SEEN_MS = 1_000;

/** With its gateway killed, a client leaves unheard, or has come back elsewhere: a reader who leaves stops nothing. */
function mayBeUnsaid(client: LeftClient & { readonly round: Round }): boolean {
  const { leftAt, hadComeBack, round } = client;
  return round.fault === 'gateway killed' && (hadComeBack || Math.abs(leftAt - round.faultAt) <= SEEN_MS);
}

/** Of clients who have left for good the upstream is let go. */
function judgeLeaving(report: Report, rounds: readonly Round[]): void {
  const left = rounds.flatMap((round) => round.left.map((client) => ({ ...client, round })));
  if (left.length === 0) return;
  const kept = left.filter(({ abortedMs }) => abortedMs === Number.POSITIVE_INFINITY);
  // A gateway that is killed while its client leaves cannot have said so: the answer goes on for a client who comes back.
  const [unsaid, others] = [true, false].map((isSuch) => kept.filter((client) => mayBeUnsaid(client) === isSuch));
  report.fact('clients who left for good', left.length);
  report.fact('of them as their gateway was killed, whose upstream call went on', unsaid?.length ?? 0);
  report.fact('of them with an upstream call that went on', others?.length ?? 0, { atMost: 0 });
  for (const { leftAt, round } of others ?? []) report.fact(`${round.fault}, after ms`, leftAt - round.faultAt);
  const undisturbed = left.filter(({ round }) => round.fault === 'nothing').map(({ abortedMs }) => abortedMs);
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
