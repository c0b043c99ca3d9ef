import { type Frame, writeFrame } from '@lontar/shared/live/frames.ts';
import { isPlain, type NumberedPiece, takesNumbers, writeNumbered } from '@lontar/shared/live/numbered-frames.ts';
import {
  type FirstFrames,
  type FirstStanding,
  type FrameBatch,
  type InboxFrames,
  joinFrames,
} from '@lontar/shared/live/send-frames.ts';
import { isHighSurrogate } from '@lontar/shared/surrogates.ts';
import type { Piece } from './transcript.ts';

/** Bytes of one entry of an inbox at most. */
export const MOST_ENTRY_BYTES = 262_144;
/** UTF-16 units of one frame: written as JSON, none takes more than six bytes. */
const MOST_FRAME_UNITS = 32_768;
/** Of a numbered piece beside its text: three numbers of at most nine digits, a letter, an end. */
const HEAD_BYTES = 30;
/** Streams in one script that are asked about: each is two fields of an entry, and Lua takes 8,000 values at once. */
const MOST_FIRSTS = 1_000;

/** Pieces of one stream, for the gateways that want them. */
export interface Outgoing {
  readonly requestId: string;
  /** Number of the job's start. */
  readonly start: number;
  /** Number of the stream; 0 where the gateway that waits for it takes none. */
  readonly number: number;
  /** The gateway that waits for it, and others that follow. */
  readonly gateway: string;
  readonly followers: readonly string[];
  readonly pieces: readonly Piece[];
  /** By track, whether the gateway that waits has got all that was before: else it is told where each piece begins. */
  readonly goesOn: Readonly<Record<'text' | 'reasoning', boolean>>;
  /** Where Redis has to be asked about them: they go to the gateway that waits alone. */
  readonly first?: {
    readonly keyId: string;
    /** Called with what Redis says, for each batch that they are in; `undefined` where it says nothing. */
    onStanding(standing: FirstStanding | undefined): void;
  };
  /** Called where it is not known whether Redis has the pieces. */
  onLost(): void;
}

/** Frames that one script sends. */
export interface FilledBatch extends FrameBatch {
  readonly streams: ReadonlySet<Outgoing>;
  /** Those who asked, for its first frames in their order. */
  readonly asking: readonly NonNullable<Outgoing['first']>[];
  /** By gateway: how many frames of streams that are visible. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many frames in all; one for two gateways is two. */
  readonly frames: number;
  readonly bytes: number;
}

/** Pieces as long as they may be. A call that is too long for an entry is left out: the settlement has it. */
export function splitPieces(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece) => {
    if (piece.track !== 'call') return [...splitText(piece)];
    // As JSON within a frame it may be twice as long.
    return Buffer.byteLength(JSON.stringify(piece.data)) > MOST_ENTRY_BYTES - 256 ? [] : [piece];
  });
}

function* splitText({ track, offset, data }: Piece): Generator<Piece> {
  for (let from = 0; from < data.length; ) {
    let to = Math.min(data.length, from + MOST_FRAME_UNITS);
    // No frame ends within a surrogate pair: each is well-formed by itself.
    if (to < data.length && isHighSurrogate(data.charCodeAt(to - 1))) to--;
    yield { track, offset: offset + from, data: data.slice(from, to) };
    from = to;
  }
}

/**
 * Packs pieces into batches, each of one entry for each inbox at most. The order of a stream's pieces is kept.
 *
 * @param nextSequence gives the number of the next entry for a gateway
 */
export function packFrames(all: readonly Outgoing[], nextSequence: (gateway: string) => number): FilledBatch[] {
  const batches: FilledBatch[] = [];
  let filling = createBatch(nextSequence);
  // Numbers that rise by little take least.
  for (const outgoing of all.toSorted((a, b) => a.number - b.number)) {
    for (const piece of splitPieces(outgoing.pieces)) {
      if (filling.add(piece, outgoing)) continue;
      batches.push(filling.close());
      filling = createBatch(nextSequence);
      filling.add(piece, outgoing);
    }
  }
  if (filling.frames > 0) batches.push(filling.close());
  return batches;
}

interface Filling {
  readonly own: NumberedPiece[];
  readonly followed: NumberedPiece[];
  readonly json: string[];
  /** Of all of these and of first frames, about. */
  bytes: number;
  frames: number;
}

interface FillingFirst {
  readonly outgoing: Outgoing;
  readonly pieces: Piece[];
}

