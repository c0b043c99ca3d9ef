const HEAD_END = Buffer.from('\r\n\r\n');
const NEW_LINE = 10;
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
/** Between a chunk and the size of the next one. */
const LINE_END_BYTES = 2;

type Framing = 'length' | 'chunked' | 'until closed';

/**
 * Reads HTTP answers that come one at a time, by their length or their chunks; one with neither ends with its
 * connection. The benchmark's load generator uses it too: without `keep` it looks at no byte of a body that has a length.
 */
export class AnswerReader {
  /** 0 until the head is complete. Answers that only announce another one (1xx) are skipped. */
  status = 0;
  /** Status line and headers, once they are complete. */
  head = '';
  readonly #keep: ((part: Buffer) => void) | undefined;
  #begun: Buffer | undefined;
  #framing: Framing = 'length';
  /** Of the body, or of the chunk with its line end. */
  #missingBytes = 0;
  #line = '';
  #wasLastChunk = false;

  /** @param keep called with each piece of the body's content */
  constructor(keep?: (part: Buffer) => void) {
    this.#keep = keep;
  }

  /** Takes what has come; what follows the end of the answer is dropped. @returns whether the answer is complete */
  take(piece: Buffer): boolean {
    if (this.status !== 0) return this.#takeBody(piece);
    const bytes = this.#begun ? Buffer.concat([this.#begun, piece]) : piece;
    const end = bytes.indexOf(HEAD_END);
    this.#begun = end < 0 ? bytes : undefined;
    if (end < 0) return false;
    const rest = bytes.subarray(end + HEAD_END.length);
    const head = bytes.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    if (status < 200) return this.take(rest);
    this.status = status;
    this.head = head;
    const length = LENGTH.exec(head)?.[1];
    if (length !== undefined) this.#framing = 'length';
    else this.#framing = CHUNKED.test(head) ? 'chunked' : 'until closed';
    this.#missingBytes = Number(length ?? 0);
    return this.#takeBody(rest);
  }

  /** Makes it ready for the next answer. */
  reset(): void {
    this.status = 0;
    this.#begun = undefined;
    this.#line = '';
    this.#wasLastChunk = false;
  }

  #takeBody(piece: Buffer): boolean {
    if (this.#framing === 'chunked') return this.#takeChunks(piece);
    if (this.#framing === 'until closed') {
      this.#keep?.(piece);
      return false;
    }
    this.#keep?.(piece.subarray(0, this.#missingBytes));
    this.#missingBytes -= piece.length;
    return this.#missingBytes <= 0;
  }

  #takeChunks(piece: Buffer): boolean {
    let at = 0;
    while (at < piece.length) {
      if (this.#missingBytes > 0) {
        this.#keep?.(piece.subarray(at, at + Math.max(0, this.#missingBytes - LINE_END_BYTES)));
        const taken = Math.min(this.#missingBytes, piece.length - at);
        this.#missingBytes -= taken;
        at += taken;
        continue;
      }
      const end = piece.indexOf(NEW_LINE, at);
      this.#line += piece.toString('latin1', at, end < 0 ? piece.length : end);
      if (end < 0) return false;
      at = end + 1;
      const line = this.#line.trimEnd();
      this.#line = '';
      if (this.#wasLastChunk && line === '') return true;
      if (this.#wasLastChunk) continue;
      const size = Number.parseInt(line, 16);
      this.#wasLastChunk = size === 0;
      this.#missingBytes = size === 0 ? 0 : size + LINE_END_BYTES;
    }
    return false;
  }
}
