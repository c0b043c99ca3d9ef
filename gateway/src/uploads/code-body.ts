import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { CodeSplitter } from './code-splitter.ts';
import { declaredLength, gatherBody } from './gathered-body.ts';
import { UploadProblem } from './upload-problem.ts';

/** What the body of `POST /api/code` has at most besides the text, bytes. */
export const OTHER_FIELDS_BYTES = 65_536;
/** Of a body that is read whole: what is set aside before it is known how much comes. */
const FIRST_BYTES = 16_384;

/** A body on its way, read once. */
export interface CodeBody {
  /** The text under `code`, as UTF-8; ends with the body. Fails with an UploadProblem. */
  readonly text: Readable;
  /** All fields; what was text under `code` is `''` there. Asked for once the text has ended. */
  fields(): unknown;
  /** Bytes of the text so far. */
  readonly textBytes: number;
}

/**
 * Reads a JSON object of which only the fields besides `code` are ever held.
 *
 * @param mostBytes of the whole body
 */
export function readCodeBody(request: IncomingMessage, mostBytes: number): CodeBody {
  const splitter = new CodeSplitter(OTHER_FIELDS_BYTES);
  let textBytes = 0;
  async function* text() {
    for await (const piece of gatherBody(request, mostBytes)) {
      const found = splitter.push(piece as Buffer);
      textBytes += found.length;
      if (found.length > 0) yield found;
    }
  }
  return {
    text: Readable.from(text(), { objectMode: false }),
    fields: () => splitter.end(),
    get textBytes() {
      return textBytes;
    },
  };
}

/**
 * Reads a whole body, which must be short.
 *
 * @throws UploadProblem where it has more bytes, or the caller leaves
 */
export async function readShortBody(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  // Made once, however many pieces come.
  let gathered = Buffer.allocUnsafe(Math.min(mostBytes, FIRST_BYTES));
  let length = 0;
  for await (const piece of gatherBody(request, mostBytes)) {
    const bytes = piece as Buffer;
    if (length + bytes.length > gathered.length) {
      const larger = Buffer.allocUnsafe(Math.min(mostBytes, 2 * (length + bytes.length)));
      gathered.copy(larger, 0, 0, length);
      gathered = larger;
    }
    bytes.copy(gathered, length);
    length += bytes.length;
  }
  return gathered.subarray(0, length);
}

/**
 * What the headers alone say is wrong with a body that has to be JSON in UTF-8.
 *
 * @param mostBytes that it may have
 */
export function unreadableBody(request: IncomingMessage, mostBytes: number): UploadProblem | undefined {
  const { headers } = request;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters.map((parameter) => parameter.split('=')).find(([name]) => plain(name) === 'charset');
  const isUtf8 = charset === undefined || ['utf-8', '"utf-8"', 'utf8'].includes(plain(charset[1]));
  const isPlain = ['', 'identity'].includes(plain(headers['content-encoding']));
  if (plain(type) !== 'application/json' || !isUtf8 || !isPlain) {
    const message = 'Send the body as JSON in UTF-8, with the header Content-Type: application/json.';
    return new UploadProblem('unsupported', message);
  }
  const isTooLarge = (declaredLength(request) ?? 0) > mostBytes;
  return isTooLarge ? new UploadProblem('too_large', 'The request body is too large. Send a shorter one.') : undefined;
}

function plain(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase();
}
