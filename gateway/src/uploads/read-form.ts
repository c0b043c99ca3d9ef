import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { gatherBody } from './gathered-body.ts';
import { UploadProblem } from './upload-problem.ts';

/** A form holds the file and one field more; its headers and that field are short. */
const LIMITS = { files: 1, fields: 1, parts: 2, fieldSize: 64, headerPairs: 16, headerSize: 8_192 };
/** Of the Content-Type with its boundary, which has at most 70 characters. */
const MOST_TYPE_CHARS = 256;
/** What a form has at most besides its file, bytes: boundaries, headers, the other field, and text that no part holds. */
export const FORM_BYTES = 65_536;

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
 * @param mostBytes of the whole form
 * @param keep consumes the file as it arrives; it must stop when the signal aborts
 * @returns what `keep` gave, and the fields
 * @throws UploadProblem once `keep` has stopped; whatever `keep` throws
 */
export async function readForm<Kept>(
  request: IncomingMessage,
  mostBytes: number,
  keep: (file: FormFile, signal: AbortSignal) => Promise<Kept>,
): Promise<{ kept: Kept; fields: ReadonlyMap<string, string> }> {
  const fields = new Map<string, string>();
  const stopped = new AbortController();
  let keeping: Promise<Kept> | undefined;
  const parser = openParser(request);
  // Gathered first: the parser hands on what it gets piece by piece.
  const body = gatherBody(request, mostBytes);
  try {
    await parse(body, parser, {
      onField: (name, value) => fields.set(name, value),
      onFile: (file, fail) => {
        keeping = keep(file, stopped.signal);
        // A failure of the storage must end the reading of the form, which would wait for a reader of the file.
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
    body.destroy();
  }
}

interface FormHandlers {
  onField(name: string, value: string): void;
  onFile(file: FormFile, fail: (error: unknown) => void): void;
}

/** Resolves when the whole form has been read. */
function parse(body: Readable, parser: BusboyInstance, { onField, onFile }: FormHandlers): Promise<void> {
  const invalid = (what: string) => new UploadProblem('invalid', `${what} ${SHAPE}`);
  return new Promise((resolve, reject) => {
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
    body.on('error', reject);
    body.pipe(parser);
  });
}

/** @throws UploadProblem for a body that is no form */
function openParser(request: IncomingMessage): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType.slice(0, MOST_TYPE_CHARS))) {
    throw new UploadProblem('unsupported', SHAPE);
  }
  if (contentType.length > MOST_TYPE_CHARS) {
    throw new UploadProblem('invalid', `The Content-Type has more than ${MOST_TYPE_CHARS} characters. ${SHAPE}`);
  }
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
