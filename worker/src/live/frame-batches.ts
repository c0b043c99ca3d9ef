import { type Frame, type Track, writeFrame } from '@lontar/shared/live/frames.ts';
import { type FirstFrames, type FirstStanding, type FrameBatch, joinFrames } from '@lontar/shared/live/send-frames.ts';
import type { Piece } from './transcript.ts';

/** Bytes of one entry of an inbox at most. */
export const MOST_ENTRY_BYTES = 262_144;
/** UTF-16 units of one frame: written as JSON, none takes more than six bytes. */
const MOST_FRAME_UNITS = 32_768;

/** Frames of one stream, for the gateways that want them. */
export interface Outgoing {
  readonly gateways: readonly string[];
  readonly frames: readonly string[];
  /** Where Redis has to be asked about them: they go to the first gateway alone. */
  readonly first?: Pick<FirstFrames, 'requestId' | 'keyId' | 'start'> & {
    /** Called with what Redis says, for each batch that they are in; `undefined` where it says nothing. */
    onStanding(standing: FirstStanding | undefined): void;
  };
}

/** Frames that one script sends. */
export interface FilledBatch extends FrameBatch {
  /** Those who asked, for its first frames in their order. */
  readonly asking: readonly NonNullable<Outgoing['first']>[];
  /** By gateway: how many frames of streams that are visible. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many frames in all; one for two gateways is two. */
  readonly frames: number;
  readonly bytes: number;
}

/**
 * Writes the masked pieces of a stream as frames. A call that is too long for an entry is left out: the settlement has it.
 */
export function framesOf(requestId: string, start: number, pieces: readonly Piece[]): string[] {
  return pieces.flatMap(({ track, offset, data }) => {
    if (track !== 'call') return [...splitText(requestId, start, track, offset, data)].map(writeFrame);
    const frame = writeFrame([requestId, start, track, offset, data]);
    return Buffer.byteLength(frame) > MOST_ENTRY_BYTES - 2 ? [] : [frame];
  });
}

function* splitText(requestId: string, start: number, track: Track, offset: number, data: string): Generator<Frame> {
  for (let from = 0; from < data.length; ) {
    let to = Math.min(data.length, from + MOST_FRAME_UNITS);
    // No frame ends within a surrogate pair: each is well-formed by itself.
    if (to < data.length && (data.charCodeAt(to - 1) & 0xfc00) === 0xd800) to--;
    yield [requestId, start, track, offset + from, data.slice(from, to)];
    from = to;
  }
}

/** Packs frames into batches, each of one entry for each inbox at most. The order of a stream's frames is kept. */
export function packFrames(all: readonly Outgoing[]): FilledBatch[] {
  const batches: FilledBatch[] = [];
  let filling = createBatch();
  for (const outgoing of all) {
    for (const frame of outgoing.frames) {
      if (filling.add(frame, outgoing)) continue;
      batches.push(filling.close());
      filling = createBatch();
      filling.add(frame, outgoing);
    }
  }
  if (filling.frames > 0) batches.push(filling.close());
  return batches;
}

function createBatch() {
  const others = new Map<string, string[]>();
  const firsts: { readonly outgoing: Outgoing; readonly frames: string[] }[] = [];
  const bytes = new Map<string, number>();
  let count = 0;

  function put(frame: string, outgoing: Outgoing): void {
    if (outgoing.first) {
      const last = firsts.at(-1);
      if (last?.outgoing === outgoing) last.frames.push(frame);
      else firsts.push({ outgoing, frames: [frame] });
      return;
    }
    for (const gateway of outgoing.gateways) {
      const frames = others.get(gateway);
      if (frames) frames.push(frame);
      else others.set(gateway, [frame]);
    }
  }

  return {
    /** @returns false where there is no room: nothing was added */
    add(frame: string, outgoing: Outgoing): boolean {
      const gateways = outgoing.first ? outgoing.gateways.slice(0, 1) : outgoing.gateways;
      // With its comma or bracket.
      const more = Buffer.byteLength(frame) + 1;
      const isFull = gateways.some((gateway) => (bytes.get(gateway) ?? 1) + more > MOST_ENTRY_BYTES);
      if (isFull && count > 0) return false;
      for (const gateway of gateways) bytes.set(gateway, (bytes.get(gateway) ?? 1) + more);
      put(frame, outgoing);
      count += gateways.length;
      return true;
    },
    get frames() {
      return count;
    },
    close: (): FilledBatch => ({
      others: new Map([...others].map(([gateway, frames]) => [gateway, joinFrames(frames)])),
      firsts: firsts.flatMap(({ outgoing: { gateways, first }, frames }) =>
        first ? [{ ...first, gateway: gateways[0] ?? '', frames: joinFrames(frames) }] : [],
      ),
      counts: new Map([...others].map(([gateway, frames]) => [gateway, frames.length])),
      asking: firsts.flatMap(({ outgoing: { first } }) => first ?? []),
      frames: count,
      bytes: [...bytes.values()].reduce((sum, one) => sum + one, 0),
    }),
  };
}
