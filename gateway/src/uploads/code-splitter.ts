import { UploadProblem } from './upload-problem.ts';

const [QUOTE, BACKSLASH, COMMA, COLON, LETTER_U] = [0x22, 0x5c, 0x2c, 0x3a, 0x75];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const FIRST_VISIBLE = 0x20;
const HEX_DIGITS = 4;
/** Bytes of UTF-8. */
const LONGEST_CHARACTER = 4;
/** What is set aside for the rest before it is known how much comes. */
const FIRST_BYTES = 1_024;
/** What may stand behind a backslash, and what it means then. */
const ESCAPES = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);

/**
 * Splits the JSON object of `POST /api/code`, as it arrives, into the text under `code` and everything else, so that a
 * long text is never held. Everything else is gathered, with an empty string in the text's place, and read as JSON at
 * the end: that alone decides whether it is valid.
 */
export class CodeSplitter {
  readonly #mostOther: number;
  #other = Buffer.allocUnsafe(FIRST_BYTES);
  #otherLength = 0;
  #depth = 0;
  /** Where in `#other` the string began that is being read; -1 outside of strings. */
  #stringAt = -1;
  #isEscaped = false;
  #isKeyNext = false;
  #lastKey = '';
  #hasCode = false;
  /** What is next: something else than the text, the text, or, in the text, a mark behind a backslash or a digit. */
  #state: 'other' | 'text' | 'mark' | 'digit' = 'other';
  /** The digits of an escape that have come, and what they are so far. */
  #digits = 0;
  #unit = 0;
  /** The first half of a pair of surrogates, whose other half has to be next; 0 for none. */
  #half = 0;
  /** Finds invalid UTF-8 in the text, whatever pieces a character comes in. */
  readonly #validator = new TextDecoder('utf-8', { fatal: true });

  /** @param mostOther bytes that the body may have besides the text */
  constructor(mostOther: number) {
    this.#mostOther = mostOther;
  }

  /**
   * Takes the next piece of the body, UTF-8.
   *
   * @returns what it holds of the text under `code`, as UTF-8
   * @throws UploadProblem
   */
  push(piece: Buffer): Buffer {
    // No escape is shorter than what it means, but one may have begun in the piece before.
    const text = Buffer.allocUnsafe(piece.length + LONGEST_CHARACTER);
    let length = 0;
    for (let at = 0; at < piece.length; ) {
      if (this.#state === 'text') {
        const end = endOfRun(piece, at);
        if (end > at) this.#refuseHalf();
        length += piece.copy(text, length, at, end);
        at = end;
        if (at < piece.length) this.#endRun(piece[at++] ?? 0);
      } else {
        const byte = piece[at++] ?? 0;
        if (this.#state === 'other') this.#readOther(byte);
        else length = this.#readEscape(byte, text, length);
      }
    }
    const found = text.subarray(0, length);
    try {
      this.#validator.decode(found, { stream: true });
    } catch {
      throw notUtf8();
    }
    return found;
  }

  /**
   * Ends the body.
   *
   * @returns the JSON, with an empty string under `code` where that was text
   * @throws UploadProblem where it is none
   */
  end(): unknown {
    // Where nothing was sent at all, nothing was given.
    if (this.#otherLength === 0) return {};
    const json = this.#parse(0);
    try {
      // Its end: a character that has not come whole is none.
      this.#validator.decode();
    } catch {
      throw notUtf8();
    }
    return json;
  }

  /** @throws UploadProblem */
  #parse(from: number): unknown {
    try {
      return JSON.parse(this.#other.toString('utf8', from, this.#otherLength));
    } catch {
      throw notJson();
    }
  }

  #gather(byte: number): void {
    if (this.#otherLength === this.#mostOther) {
      throw new UploadProblem('too_large', 'The request body is too large. Send a shorter one.');
    }
    if (this.#otherLength === this.#other.length) {
      this.#other = Buffer.concat([this.#other], 2 * this.#other.length);
    }
    this.#other[this.#otherLength++] = byte;
  }

  #readOther(byte: number): void {
    this.#gather(byte);
    if (this.#stringAt >= 0) return this.#readString(byte);
    if (byte === QUOTE) {
      if (this.#depth === 1 && !this.#isKeyNext && this.#lastKey === 'code') this.#openText();
      else this.#stringAt = this.#otherLength - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      this.#depth++;
      this.#isKeyNext = this.#depth === 1 && byte === OPEN_OBJECT;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      this.#depth--;
    } else if (this.#depth === 1 && (byte === COMMA || byte === COLON)) {
      this.#isKeyNext = byte === COMMA;
    }
  }

  #readString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      if (this.#depth === 1 && this.#isKeyNext) this.#lastKey = String(this.#parse(this.#stringAt));
      this.#stringAt = -1;
    }
  }

  #openText(): void {
    if (this.#hasCode) throw new UploadProblem('invalid', 'code was given 2 times; give it once.');
    this.#hasCode = true;
    this.#state = 'text';
  }

  /** Reads what no character of a text stands for itself as. */
  #endRun(byte: number): void {
    if (byte === BACKSLASH) {
      this.#state = 'mark';
      return;
    }
    if (byte !== QUOTE) throw notJson();
    this.#refuseHalf();
    this.#gather(QUOTE);
    this.#state = 'other';
  }

  /** Reads on in an escape; writes what it means when it is whole, and gives the length with it. */
  #readEscape(byte: number, text: Buffer, length: number): number {
    if (this.#state === 'mark' && byte === LETTER_U) {
      [this.#state, this.#digits, this.#unit] = ['digit', 0, 0];
      return length;
    }
    if (this.#state === 'mark') {
      this.#refuseHalf();
      const meaning = ESCAPES.get(byte);
      if (meaning === undefined) throw notJson();
      this.#state = 'text';
      return text.writeUInt8(meaning, length);
    }
    this.#unit = this.#unit * 16 + digitOf(byte);
    this.#digits++;
    if (this.#digits < HEX_DIGITS) return length;
    this.#state = 'text';
    return length + this.#writeUnit(text, length);
  }

  /** Writes the character whose last unit of UTF-16 is there; gives its bytes. */
  #writeUnit(text: Buffer, length: number): number {
    const [unit, half] = [this.#unit, this.#half];
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (half !== 0)) throw loneSurrogate();
    if (unit >= 0xd800 && unit <= 0xdbff) {
      this.#half = unit;
      return 0;
    }
    this.#half = 0;
    return text.write(half === 0 ? String.fromCharCode(unit) : String.fromCharCode(half, unit), length);
  }

  #refuseHalf(): void {
    if (this.#half !== 0) throw loneSurrogate();
  }
}

/** Where the bytes end that stand for themselves in a JSON string. */
function endOfRun(piece: Buffer, from: number): number {
  let at = from;
  for (; at < piece.length; at++) {
    const byte = piece[at] ?? 0;
    if (byte < FIRST_VISIBLE || byte === QUOTE || byte === BACKSLASH) break;
  }
  return at;
}

function digitOf(byte: number): number {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  if (Number.isNaN(digit)) throw notJson();
  return digit;
}

function notJson(): UploadProblem {
  return new UploadProblem('invalid', 'The body is not valid JSON. Send an object with code.');
}

function loneSurrogate(): UploadProblem {
  return new UploadProblem('invalid', 'code must be text in valid Unicode; a lone surrogate was given.');
}

function notUtf8(): UploadProblem {
  return new UploadProblem('invalid', 'code must be text in valid Unicode; bytes that are no UTF-8 were given.');
}
