/** Of the line that begins a chunk, with extensions, and of all trailers, bytes. */
const MOST_LINE_BYTES = 1_024;
const MOST_TRAILER_BYTES = 8_192;
const MOST_SIZE_DIGITS = 8;
/** So many chunks may be as small as the sender likes. */
const FREE_CHUNKS = 1_024;
const LEAST_MEAN_BYTES = 32;

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const SPACE = 0x20;
const TAB = 0x09;

type State =
  | 'size'
  | 'extension'
  | 'size end'
  | 'data'
  | 'data end'
  | 'data end 2'
  | 'trailer'
  | 'trailer end'
  | 'done';

/**
 * Takes the framing off a body in chunks (RFC 9112, 7.1), piece by piece as they come from the socket. Node's parser makes
 * an object of each chunk and calls back with it, which is two milliseconds of this process for a kilobyte that comes in
 * single bytes; this takes some microseconds, and gives one piece for each that it gets.
 */
export class ChunkDecoder {
  #state: State = 'size';
  #left = 0;
  #digits = 0;
  #lineBytes = 0;
  #chunks = 0;
  #bytes = 0;

  /** Whether the last chunk and the trailers behind it have come. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Whether there are very many chunks that hold next to nothing. What comes then is not looked at. */
  get isAbsurd(): boolean {
    return this.#chunks > FREE_CHUNKS && this.#bytes < this.#chunks * LEAST_MEAN_BYTES;
  }

  /**
   * Takes what has come, and moves the content in it to its beginning.
   *
   * @returns the content, which may be part of the same memory, and empty; `undefined` where this is not how chunks are framed
   */
  decode(raw: Buffer): Buffer | undefined {
    let end = 0;
    let at = 0;
    while (at < raw.length && this.#state !== 'done' && !this.isAbsurd) {
      if (this.#state === 'data') {
        const length = Math.min(this.#left, raw.length - at);
        if (end !== at) raw.copyWithin(end, at, at + length);
        end += length;
        at += length;
        this.#bytes += length;
        this.#left -= length;
        if (this.#left === 0) this.#state = 'data end';
      } else if (!this.#frame(raw[at++] as number)) return undefined;
    }
    // A little of much is copied, so that the rest is free.
    return end < raw.length / 2 ? Buffer.from(raw.subarray(0, end)) : raw.subarray(0, end);
  }

  /** Takes one byte of framing. @returns false where it does not belong there */
  #frame(byte: number): boolean {
    switch (this.#state) {
      case 'size':
        return this.#size(byte);
      case 'extension':
        if (byte === CR) this.#state = 'size end';
        return byte !== LF && ++this.#lineBytes <= MOST_LINE_BYTES;
      case 'size end':
        return byte === LF && this.#beginChunk();
      case 'data end':
        this.#state = 'data end 2';
        return byte === CR;
      case 'data end 2':
        this.#state = 'size';
        this.#left = this.#digits = this.#lineBytes = 0;
        return byte === LF;
      default:
        return this.#trailer(byte);
    }
  }

  #size(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      return ++this.#digits <= MOST_SIZE_DIGITS;
    }
    if (byte === CR) this.#state = 'size end';
    else if (byte === SEMICOLON || byte === SPACE || byte === TAB) this.#state = 'extension';
    else return false;
    return this.#digits > 0;
  }

  #beginChunk(): boolean {
    this.#chunks++;
    this.#state = this.#left > 0 ? 'data' : 'trailer';
    this.#lineBytes = this.#digits = 0;
    return true;
  }

  /** Trailers are not used: they are skipped, up to the empty line. `#digits` counts the bytes of the line. */
  #trailer(byte: number): boolean {
    if (this.#state === 'trailer end') {
      this.#state = this.#digits === 0 ? 'done' : 'trailer';
      this.#digits = 0;
      return byte === LF;
    }
    if (byte === CR) this.#state = 'trailer end';
    else this.#digits++;
    return byte !== LF && ++this.#lineBytes <= MOST_TRAILER_BYTES;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
