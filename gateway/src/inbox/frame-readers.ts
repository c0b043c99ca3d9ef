import { type Frame, parseFrames } from '@lontar/shared/live/frames.ts';
import { createNumberedReader, type NumberedStart, readNumberedEntry } from '@lontar/shared/live/numbered-frames.ts';

/** Takes the frames of one request, as they come. */
export type TakeFrame = (frame: Frame) => void;

/** Which requests' frames are read, and by whom; those of others are dropped. */
export interface FrameReaders {
  /** @returns ends it */
  add(requestId: string, take: TakeFrame): () => void;
  /** Hands over the frames of an entry of the inbox, as JSON. */
  deliver(json: string): void;
  /** Hands over those of an entry of numbered frames; of another entry nothing. */
  deliverNumbered(fields: readonly string[]): void;
  /** Readers of one request. */
  countOf(requestId: string): number;
}

/**
 * Asks Redis what numbers of a worker's streams stand for: one for each, `undefined` where it does not know; `undefined` for
 * all where it cannot be asked. Never rejects.
 */
export type LookUpNumbers = (
  worker: string,
  numbers: readonly number[],
) => Promise<readonly (NumberedStart | undefined)[] | undefined>;

/** Numbers of requests without a reader that are remembered beside others. */
const MOST_UNREAD = 2_000;

/**
 * Never throws, nor do its methods.
 *
 * @param noteOpen called with the request of each frame that is handed over
 */
export function createFrameReaders(lookUp: LookUpNumbers, noteOpen: (requestId: string) => void): FrameReaders {
  const readers = new Map<string, Set<TakeFrame>>();
  const numbered = createNumberedReader();
  /** Numbers that Redis is being asked about, with their worker. */
  const asked = new Set<string>();

  function hand(frame: Frame): void {
    const ofRequest = readers.get(frame[0]);
    if (ofRequest === undefined) return;
    noteOpen(frame[0]);
    for (const take of ofRequest) take(frame);
  }

  /** A number was introduced in an entry that is lost, or to another gateway: what comes meanwhile is a gap, and filled. */
  async function learn(worker: string, unknown: ReadonlySet<number>): Promise<void> {
    const numbers = [...unknown].filter((number) => !asked.has(`${worker} ${number}`));
    if (numbers.length === 0) return;
    for (const number of numbers) asked.add(`${worker} ${number}`);
    const starts = await lookUp(worker, numbers);
    for (const [index, number] of numbers.entries()) {
      asked.delete(`${worker} ${number}`);
      if (starts) numbered.learn(worker, number, starts[index]);
    }
  }

  return {
    add(requestId, take) {
      const ofRequest = readers.get(requestId) ?? new Set();
      ofRequest.add(take);
      readers.set(requestId, ofRequest);
      return () => {
        ofRequest.delete(take);
        if (ofRequest.size === 0 && readers.get(requestId) === ofRequest) readers.delete(requestId);
      };
    },
    deliver(json) {
      if (readers.size > 0) for (const frame of parseFrames(json)) hand(frame);
    },
    deliverNumbered(fields) {
      const entry = readNumberedEntry(fields);
      if (entry === undefined) return;
      const unknown = numbered.read(entry, hand);
      if (numbered.size > 2 * readers.size + MOST_UNREAD) numbered.forgetAllBut((requestId) => readers.has(requestId));
      if (unknown.size > 0 && readers.size > 0) void learn(entry.worker, unknown);
    },
    countOf: (requestId) => readers.get(requestId)?.size ?? 0,
  };
}
