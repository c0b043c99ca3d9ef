/** JSON that `JSON.stringify` writes as it stands. */
export interface RawJson {
  readonly rawJSON: string;
}

/** @throws SyntaxError where it is no JSON of a text, number, flag or null */
export const { rawJSON: rawJson, isRawJSON: isRawJson } = JSON as unknown as {
  rawJSON(json: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/**
 * What stands for bytes until they are put in their place. `JSON.stringify` escapes no slash, so that behind a quote these
 * characters are in nothing else that it has written.
 */
const PLACE = '"\\/"';
const placeOfBytes = rawJson(PLACE);

/** What is being written in pieces, with the bytes that it has met. */
let met: Buffer[] | undefined;

/** A JSON value as the UTF-8 that it came as. */
export class JsonBytes {
  #bytes: Buffer | undefined;
  readonly #isShared: boolean;

  /** @param isShared whether it stands in several values, each of which is written: its bytes are never handed on for good */
  constructor(bytes: Buffer, isShared = false) {
    this.#bytes = bytes;
    this.#isShared = isShared;
  }

  /** @throws Error where it was handed on */
  get bytes(): Buffer {
    if (this.#bytes === undefined) throw new Error('These bytes were handed on.');
    return this.#bytes;
  }

  /** For `JSON.stringify`, which takes text alone; within `writeJson` the bytes are handed on. */
  toJSON(): RawJson {
    if (met === undefined) return rawJson(this.bytes.toString());
    met.push(this.bytes);
    if (!this.#isShared) this.#bytes = undefined;
    return placeOfBytes;
  }
}

/**
 * Writes a value as JSON without decoding what is `JsonBytes` in it, once: its bytes are handed on. What is left of a request
 * may be held for long by other garbage, and would hold them, which makes V8 collect everything.
 *
 * @returns the JSON, or pieces of it where there are such bytes
 * @throws what `JSON.stringify` throws, and where bytes were handed on before
 */
export function writeJson(value: unknown): string | readonly (string | Buffer)[] {
  const bytes: Buffer[] = [];
  met = bytes;
  try {
    const json = JSON.stringify(value);
    if (bytes.length === 0) return json;
    const texts = json.split(PLACE);
    return bytes.reduce(
      (pieces: (string | Buffer)[], one, index) => {
        pieces.push(one, texts[index + 1] ?? '');
        return pieces;
      },
      texts.slice(0, 1),
    );
  } finally {
    met = undefined;
  }
}
