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
/** Addresses that hold nothing and are kept all the same. */
const ADDRESSES_KEPT = 100;

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
  /** Addresses that are known: those with open bodies, and some of which all bodies have ended. */
  readonly addresses: number;
}

/** @param onHeld called at each change with what is held, bytes */
export function createBodyBudget(
  bounds: BodyBounds,
  onHeld: (bytes: number) => void = () => undefined,
  buffers: BodyBuffers = createBodyBuffers(),
): BodyBudget {
  const byAddress = new Map<string, Held>();
  const all: Held = { bodies: 0, bytes: 0 };

  const close = (address: string, own: Held): void => {
    // V8 makes a new table for a map whose members come and go, and may keep each for long: few that hold nothing stay.
    if (own.bodies === 0 && byAddress.size > ADDRESSES_KEPT) byAddress.delete(address);
  };
  const budget: Budget = { bounds, onHeld, buffers, all, close };

  return {
    open(address) {
      const own = byAddress.get(address) ?? { bodies: 0, bytes: 0 };
      if (own.bodies >= bounds.bodiesPerAddress) return 'address';
      if (all.bodies >= bounds.bodies) return 'all';
      own.bodies++;
      all.bodies++;
      byAddress.set(address, own);
      return new Share(budget, address, own);
    },
    get addresses() {
      return byAddress.size;
    },
  };
}

/** Of one address, or of all: open bodies, and what they hold, bytes. */
interface Held {
  bodies: number;
  bytes: number;
}

interface Budget {
  readonly bounds: BodyBounds;
  readonly onHeld: (bytes: number) => void;
  readonly buffers: BodyBuffers;
  readonly all: Held;
  /** Called when a body of that address was closed. */
  readonly close: (address: string, own: Held) => void;
}

/** A class: getters of an object literal would be put into V8's old generation for each body, and keep what they refer to. */
class Share implements BodyShare {
  private readonly budget: Budget;
  private readonly address: string;
  private readonly own: Held;
  private held = 0;
  private isOpen = true;
  private buffer: Buffer = NOTHING;

  constructor(budget: Budget, address: string, own: Held) {
    this.budget = budget;
    this.address = address;
    this.own = own;
  }

  get bytes(): number {
    return this.held;
  }

  get isClosed(): boolean {
    return !this.isOpen;
  }

  grow(more: number): TooMuch | undefined {
    const { own } = this;
    const { bounds, all, onHeld } = this.budget;
    // It would never be given back.
    if (!this.isOpen) return 'address';
    if (own.bytes + more > bounds.bytesPerAddress) return 'address';
    // No more than it leaves: its own bytes against those that are free.
    if (own.bytes + more > bounds.bytes - all.bytes - more) return 'all';
    this.held += more;
    own.bytes += more;
    all.bytes += more;
    onHeld(all.bytes);
    return undefined;
  }

  enlarge(size: number): Buffer | TooMuch {
    const of = this.grow(size - this.buffer.length);
    if (of) return of;
    const { buffers } = this.budget;
    const larger = buffers.take(size);
    this.buffer.copy(larger);
    buffers.giveBack(this.buffer);
    this.buffer = larger;
    return larger;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { own, held } = this;
    const { all, onHeld, buffers, close } = this.budget;
    all.bodies--;
    all.bytes -= held;
    if (held > 0) onHeld(all.bytes);
    own.bytes -= held;
    own.bodies--;
    close(this.address, own);
    buffers.giveBack(this.buffer);
    this.buffer = NOTHING;
  }
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
