/**
 * Reads what Lua's `struct.pack` wrote, one field after the other; numbers are big-endian, without padding. All methods throw
 * a RangeError where the bytes do not hold what they read.
 */
export class PackedReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** `B` */
  byte(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }

  /** `i4` */
  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  /** `I4` */
  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  /** `d` */
  double(): number {
    return this.#bytes.readDoubleBE(this.#advance(8));
  }

  /** `s`: up to the next zero byte. */
  text(): string {
    const start = this.#offset;
    const end = this.#bytes.indexOf(0, start);
    if (end < 0) throw new RangeError('A packed text has no end.');
    this.#offset = end + 1;
    return this.#bytes.toString('latin1', start, end);
  }

  /** Checks that all was read. */
  end(): void {
    if (this.#offset !== this.#bytes.length) throw new RangeError('What was packed has more fields than were read.');
  }

  #advance(bytes: number): number {
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
