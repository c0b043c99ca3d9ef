import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const LINE_BREAK = 10;

/** What is too large to be a backup of ours. */
export class TooLarge extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'TooLarge';
  }
}

export interface LineBounds {
  /** Bytes of a line. */
  line: number;
  /** Bytes of all lines. */
  readonly unpacked: number;
}

/**
 * The lines of a gzip'ed text, without their line breaks. Never holds more than a line and a chunk.
 *
 * @param bounds may be changed between lines
 * @throws TooLarge; zlib's error for what is not gzip'ed, or is cut off
 */
export async function* unpackLines(packed: Readable, bounds: LineBounds): AsyncGenerator<string> {
  const unpacked = pipeline(packed, createGunzip(), () => undefined);
  let parts: Buffer[] = [];
  let bytes = 0;
  let total = 0;
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes > bounds.line) throw new TooLarge('it has a line that is too long');
    parts.push(part);
  };
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > bounds.unpacked) throw new TooLarge('it is too large when unpacked');
    let start = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      keep(chunk.subarray(start, end));
      const line = Buffer.concat(parts, bytes).toString('utf8');
      parts = [];
      bytes = 0;
      yield line;
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (bytes > 0) yield Buffer.concat(parts, bytes).toString('utf8');
}
