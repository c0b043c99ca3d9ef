import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';

/** A form holds the file and one field more; its headers and that field are short. */
const LIMITS = { files: 1, fields: 1, parts: 2, fieldSize: 64, headerPairs: 16, headerSize: 8_192 };

/** Why an upload cannot be kept. */
export class UploadProblem extends Error {
  readonly kind: 'invalid' | 'missing' | 'too_large' | 'cut_off' | 'unsupported';

  constructor(kind: UploadProblem['kind'], message: string) {
    super(message);
    this.name = 'UploadProblem';
    this.kind = kind;
  }
}

/** The file of a form, as its part describes it; nothing of this is to be trusted. */
export interface FormFile {
  readonly content: Readable;
  readonly name: string;
  readonly contentType: string;
}

const SHAPE =
  'Send multipart/form-data with one part named file that has a filename, and at most one named visibility.';

/**
 * Reads an upload form: one file, and its fields before or behind it.
 *
 * @param keep consumes the file as it arrives; it must stop when the signal aborts
 * @returns what `keep` gave, and the fields
 * @throws UploadProblem once `keep` has stopped; whatever `keep` throws
 */
export async function readForm<Kept>(
  request: IncomingMessage,
  keep: (file: FormFile, signal: AbortSignal) => Promise<Kept>,
): Promise<{ kept: Kept; fields: ReadonlyMap<string, string> }> {
  const fields = new Map<string, string>();
  const stopped = new AbortController();
  let keeping: Promise<Kept> | undefined;
  try {
    await parse(request, {
      onField: (name, value) => fields.set(name, value),
      onFile: (file, fail) => {
        keeping = keep(file, stopped.signal);
        // A failure of the storage must end the reading of the form, which would wait for somebody to take the file.
        keeping.catch(fail);
      },
    });
    if (keeping === undefined) throw new UploadProblem('missing', `file is required. ${SHAPE}`);
    return { kept: await keeping, fields };
  } catch (error) {
    stopped.abort(error);
    await keeping?.catch(() => undefined);
    throw error;
  } finally {
    // What is left of the body is read and dropped, so that the caller gets to read the answer.
    request.unpipe();
    request.resume();
  }
}

interface FormHandlers {
  onField(name: string, value: string): void;
  onFile(file: FormFile, fail: (error: unknown) => void): void;
}

/** Resolves when the whole form has been read. */
function parse(request: IncomingMessage, { onField, onFile }: FormHandlers): Promise<void> {
  const invalid = (what: string) => new UploadProblem('invalid', `${what} ${SHAPE}`);
  const cutOff = () => new UploadProblem('cut_off', 'The upload was cut off.');
  return new Promise((resolve, reject) => {
    const parser = openParser(request);
    let hasVisibility = false;
    parser.on('file', (field, content, filename, _encoding, contentType) => {
      // Its failure is the form's, or comes from us.
      content.on('error', () => undefined);
      if (field !== 'file') return reject(invalid(`There is a file in a part named ${show(field)}.`));
      onFile({ content, name: filename ?? '', contentType }, reject);
    });
    parser.on('field', (field, value) => {
      if (field === 'file') return reject(invalid('The part named file has no filename.'));
      if (field !== 'visibility') return reject(invalid(`There is a part named ${show(field)}.`));
      if (hasVisibility) return reject(invalid('There is more than one part named visibility.'));
      hasVisibility = true;
      onField(field, value);
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
      parser.on(limit, () => reject(invalid('The form has too many parts.')));
    }
    parser.on('error', () => reject(invalid('The form is broken, or ends too early.')));
    parser.on('finish', resolve);
    // The caller may have left while Redis was asked: of a request that is over nothing more is heard.
    if (request.destroyed) return reject(cutOff());
    request.on('error', () => reject(cutOff()));
    request.on('close', () => {
      if (!request.complete) reject(cutOff());
    });
    request.pipe(parser);
  });
}

/** @throws UploadProblem for a body that is no form */
function openParser(request: IncomingMessage) {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) throw new UploadProblem('unsupported', SHAPE);
  try {
    const headers = { ...request.headers, 'content-type': contentType };
    return new Busboy({ headers, limits: LIMITS, preservePath: true });
  } catch {
    throw new UploadProblem('invalid', `The Content-Type names no boundary. ${SHAPE}`);
  }
}

function show(field: unknown): string {
  return JSON.stringify(String(field).toWellFormed().slice(0, 60));
}
