import {
  type Growth,
  type NumberedGrowth,
  type PartialAnswer,
  type SavedNumbered,
  type SavedPartial,
  savePartials,
} from '@lontar/shared/live/save-partials.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type LiveStream, NOTHING_SAVED, type Saved, type SavedTracks } from './live-stream.ts';

/** What is masked so far is kept so often, ms, and at once where a stream has so many characters more. */
const SAVE_MS = 1_000;
const SAVE_CHARS = 2_048;
/** Characters that are written by their text, and streams of them, in one script call at most; the others follow it. */
const MOST_CHARS = 524_288;
const MOST_STREAMS = 500;
/** Gateways that follow a stream at most; more readers share those. */
const MOST_FOLLOWERS = 16;

export interface PartialDeps {
  readonly redis: Redis;
  /** Instance id of this worker. */
  readonly worker: string;
  readonly metrics: Pick<WorkerMetrics, 'partialsSaved'>;
  /** Called for each write that Redis refused; must not flood the log. */
  readonly onRedisFailure: (error: unknown) => void;
}

/**
 * The log plane: keeps what is masked so far of all streams in Redis, in one script call for all of them, so that a reader
 * who comes to any gateway later begins there; and finds out which gateways follow. One call is on its way at most: where
 * Redis is slow or away, it is kept later.
 */
export interface Partials {
  /** To be called when a stream may have grown. */
  note(stream: LiveStream): void;
  /** The stream has come to its end: its settlement removes what was kept. */
  forget(stream: LiveStream): void;
}

/** A stream, and what Redis has of it once it has taken what is new. */
interface Growing {
  readonly stream: LiveStream;
  readonly after: SavedTracks;
  /** Losses that are mended by then. */
  readonly losses: number;
}

interface Written extends Growing {
  readonly answer: PartialAnswer;
}

interface Numbered extends Growing {
  readonly growth: NumberedGrowth;
}

/**
 * Never throws, nor do its methods.
 *
 * @param sendGathered sends what streams have handed on: it is expected in the journal
 */
export function keepPartials(deps: PartialDeps, sendGathered: () => void): Partials {
  const { redis, worker, metrics, onRedisFailure } = deps;
  const grown = new Set<LiveStream>();
  /** Those that wait for no second. */
  const urgent = new Set<LiveStream>();
  const closed = new WeakSet<LiveStream>();
  /** Numbers that Redis still has. */
  let gone: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isSaving = false;

  function saveAll(): void {
    timer = undefined;
    for (const stream of grown) urgent.add(stream);
    grown.clear();
    void save();
  }

  async function save(): Promise<void> {
    if (isSaving || urgent.size + gone.length === 0) return;
    if (redis.status !== 'ready') {
      // Later, with those that grow until then.
      for (const stream of urgent) later(stream);
      urgent.clear();
      return;
    }
    isSaving = true;
    sendGathered();
    // The journal is taken out as a whole.
    const numbered = takeNumbered(urgent, grown);
    const written = takeWritten(urgent);
    const ended = gone;
    gone = [];
    try {
      await saveAndNote(redis, worker, numbered, written, ended);
      metrics.partialsSaved.inc();
    } catch (error) {
      onRedisFailure(error);
      // The journal may have been taken out.
      for (const { stream } of numbered) stream.noteLost();
      gone.push(...ended);
    } finally {
      isSaving = false;
    }
    for (const { stream } of [...numbered, ...written]) if (isUnkept(stream)) later(stream);
    if (urgent.size > 0) void save();
  }

  function later(stream: LiveStream): void {
    if (closed.has(stream)) return;
    grown.add(stream);
    schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(saveAll, SAVE_MS).unref();
  }

  return {
    note(stream) {
      const { unsaved } = stream;
      if (unsaved === 0 || stream.standing === 'refused') return;
      if (unsaved < SAVE_CHARS || isSaving) {
        later(stream);
        return;
      }
      // With the others of this turn.
      if (urgent.size === 0) queueMicrotask(() => void save());
      urgent.add(stream);
    },
    forget(stream) {
      closed.add(stream);
      grown.delete(stream);
      urgent.delete(stream);
      // Also where it is not known whether it was shown: its number is noted by the script that has not answered yet.
      if (stream.number === 0 || !stream.mayBeNoted) return;
      gone.push(stream.number);
      schedule();
    },
  };
}