function createBatch(nextSequence: (gateway: string) => number) {
  const inboxes = new Map<string, Filling>();
  const firsts: FillingFirst[] = [];
  const streams = new Set<Outgoing>();
  let count = 0;

  function inboxOf(gateway: string): Filling {
    const known = inboxes.get(gateway);
    if (known) return known;
    const inbox: Filling = { own: [], followed: [], json: [], bytes: 0, frames: 0 };
    inboxes.set(gateway, inbox);
    return inbox;
  }

  function put(gateway: string, piece: Piece, outgoing: Outgoing): void {
    const inbox = inboxOf(gateway);
    const isOwn = gateway === outgoing.gateway;
    inbox.frames++;
    if (outgoing.number === 0 || !takesNumbers(gateway)) inbox.json.push(frameOf(piece, outgoing));
    else if (isOwn) inbox.own.push({ number: outgoing.number, ...piece, goesOn: goesOn(piece, outgoing) });
    else inbox.followed.push({ number: outgoing.number, ...piece, goesOn: false });
  }

  function putFirst(piece: Piece, outgoing: Outgoing): void {
    const last = firsts.at(-1);
    if (last?.outgoing === outgoing) last.pieces.push(piece);
    else firsts.push({ outgoing, pieces: [piece] });
  }

  return {
    /** @returns false where there is no room: nothing was added */
    add(piece: Piece, outgoing: Outgoing): boolean {
      const { gateway, followers, number, first } = outgoing;
      const gateways = first ? [gateway] : [gateway, ...followers.filter((other) => other !== gateway)];
      const isNumbered = number !== 0 && gateways.every(takesNumbers) && isPlain(piece.data);
      // JSON with its comma or bracket, and never shorter than the other form.
      const more = isNumbered
        ? Buffer.byteLength(piece.data) + HEAD_BYTES
        : Buffer.byteLength(frameOf(piece, outgoing)) + 1;
      const isFull = gateways.some((name) => (inboxes.get(name)?.bytes ?? 1) + more > MOST_ENTRY_BYTES);
      if (count > 0 && (isFull || firsts.length >= MOST_FIRSTS)) return false;
      for (const name of gateways) inboxOf(name).bytes += more;
      if (first) putFirst(piece, outgoing);
      else for (const name of gateways) put(name, piece, outgoing);
      streams.add(outgoing);
      count += gateways.length;
      return true;
    },
    get frames() {
      return count;
    },
    close(): FilledBatch {
      const written = new Map([...inboxes].map(([gateway, one]) => [gateway, writeInbox(one, nextSequence(gateway))]));
      const first = firsts.map(writeFirst);
      return {
        inboxes: written,
        firsts: first,
        streams,
        counts: new Map([...inboxes].map(([gateway, { frames }]) => [gateway, frames])),
        asking: firsts.flatMap(({ outgoing }) => outgoing.first ?? []),
        frames: count,
        bytes: [...written.values()].reduce((sum, one) => sum + bytesOf(one), 0) + bytesOfAll(first),
      };
    },
  };
}

function goesOn({ track }: Piece, outgoing: Outgoing): boolean {
  return track !== 'call' && outgoing.goesOn[track];
}

function frameOf({ track, offset, data }: Piece, { requestId, start }: Outgoing): string {
  const frame: Frame = [requestId, start, track, offset, data];
  return writeFrame(frame);
}

function writeInbox({ own, followed, json }: Filling, sequence: number): InboxFrames {
  return { sequence, own: writeNumbered(own), followed: writeNumbered(followed), json: joinFrames(json) };
}

function writeFirst({ outgoing, pieces }: FillingFirst): FirstFrames {
  const { requestId, start, number, gateway, first } = outgoing;
  const frames =
    number === 0
      ? joinFrames(pieces.map((piece) => frameOf(piece, outgoing)))
      : writeNumbered(pieces.map((piece) => ({ number, ...piece, goesOn: false })));
  return { requestId, keyId: first?.keyId ?? '', start, number, gateway, frames };
}

function bytesOf({ own, followed, json }: InboxFrames): number {
  return Buffer.byteLength(own) + Buffer.byteLength(followed) + Buffer.byteLength(json);
}

function bytesOfAll(firsts: readonly FirstFrames[]): number {
  return firsts.reduce((sum, { frames }) => sum + Buffer.byteLength(frames), 0);
}
