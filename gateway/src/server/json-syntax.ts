const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, PLUS, POINT, ZERO] = [0x2d, 0x2b, 0x2e, 0x30];
const LETTER_U = 0x75;
const FIRST_PRINTABLE = 0x20;
/** A bit that tells a small letter from its capital. */
const CASE = 0x20;
const LETTER_E = 0x65;
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const LITERALS = ['true', 'false', 'null'].map((word) => Buffer.from(word));
/** What no byte is: the end of a part that is not as it has to be. */
const WRONG = -1;

/** How much of it a text may have. */
export interface JsonBounds {
  /** Levels that are open at once. */
  readonly depth: number;
  /** Commas, colons and opening brackets: each stands for a value, a name or a list that parsing makes. */
  readonly marks: number;
}

/** `deep` and `many` where a bound is exceeded: of what follows nothing is known then. */
export type JsonVerdict = 'json' | 'not json' | 'deep' | 'many';

const NO_BOUNDS: JsonBounds = { depth: Number.POSITIVE_INFINITY, marks: Number.POSITIVE_INFINITY };

/**
 * Whether bytes are a JSON text, exactly as `JSON.parse` judges what they say as UTF-8, and one that parsing does not take
 * long for.
 *
 * To be asked before that of what strangers send: V8 keeps a text that it could not parse, because it makes a script of it
 * to show where the error is, until it next collects everything. A flood of such texts filled memory.
 *
 * Goes through them once, and keeps one bit for each level that is open, so that no nesting is too deep.
 */
export function judgeJson(bytes: Uint8Array, bounds: JsonBounds = NO_BOUNDS): JsonVerdict {
  const levels = createLevels(bytes.length);
  let marks = 0;
  let at = behindSpace(bytes, 0);
  for (;;) {
    const first = bytes[at];
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      const isObject = first === OPEN_OBJECT;
      at = behindSpace(bytes, at + 1);
      levels.open(isObject);
      marks++;
      if (levels.depth > bounds.depth) return 'deep';
      const isEmpty = bytes[at] === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY);
      if (!isEmpty && isObject) {
        at = behindKey(bytes, at);
        marks++;
      }
      if (at === WRONG) return 'not json';
      if (!isEmpty) continue;
      levels.close();
      at++;
    } else {
      at = behindScalar(bytes, at);
      if (at === WRONG) return 'not json';
    }
    at = behindSpace(bytes, at);
    while (levels.depth > 0 && bytes[at] === (levels.isObject() ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      levels.close();
      at = behindSpace(bytes, at + 1);
    }
    if (levels.depth === 0) return at === bytes.length ? 'json' : 'not json';
    if (bytes[at] !== COMMA) return 'not json';
    at = behindSpace(bytes, at + 1);
    // Its comma, and the colon of a name.
    marks += levels.isObject() ? 2 : 1;
    if (marks > bounds.marks) return 'many';
    if (levels.isObject()) at = behindKey(bytes, at);
    if (at === WRONG) return 'not json';
  }
}

/** Which of the levels that are open are objects; the others are arrays. */
function createLevels(most: number) {
  const bits = new Uint8Array((most >> 3) + 1);
  return {
    depth: 0,
    open(isObject: boolean): void {
      const mask = 1 << (this.depth & 7);
      const index = this.depth >> 3;
      bits[index] = isObject ? (bits[index] ?? 0) | mask : (bits[index] ?? 0) & ~mask;
      this.depth++;
    },
    close(): void {
      this.depth--;
    },
    isObject(): boolean {
      const top = this.depth - 1;
      return ((bits[top >> 3] ?? 0) & (1 << (top & 7))) !== 0;
    },
  };
}

function behindSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** Behind a name and its colon, where its value begins. */
function behindKey(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return WRONG;
  const name = behindString(bytes, from);
  if (name === WRONG) return WRONG;
  const at = behindSpace(bytes, name);
  return bytes[at] === COLON ? behindSpace(bytes, at + 1) : WRONG;
}

function behindScalar(bytes: Uint8Array, from: number): number {
  const first = bytes[from] ?? 0;
  if (first === QUOTE) return behindString(bytes, from);
  if (first === MINUS || isDigit(first)) return behindNumber(bytes, from);
  const literal = LITERALS.find((word) => word.every((byte, index) => bytes[from + index] === byte));
  return literal === undefined ? WRONG : from + literal.length;
}

function behindString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    at++;
    if (byte > BACKSLASH || (byte >= FIRST_PRINTABLE && byte !== QUOTE && byte !== BACKSLASH)) continue;
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) return WRONG;
    const escaped = bytes[at] ?? 0;
    at++;
    if (escaped === LETTER_U) {
      for (const digit of [at, at + 1, at + 2, at + 3]) if (!isHexDigit(bytes[digit] ?? 0)) return WRONG;
      at += 4;
    } else if (!ESCAPED.has(escaped)) return WRONG;
  }
  return WRONG;
}

function behindNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  at = bytes[at] === ZERO ? at + 1 : behindDigits(bytes, at);
  if (at !== WRONG && bytes[at] === POINT) at = behindDigits(bytes, at + 1);
  if (at === WRONG || ((bytes[at] ?? 0) | CASE) !== LETTER_E) return at;
  const sign = bytes[at + 1];
  return behindDigits(bytes, sign === MINUS || sign === PLUS ? at + 2 : at + 1);
}

/** At least one. */
function behindDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at] ?? 0)) at++;
  return at === from ? WRONG : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const letter = byte | CASE;
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66);
}
