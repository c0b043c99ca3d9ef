import { z } from 'zod';

/**
 * The live plane: masked pieces of answers on their way from workers to the gateways that stream them. A worker gathers
 * those of all its requests for a moment and writes them as one entry, `frames`, JSON, into each gateway's inbox. They
 * only make the answer earlier: the settled result is the truth, and a gap is filled from it, or from the partial text.
 */

/** Text that the caller sees, reasoning, and whole tool calls: each has offsets of its own. */
export const TRACKS = ['text', 'reasoning', 'call'] as const;
export type Track = (typeof TRACKS)[number];

const frameSchema = z.tuple([
  /** Request id. */
  z.string(),
  /** Which start of the job wrote it: once a frame of one was visible, no other's may follow. */
  z.number().int(),
  z.enum(TRACKS),
  /** Where it begins in its track: UTF-16 units of the masked text, or the number of the call from 0. */
  z.number().int().nonnegative(),
  /** Masked text; of a call its `ToolCall`, JSON. */
  z.string(),
]);

export type Frame = z.infer<typeof frameSchema>;

const framesSchema = z.array(frameSchema);

/** The form in an inbox. */
export function writeFrames(frames: readonly Frame[]): string {
  return JSON.stringify(frames);
}

/** One of them; between brackets, with commas between, they are the form in an inbox. */
export function writeFrame(frame: Frame): string {
  return JSON.stringify(frame);
}

/**
 * Reads the form in an inbox.
 *
 * @returns nothing where it is none that this version can read: the gap is then seen by offsets, and filled
 */
export function parseFrames(json: string): readonly Frame[] {
  try {
    return framesSchema.safeParse(JSON.parse(json)).data ?? [];
  } catch {
    return [];
  }
}
