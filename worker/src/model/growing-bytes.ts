const SMALLEST = 4_096;

/**
 * Bytes that come in pieces of any size. What comes in one piece is not copied; of a million tiny ones no list is kept,
 * which would take a hundred times their size.
 */
export class GrowingBytes {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether `#bytes` is a piece as it came, which is not ours to write to. */
  #isForeign = false;

  /** How long all of it will be, where that is known: only as good as who says it. */
  expected = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (this.#length === 0) {
      this.#bytes = piece;
      this.#length = piece.byteLength;
      this.#isForeign = true;
      return;
    }
    const length = this.#length + piece.byteLength;
    if (this.#isForeign || length > this.#bytes.byteLength) {
      const larger = Buffer.allocUnsafeSlow(this.expected >= length ? this.expected : Math.max(SMALLEST, 2 * length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
      this.#isForeign = false;
    }
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Gives what has come, and starts anew. What it gives holds until the next `add`. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }
}
