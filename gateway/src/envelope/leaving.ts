/** Why a caller is gone: by its own doing, or because its connection was ended for being slow. */
export type GoneBecause = 'left' | 'cut for pace';

/**
 * Whether a request's caller has left before the answer, told to one who waits. Not an `AbortSignal`: with its controller, its
 * listener and its table that is 600 bytes of every request in flight.
 */
export class Leaving {
  /** `undefined` while the caller is there. */
  reason: GoneBecause | undefined;
  private told: (() => void) | undefined = undefined;

  constructor(reason?: GoneBecause) {
    this.reason = reason;
  }

  get isGone(): boolean {
    return this.reason !== undefined;
  }

  /** Calls this when the caller leaves, if that is later than now, and nobody else any more. */
  tell(listener: () => void): void {
    this.told = listener;
  }

  /** Does not call this any more. */
  untell(listener: () => void): void {
    if (this.told === listener) this.told = undefined;
  }

  /** The caller is gone; of more than one reason the first counts. */
  note(reason: GoneBecause): void {
    if (this.isGone) return;
    this.reason = reason;
    const { told } = this;
    this.told = undefined;
    told?.();
  }
}