/** Whether there is something to be kept that is not yet. */
function isUnkept({ unsaved, isLost, standing }: LiveStream): boolean {
  return (unsaved > 0 || isLost) && standing !== 'refused';
}

/** @throws as `savePartials` */
async function saveAndNote(
  redis: Redis,
  worker: string,
  numbered: readonly Numbered[],
  written: readonly Written[],
  gone: readonly number[],
): Promise<void> {
  const growths = numbered.map(({ growth }) => growth);
  const answers = written.map(({ answer }) => answer);
  const saved = await savePartials(redis, { worker, numbered: growths, gone, answers });
  for (const [index, one] of numbered.entries()) noteNumbered(one, saved.numbered[index]);
  for (const [index, one] of written.entries()) noteSaved(one, saved.answers[index]);
}

/** Takes out those whose pieces are in the journal. */
function takeNumbered(urgent: Set<LiveStream>, grown: Set<LiveStream>): Numbered[] {
  const all: Numbered[] = [];
  for (const stream of new Set([...urgent, ...grown])) {
    const { number, standing, isLost, sent: after, losses } = stream;
    if (number === 0 || standing !== 'visible' || isLost) continue;
    urgent.delete(stream);
    grown.delete(stream);
    const growth = { number, textBytes: after.text.bytes, reasoningBytes: after.reasoning.bytes };
    all.push({ stream, after, losses, growth });
  }
  return all;
}

/** Takes out as many as one call may have, and what is new of each. */
function takeWritten(streams: Set<LiveStream>): Written[] {
  const all: Written[] = [];
  let chars = 0;
  for (const stream of streams) {
    if (all.length >= MOST_STREAMS || chars >= MOST_CHARS) break;
    streams.delete(stream);
    const { requestId, keyId, start, number, standing } = stream;
    // Of one that nobody may have seen, only whether a gateway follows by now.
    const keepable = standing === 'visible' ? stream.keepable : { text: '', reasoning: '' };
    const saved = stream.isLost ? { text: NOTHING_SAVED, reasoning: NOTHING_SAVED } : stream.saved;
    const text = growthOf(saved.text, keepable.text);
    const reasoning = growthOf(saved.reasoning, keepable.reasoning);
    chars += text.growth.text.length + reasoning.growth.text.length;
    const answer = { requestId, keyId, start, number, text: text.growth, reasoning: reasoning.growth };
    const losses = standing === 'visible' ? stream.losses : stream.mended;
    all.push({ stream, answer, after: { text: text.after, reasoning: reasoning.after }, losses });
  }
  return all;
}

function growthOf({ units, bytes }: Saved, track: string): { readonly growth: Growth; readonly after: Saved } {
  const text = track.slice(units);
  return { growth: { bytes, text }, after: { units: track.length, bytes: bytes + Buffer.byteLength(text) } };
}

function noteNumbered({ stream, after }: Numbered, saved: SavedNumbered = { kind: 'lost' }): void {
  if (saved.kind === 'lost') {
    stream.noteLost();
    return;
  }
  stream.followers = saved.followers.slice(0, MOST_FOLLOWERS);
  stream.saved = after;
}

function noteSaved({ stream, after, losses }: Written, saved: SavedPartial | undefined): void {
  if (saved?.kind === 'refused') stream.noteStanding('refused');
  if (saved?.kind !== 'saved') return;
  stream.noteStanding('visible');
  stream.followers = saved.followers.slice(0, MOST_FOLLOWERS);
  // What Redis has lost is written anew.
  const { text, reasoning } = after;
  const isWhole = saved.textBytes === text.bytes && saved.reasoningBytes === reasoning.bytes;
  stream.saved = {
    text: saved.textBytes === text.bytes ? text : NOTHING_SAVED,
    reasoning: saved.reasoningBytes === reasoning.bytes ? reasoning : NOTHING_SAVED,
  };
  if (isWhole) stream.mended = losses;
  else stream.noteLost();
}
