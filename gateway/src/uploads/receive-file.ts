import type { IncomingMessage } from 'node:http';
import { checkKey, isCaller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { showValue } from '../envelope/show-value.ts';
import { statedContentType } from './content-type.ts';
import { safeFileName } from './file-name.ts';
import { declaredLength } from './gathered-body.ts';
import { FORM_BYTES, readForm } from './read-form.ts';
import { receiveUpload, tooLarge, type UploadDeps } from './receive-upload.ts';
import { VISIBILITIES, type Visibility } from './upload.ts';
import { UploadProblem } from './upload-problem.ts';

/** What an ordinary form has besides its file, bytes: so a file is not much smaller than its form. */
const ORDINARY_FORM_BYTES = 1_024;

/** `POST /api/upload`: a file of a form, straight from the socket into the storage. */
export async function receiveFile(
  deps: UploadDeps,
  context: RequestContext,
  origin: string,
  request: IncomingMessage,
): Promise<Answer> {
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) return caller;
  const bytes = declaredLength(request);
  const mostBytes = deps.maxFileBytes + FORM_BYTES;
  if (bytes !== undefined && bytes > mostBytes) {
    const headers = rateLimitHeaders(caller.admission);
    const { message } = tooLarge(deps.maxFileBytes);
    return refuse('payload_too_large', { message, headers, report: { keyId: caller.keyId } });
  }
  const size = bytes === undefined ? undefined : bytes - ORDINARY_FORM_BYTES;
  return receiveUpload(deps, context, { caller, origin, size, mostBytes: bytes }, async (write) => {
    const { kept, fields } = await readForm(request, mostBytes, async (file, signal) => {
      const name = safeFileName(file.name);
      await write(file.content, signal);
      return { name, contentType: statedContentType(file.contentType) };
    });
    return { form: 'file', ...kept, visibility: readVisibility(fields.get('visibility')) };
  });
}

/**
 * @param given what the caller wants; public where nothing is said
 * @throws UploadProblem
 */
export function readVisibility(given: unknown): Visibility {
  if (given === undefined || given === null || given === '') return 'public';
  const known = VISIBILITIES.find((visibility) => visibility === given);
  if (known) return known;
  throw new UploadProblem('invalid', `visibility must be public or private; ${showValue(given)} was given.`);
}
