import { AnswerTooLargeError } from '../capped-fetch.ts';
import { GrowingBytes } from '../growing-bytes.ts';

/** One event of a stream. */
export type OnEvent = (data: string, event: string) => void;

const LF = 10;
const CR = 13;

/**
 * Reads server-sent events out of bytes that may be cut anywhere, characters included: CRLF, LF or CR at the ends of
 * lines, comments, data in several lines, a last event without the blank line. Invalid UTF-8 becomes U+FFFD.
 *
 * It is called for each token of each answer: whole lines are found in bytes and decoded together.
 */
export class SseReader {
  readonly #mostBytes: number;
  readonly #onEvent: OnEvent;
  /** The beginning of a line whose end has not come. */
  readonly #rest = new GrowingBytes();
  #endedByCr = false;
  #isFirst = true;
  #event = '';
  /** Data of the event that is being read; of how many lines. */
  #data: string | undefined;
  #lines = 0;

  /**
   * @param mostBytes of a line, and of an event
   */
  constructor(mostBytes: number, onEvent: OnEvent) {
    this.#mostBytes = mostBytes;
    this.#onEvent = onEvent;
  }

  /**
   * @throws AnswerTooLargeError where a line or an event is longer than allowed; and what `onEvent` throws
   */
  read(piece: Buffer): void {
    // The second half of a line's end whose first half was taken for all of it.
    const chunk = this.#endedByCr && piece[0] === LF ? piece.subarray(1) : piece;
    if (piece.byteLength > 0) this.#endedByCr = false;
    const end = 1 + lastLineEnd(chunk);
    if (end === 0) {
      this.#keep(chunk);
      return;
    }
    const isWhole = end === chunk.byteLength;
    this.#endedByCr = isWhole && chunk[end - 1] === CR;
    if (this.#rest.length > 0) {
      this.#keep(isWhole ? chunk : chunk.subarray(0, end));
      const lines = this.#rest.take();
      this.#readLines(lines.toString('utf8'));
    } else {
      this.#readLines(chunk.toString('utf8', 0, end));
    }
    if (!isWhole) this.#keep(chunk.subarray(end));
  }

  /**
   * Reads what the end of the stream completes.
   *
   * @throws as `read`
   */
  end(): void {
    if (this.#rest.length > 0) this.#readLine(this.#rest.take().toString('utf8'));
    this.#giveEvent();
  }

  #keep(bytes: Buffer): void {
    this.#rest.add(bytes);
    if (this.#rest.length > this.#mostBytes) throw new AnswerTooLargeError();
  }

  /** @param decoded whole lines, the last one with its end */
  #readLines(decoded: string): void {
    const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#readLine(text.slice(start, end));
      start = end + 1;
    }
  }

  #readLine(raw: string): void {
    let line = raw;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (line.startsWith('\ufeff')) line = line.slice(1);
    }
    if (line === '') {
      this.#giveEvent();
    } else if (line.startsWith('data:')) {
      this.#addData(valueOf(line, 5));
    } else if (line.startsWith('event:')) {
      this.#event = valueOf(line, 6);
    } else if (line.startsWith('error:')) {
      // llama.cpp of 2024 has its errors in a field of their own.
      this.#event = 'error';
      this.#addData(valueOf(line, 6));
    }
    // The rest are comments, ids and fields that mean nothing here.
  }

  #addData(value: string): void {
    if (this.#data === undefined) {
      this.#data = value;
      this.#lines = 1;
      return;
    }
    // Some servers leave out the blank line between two events.
    const mayBeNext = this.#lines < MOST_LINES_LOOKED_AT && (value.startsWith('{') || value.startsWith('['));
    if (mayBeNext && isJson(this.#data)) {
      this.#giveEvent();
      this.#addData(value);
      return;
    }
    this.#lines += 1;
    this.#data += `\n${value}`;
    if (this.#data.length > this.#mostBytes) throw new AnswerTooLargeError();
  }

  #giveEvent(): void {
    const data = this.#data;
    const event = this.#event;
    this.#event = '';
    this.#data = undefined;
    if (data !== undefined) this.#onEvent(data, event);
  }
}

/** Each look reads all of the event's lines. */
const MOST_LINES_LOOKED_AT = 16;

function lastLineEnd(chunk: Buffer): number {
  const last = chunk.lastIndexOf(LF);
  return last >= 0 ? last : chunk.lastIndexOf(CR);
}

/** Behind the colon one space is no part of the value. */
function valueOf(line: string, start: number): string {
  return line.slice(line.charCodeAt(start) === 32 ? start + 1 : start);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
