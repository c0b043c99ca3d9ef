import type { IncomingMessage } from 'node:http';
import type { Answer } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { showValue } from '../http/show-value.ts';
import { checkKey, isCaller } from './check-key.ts';
import { statedContentType } from './content-type.ts';
import { safeFileName } from './file-name.ts';
import { readForm, UploadProblem } from './read-form.ts';
import { receiveUpload, type UploadDeps } from './receive-upload.ts';
import { VISIBILITIES, type Visibility } from './upload.ts';

/** `POST /api/upload`: a file of a form, straight from the socket into the storage. */
export async function receiveFile(
  deps: UploadDeps,
  context: RequestContext,
  origin: string,
  request: IncomingMessage,
): Promise<Answer> {
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) return caller;
  return receiveUpload(deps, context, caller, origin, async (write) => {
    const { kept, fields } = await readForm(request, async (file, signal) => {
      await write(file.content, signal);
      return { name: safeFileName(file.name), contentType: statedContentType(file.contentType) };
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
