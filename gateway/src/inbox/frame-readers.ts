import { type Frame, parseFrames } from '@lontar/shared/live/frames.ts';

/** Takes the frames of one request, as they come. */
export type TakeFrame = (frame: Frame) => void;

/** Which requests' frames are read, and by whom; those of others are dropped. */
export interface FrameReaders {
  /** @returns ends it */
  add(requestId: string, take: TakeFrame): () => void;
  /** Hands over the frames of an entry of the inbox, as JSON. */
  deliver(json: string): void;
  /** Readers of one request. */
  countOf(requestId: string): number;
}

export function createFrameReaders(): FrameReaders {
  const readers = new Map<string, Set<TakeFrame>>();
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
      if (readers.size === 0) return;
      for (const frame of parseFrames(json)) {
        for (const take of readers.get(frame[0]) ?? []) take(frame);
      }
    },
    countOf: (requestId) => readers.get(requestId)?.size ?? 0,
  };
}
