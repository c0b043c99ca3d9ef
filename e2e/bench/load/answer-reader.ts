const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';

/** Finds the end of HTTP answers that come one at a time, by their length or their last chunk. */
export class AnswerReader {
  status = 0;
  #head = '';
  #isChunked = false;
  #missingBytes = 0;
  #tail = '';

  /** Takes what has come. @returns whether the answer is complete */
  take(chunk: Buffer): boolean {
    if (this.status !== 0) return this.#takeBody(chunk);
    const end = chunk.indexOf(HEAD_END);
    this.#head += chunk.toString('latin1', 0, end < 0 ? chunk.length : end);
    if (end < 0) return false;
    this.status = Number(this.#head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1];
    this.#isChunked = length === undefined;
    this.#missingBytes = Number(length ?? 0);
    return this.#takeBody(chunk.subarray(end + HEAD_END.length));
  }

  reset(): void {
    this.status = 0;
    this.#head = '';
    this.#tail = '';
  }

  #takeBody(chunk: Buffer): boolean {
    if (!this.#isChunked) {
      this.#missingBytes -= chunk.length;
      return this.#missingBytes <= 0;
    }
    this.#tail = (this.#tail + chunk.toString('latin1', Math.max(0, chunk.length - LAST_CHUNK.length))).slice(
      -LAST_CHUNK.length,
    );
    return this.#tail === LAST_CHUNK;
  }
}
