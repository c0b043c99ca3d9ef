import { type Growth, type PartialAnswer, type SavedPartial, savePartials } from '@lontar/shared/live/save-partials.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type LiveStream, NOTHING_SAVED, type Saved } from './live-stream.ts';

/** What is masked so far is kept so often, ms, and at once where a stream has so many characters more. */
const SAVE_MS = 1_000;
const SAVE_CHARS = 2_048;
/** Characters, and streams, of one script call at most; the others follow as soon as it has answered. */
const MOST_CHARS = 524_288;
const MOST_STREAMS = 500;
/** Gateways that follow a stream at most; more readers share those. */
const MOST_FOLLOWERS = 16;

export interface PartialDeps {
  readonly redis: Redis;
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

/** A stream, what is new of it, and what Redis has of it once it has taken that. */
interface Growing {
  readonly stream: LiveStream;
  readonly answer: PartialAnswer;
  readonly after: LiveStream['saved'];
}

/** Never throws, nor do its methods. */
export function keepPartials({ redis, metrics, onRedisFailure }: PartialDeps): Partials {
  const grown = new Set<LiveStream>();
  /** Those that wait for no second. */
  const urgent = new Set<LiveStream>();
  const gone = new WeakSet<LiveStream>();
  let timer: NodeJS.Timeout | undefined;
  let isSaving = false;

  function saveAll(): void {
    timer = undefined;
    for (const stream of grown) urgent.add(stream);
    grown.clear();
    void save();
  }

  async function save(): Promise<void> {
    if (isSaving || urgent.size === 0) return;
    if (redis.status !== 'ready') {
      // Later, with those that grow until then.
      for (const stream of urgent) later(stream);
      urgent.clear();
      return;
    }
    isSaving = true;
    const growing = takeFrom(urgent);
    try {
      const saved = await savePartials(
        redis,
        growing.map(({ answer }) => answer),
      );
      metrics.partialsSaved.inc();
      for (const [index, one] of growing.entries()) noteSaved(one, saved[index]);
      for (const { stream } of growing) if (stream.unsaved > 0 && stream.standing !== 'refused') later(stream);
    } catch (error) {
      onRedisFailure(error);
      for (const { stream } of growing) later(stream);
    } finally {
      isSaving = false;
    }
    void save();
  }

  function later(stream: LiveStream): void {
    if (gone.has(stream)) return;
    grown.add(stream);
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
      gone.add(stream);
      grown.delete(stream);
      urgent.delete(stream);
    },
  };
}

/** Takes out as many as one call may have, and what is new of each. */
function takeFrom(streams: Set<LiveStream>): Growing[] {
  const all: Growing[] = [];
  let chars = 0;
  for (const stream of streams) {
    if (all.length >= MOST_STREAMS || chars >= MOST_CHARS) break;
    streams.delete(stream);
    const { requestId, keyId, start, saved, transcript, standing } = stream;
    // Of one that nobody may have seen, only whether a gateway follows by now.
    const isKept = standing === 'visible';
    if (isKept) chars += stream.unsaved;
    const text = growthOf(saved.text, isKept ? transcript.text : '');
    const reasoning = growthOf(saved.reasoning, isKept ? transcript.reasoning : '');
    const after = { text: text.after, reasoning: reasoning.after };
    all.push({ stream, answer: { requestId, keyId, start, text: text.growth, reasoning: reasoning.growth }, after });
  }
  return all;
}

function growthOf({ units, bytes }: Saved, track: string): { readonly growth: Growth; readonly after: Saved } {
  const text = track.slice(units);
  return { growth: { bytes, text }, after: { units: track.length, bytes: bytes + Buffer.byteLength(text) } };
}

function noteSaved({ stream, after }: Growing, saved: SavedPartial | undefined): void {
  if (saved?.kind === 'refused') stream.noteStanding('refused');
  if (saved?.kind !== 'saved') return;
  stream.noteStanding('visible');
  stream.followers = saved.followers.slice(0, MOST_FOLLOWERS);
  // What Redis has lost is written anew.
  const { text, reasoning } = after;
  stream.saved = {
    text: saved.textBytes === text.bytes ? text : NOTHING_SAVED,
    reasoning: saved.reasoningBytes === reasoning.bytes ? reasoning : NOTHING_SAVED,
  };
}
