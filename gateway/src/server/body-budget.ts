import { getHeapStatistics } from 'node:v8';
import { type BodyBuffers, createBodyBuffers } from './body-buffers.ts';

const MEGABYTE = 1024 * 1024;
/** What bodies may hold at most and at least, whatever the heap, bytes. */
const MOST_BYTES = 64 * MEGABYTE;
const LEAST_BYTES = 8 * MEGABYTE;
const SHARE_OF_HEAP = 1 / 16;
/** Of the largest bodies that may come, so many always fit, and half of them are one address's. */
const LARGEST_BODIES = 4;
const ADDRESSES = 8;
/** A body that has begun to arrive costs about so much besides its bytes, in sockets and parser. */
const BYTES_BESIDE = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Why a body is refused: by what its own address has open or holds, or by what all have. */
export type TooMuch = 'address' | 'all';

export interface BodyBounds {
  /** Bytes that all bodies hold together at most. */
  readonly bytes: number;
  /** And those of one address. */
  readonly bytesPerAddress: number;
  /** Bodies that are being read at once at most. */
  readonly bodies: number;
  /** And of one address. */
  readonly bodiesPerAddress: number;
}

/** One body's part of the budget. */
export interface BodyShare {
  /**
   * Takes so many bytes more.
   *
   * @returns why not; nothing was taken then
   */
  grow(bytes: number): TooMuch | undefined;
  /**
   * Grows to one buffer of so many bytes, more than before, that begins with what the one before holds. Both are the
   * share's: the one before must not be used any more, nor the new one when the share is closed.
   *
   * @returns why not; the one before is good then
   */
  enlarge(bytes: number): Buffer | TooMuch;
  /** What it holds, bytes. */
  readonly bytes: number;
  /** Whether it has been closed. */
  readonly isClosed: boolean;
  /** Gives everything back. May be called again. */
  close(): void;
}

/**
 * What request bodies may hold in memory while they are being read, of all callers together. An address holds no more
 * than its bound, and takes no more than half of what others have left, so that there is room for one who comes anew.
 */
export interface BodyBudget {
  /** Begins a body. A share that is given has to be closed. */
  open(address: string): BodyShare | TooMuch;
}

/** @param onHeld called at each change with what is held, bytes */
export function createBodyBudget(
  bounds: BodyBounds,
  onHeld: (bytes: number) => void = () => undefined,
  buffers: BodyBuffers = createBodyBuffers(),
): BodyBudget {
  const byAddress = new Map<string, { bodies: number; bytes: number }>();
  let bodies = 0;
  let held = 0;

  function share(address: string, own: { bodies: number; bytes: number }): BodyShare {
    let bytes = 0;
    let isOpen = true;
    let buffer: Buffer = NOTHING;
    const grow = (more: number): TooMuch | undefined => {
      // It would never be given back.
      if (!isOpen) return 'address';
      if (own.bytes + more > bounds.bytesPerAddress) return 'address';
      // No more than it leaves: its own bytes against those that are free.
      if (own.bytes + more > bounds.bytes - held - more) return 'all';
      bytes += more;
      own.bytes += more;
      held += more;
      onHeld(held);
      return undefined;
    };
    return {
      get bytes() {
        return bytes;
      },
      get isClosed() {
        return !isOpen;
      },
      grow,
      enlarge(size) {
        const of = grow(size - buffer.length);
        if (of) return of;
        const larger = buffers.take(size);
        buffer.copy(larger);
        buffers.giveBack(buffer);
        buffer = larger;
        return larger;
      },
      close() {
        if (!isOpen) return;
        isOpen = false;
        bodies--;
        held -= bytes;
        if (bytes > 0) onHeld(held);
        own.bytes -= bytes;
        if (--own.bodies === 0) byAddress.delete(address);
        buffers.giveBack(buffer);
        buffer = NOTHING;
      },
    };
  }

  return {
    open(address) {
      const own = byAddress.get(address) ?? { bodies: 0, bytes: 0 };
      if (own.bodies >= bounds.bodiesPerAddress) return 'address';
      if (bodies >= bounds.bodies) return 'all';
      own.bodies++;
      bodies++;
      byAddress.set(address, own);
      return share(address, own);
    },
  };
}

/**
 * What this process can hold: 64 MB, or less where its heap is small.
 *
 * @param largestBody the longest body that any path takes into memory, bytes
 */
export function bodyBounds(
  connectionsPerAddress: number,
  largestBody: number,
  heapBytes: number = getHeapStatistics().heap_size_limit,
): BodyBounds {
  const ofHeap = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, heapBytes * SHARE_OF_HEAP));
  const bytes = Math.floor(Math.max(ofHeap, LARGEST_BODIES * largestBody));
  return {
    bytes,
    bytesPerAddress: Math.max(Math.floor(bytes / ADDRESSES), (LARGEST_BODIES / 2) * largestBody),
    bodies: Math.floor(bytes / BYTES_BESIDE),
    // So that an address whose bodies come slowly can still ask for something.
    bodiesPerAddress: Math.max(1, Math.floor(connectionsPerAddress / 2)),
  };
}
