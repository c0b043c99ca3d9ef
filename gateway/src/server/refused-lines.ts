import { OTHER_ADDRESSES } from '@lontar/shared/event-tally.ts';
import { createTokenBucket } from '@lontar/shared/token-bucket.ts';

/** Kinds of refused requests that have a line of their own in a second; all others share one. */
const MOST_KINDS = 40;
const SECOND_MS = 1_000;
/** Lines of all kinds together: so many at once, and in each second further ones; who rotates addresses makes no more. */
const LINES = { atOnce: 40, perSecond: 0.5 };
/** Lines that were held back are looked for this many times in the time between two lines of a kind. */
const LOOKS = 4;

/** What a line says of a request. */
export interface RefusedLine {
  readonly address: string;
  readonly [field: string]: unknown;
}

/**
 * Lines about refused requests: of each kind at most one a second, and of all kinds a bounded number, with how many
 * requests each stands for.
 */
export interface RefusedLines {
  /**
   * Notes one request: it is written at once where none of its kind was within the last second, else together with
   * those that come until the second is over.
   *
   * @param kind address and reason
   */
  note(kind: string, line: RefusedLine): void;
  /** Writes what was held back. */
  stop(): void;
}

interface Kind {
  /** By this process's monotonic clock, ms; none yet where there was no room for its first line. */
  toldAt: number;
  heldBack: number;
  line: RefusedLine;
}

/**
 * Thins lines that any client can cause at will: a flood must neither fill the operator's disk nor stay hidden.
 *
 * @param write writes a line; it has `count` where it stands for more than one request
 * @param intervalMs between two lines of a kind; another one only in tests
 */
export function thinRefusedLines(write: (line: object) => void, intervalMs: number = SECOND_MS): RefusedLines {
  const kinds = new Map<string, Kind>();
  let timer: NodeJS.Timeout | undefined;
  const lines = createTokenBucket(LINES);

  const tellDue = (now: number, isLast = false) => {
    for (const [name, kind] of kinds) {
      if (now - kind.toldAt < intervalMs) continue;
      const { line, heldBack } = kind;
      if (heldBack === 0) kinds.delete(name);
      else if (!isLast && !lines.take()) break;
      else {
        write(heldBack === 1 ? line : { ...line, count: heldBack });
        // Behind the others, so that each kind has its turn where there is little room.
        kinds.delete(name);
        kinds.set(name, { line, toldAt: now, heldBack: 0 });
      }
    }
    if (kinds.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    note(kind, given) {
      timer ??= setInterval(() => tellDue(performance.now()), intervalMs / LOOKS).unref();
      const isOther = kinds.size >= MOST_KINDS && !kinds.has(kind);
      const line = isOther ? { ...given, address: OTHER_ADDRESSES } : given;
      const known = kinds.get(isOther ? OTHER_ADDRESSES : kind);
      if (known) {
        known.heldBack++;
        known.line = line;
        return;
      }
      const now = performance.now();
      const isTold = lines.take();
      kinds.set(isOther ? OTHER_ADDRESSES : kind, {
        toldAt: isTold ? now : Number.NEGATIVE_INFINITY,
        heldBack: isTold ? 0 : 1,
        line,
      });
      if (isTold) write(line);
    },
    stop() {
      tellDue(Number.POSITIVE_INFINITY, true);
      clearInterval(timer);
    },
  };
}
