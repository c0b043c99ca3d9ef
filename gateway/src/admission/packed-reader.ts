/** Reads what Lua's `struct.pack` wrote, one field after the other; numbers are big-endian, without padding. */
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
    this.#offset = end + 1;
    return this.#bytes.toString('latin1', start, end);
  }

  #advance(bytes: number): number {
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
