import type { Frame } from '@lontar/shared/live/frames.ts';

/** Frames that are kept until their reader is there: between admission and the reader is no more than a turn of the loop. */
const MOST_HELD = 256;

/** The frames of a request whose reader is still to come. */
export interface HeldFrames {
  /** Hands over what has come, and from then on what comes. */
  handTo(take: (frame: Frame) => void): void;
  /** Ends the reading. */
  stop(): void;
}

/**
 * Reads a request's frames from before its job is enqueued: the first may be here before the answer of the script that
 * admitted it.
 *
 * @param read begins the reading, and gives what ends it
 */
export function holdFrames(read: (take: (frame: Frame) => void) => () => void): HeldFrames {
  const held: Frame[] = [];
  // What does not fit is a gap, and is found.
  let take = (frame: Frame): void => void (held.length < MOST_HELD && held.push(frame));
  const stop = read((frame) => take(frame));
  return {
    handTo(reader) {
      take = reader;
      for (const frame of held.splice(0)) reader(frame);
    },
    stop,
  };
}
