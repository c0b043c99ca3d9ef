import type { Outgoing } from './frame-batches.ts';
import type { FrameSender } from './frame-sender.ts';
import type { LiveStream } from './live-stream.ts';

/** Frames of all streams that were seen before are sent together, so far apart at least, ms. */
const TICK_MS = 25;
/**
 * Among many streams ticks are further apart, so that a worker writes about 14,000 frames a second and no more: a frame
 * costs what its text does not, in Redis and here, and tokens that come fast are cheaper together.
 */
const STREAMS_PER_MS = 14;
const LONGEST_TICK_MS = 100;
/** How long one turn of the event loop masks, ms; what is left has the next. */
const LONGEST_TURN_MS = 8;

/** When the news of which stream is masked and sent. */
export interface Rounds {
  add(stream: LiveStream): void;
  remove(stream: LiveStream): void;
  /** The stream has something to mask. */
  note(stream: LiveStream): void;
  /** Sends what is masked. */
  sendAtOnce(stream: LiveStream): void;
  /** Sends what a tick has gathered so far: whoever counts on what was handed on has to find it in Redis. */
  sendGathered(): void;
}

/**
 * What is new of a stream that no reader has seen anything of is masked and sent in the same turn of the event loop; of all
 * others together, once a tick. Never throws, nor do its methods.
 *
 * @param sender its `sendAtEnd` is called at the end of a turn
 * @param onMasked called with each stream that was masked further
 */
export function createRounds({ send, sendAtEnd }: FrameSender, onMasked: (stream: LiveStream) => void): Rounds {
  const open = new Set<LiveStream>();
  const unseen = new Set<LiveStream>();
  const seen = new Set<LiveStream>();
  let tickedAt = Number.NEGATIVE_INFINITY;
  let tickMs = TICK_MS;
  let isTurnDue = false;
  let timer: NodeJS.Timeout | undefined;
  const gathered = createGathered();

  function note(stream: LiveStream): void {
    if (!open.has(stream)) return;
    // What Redis is asked about is noted again when it has answered; what it refused is masked at the end.
    if (stream.standing !== 'unseen' && stream.standing !== 'visible') return;
    const streams = stream.standing === 'unseen' ? unseen : seen;
    // Each token is noted: where its stream waits already, so does a turn.
    if (streams.has(stream)) return;
    streams.add(stream);
    schedule();
  }

  function schedule(): void {
    const untilTick = tickedAt + tickMs - performance.now();
    if (unseen.size > 0 || (seen.size > 0 && untilTick <= 0)) {
      if (!isTurnDue) setImmediate(turn, true);
      isTurnDue = true;
    } else if (seen.size > 0) timer ??= setTimeout(turn, Math.ceil(untilTick), false);
  }

  function turn(isDue: boolean): void {
    // Timers may be early: then there is another one.
    if (isDue) isTurnDue = false;
    else timer = undefined;
    const startedAt = performance.now();
    const outgoing = collect(unseen, startedAt);
    if (seen.size > 0 && startedAt - tickedAt >= tickMs) {
      clearTimeout(timer);
      timer = undefined;
      tickMs = tickAmong(open);
      gathered.add(collect(seen, startedAt), startedAt);
      // Where some are left, they have the next turn.
      if (seen.size === 0) tickedAt = startedAt;
    }
    if (seen.size === 0 || gathered.isDue(startedAt)) outgoing.push(...gathered.take());
    sendAtEnd(outgoing);
    schedule();
  }

  /** Masks what has come of these streams, as long as the turn lasts. */
  function collect(streams: Set<LiveStream>, startedAt: number): Outgoing[] {
    const all: Outgoing[] = [];
    for (const stream of streams) {
      if (performance.now() - startedAt > LONGEST_TURN_MS) break;
      streams.delete(stream);
      const isMore = stream.advance();
      const outgoing = outgoingOf(stream, note);
      if (outgoing) all.push(outgoing);
      if (isMore) note(stream);
      onMasked(stream);
    }
    return all;
  }

  return {
    add: (stream) => void open.add(stream),
    remove(stream) {
      for (const streams of [open, unseen, seen]) streams.delete(stream);
    },
    note,
    sendAtOnce(stream) {
      const outgoing = outgoingOf(stream, note);
      // Behind what the tick has of it already.
      send(outgoing ? [...gathered.take(), outgoing] : gathered.take());
    },
    sendGathered: () => send(gathered.take()),
  };
}

/** What a tick has so far that takes several turns: it is sent as one, because each sending costs what no frame holds. */
function createGathered() {
  let all: Outgoing[] = [];
  let since = 0;
  return {
    add(more: readonly Outgoing[], now: number): void {
      if (all.length === 0) since = now;
      all.push(...more);
    },
    /** Whether it has waited for as long as a tick may: under load a tick never ends. */
    isDue: (now: number) => now - since >= TICK_MS,
    take(): Outgoing[] {
      const taken = all;
      all = [];
      return taken;
    },
  };
}

/** @param note called where there is more of it once Redis has answered */
function outgoingOf(stream: LiveStream, note: (stream: LiveStream) => void): Outgoing | undefined {
  return stream.outgoing(() => {
    if (stream.transcript.isBehind) note(stream);
  });
}

/**
 * By all that have shown something: fewer of them have something new after a shorter tick, so that by these alone each tick
 * would make the next one shorter still.
 */
function tickAmong(streams: Iterable<LiveStream>): number {
  let visible = 0;
  for (const { standing } of streams) if (standing === 'visible') visible++;
  return Math.min(Math.max(TICK_MS, visible / STREAMS_PER_MS), LONGEST_TICK_MS);
}
