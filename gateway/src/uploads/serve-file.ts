import type { Readable } from 'node:stream';
import { unavailable } from '../generation/generate.ts';
import { type Answer, refuse } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { checkKey, isCaller, namesKey } from './check-key.ts';
import { servedContentType } from './content-type.ts';
import { attachment } from './file-name.ts';
import type { UploadDeps } from './receive-upload.ts';
import { UPLOAD_ID_PATTERN, type UploadRecord } from './upload.ts';
import { findUpload, removeUpload } from './upload-ledger.ts';

/** A content on its way to the caller. */
export interface FileAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Readable;
}

/**
 * `GET /files/:id`: a public upload to everyone, a private one to its owner. For everybody else a private upload does
 * not exist, so that ids cannot be probed.
 */
export async function serveFile(deps: UploadDeps, context: RequestContext, id: string): Promise<FileAnswer | Answer> {
  return guarded(deps.onRedisFailure, async () => {
    const record = await find(deps, id);
    if (record?.visibility !== 'public') {
      const refusal = await refuseStranger(deps, context, record);
      if (refusal) return refusal;
    }
    return record ? guarded(deps.onStorageFailure, () => open(deps, id, record)) : notFound();
  });
}

/** `DELETE /files/:id`: its owner ends an upload; the next request finds nothing. */
export async function deleteFile(deps: UploadDeps, context: RequestContext, id: string): Promise<Answer> {
  return guarded(deps.onRedisFailure, async () => {
    const caller = await checkKey(deps, context, 'judge');
    if (!isCaller(caller)) return caller;
    if (!UPLOAD_ID_PATTERN.test(id) || !(await removeUpload(deps.redis, id, caller.keyId))) {
      return refuse('not_found', { message: 'There is no such file, or it belongs to another key.' });
    }
    // It is hidden already.
    await deps.sweeper.discard(id);
    return {
      status: 200,
      headers: {},
      body: { status: true, code: 200, message: 'Sukses', result: { id, deleted: true } },
      report: { outcome: 'success', keyId: caller.keyId },
    };
  });
}

async function open(deps: UploadDeps, id: string, record: UploadRecord): Promise<FileAnswer | Answer> {
  const content = await deps.storage.read(id);
  if (content) return { headers: fileHeaders(record), content };
  deps.logger.error({ upload: id }, 'the content of an upload is missing in the storage');
  return notFound();
}

async function find(deps: UploadDeps, id: string): Promise<UploadRecord | undefined> {
  return UPLOAD_ID_PATTERN.test(id) ? findUpload(deps.redis, id) : undefined;
}

/** Judges the key before telling anything, so that a private upload and none at all look the same. */
async function refuseStranger(
  deps: UploadDeps,
  context: RequestContext,
  record: UploadRecord | undefined,
): Promise<Answer | undefined> {
  if (!namesKey(context)) return notFound();
  const caller = await checkKey(deps, context, 'judge');
  if (!isCaller(caller)) return caller;
  return record?.owner === caller.keyId ? undefined : notFound();
}

function fileHeaders(record: UploadRecord): Record<string, string> {
  return {
    'Content-Type': servedContentType(record.contentType),
    'Content-Length': String(record.size),
    'Content-Disposition': attachment(record.name),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  };
}

function notFound(): Answer {
  return refuse('not_found', { message: 'There is no such file, or it is private and this is not its key.' });
}

/** Redis or the storage that cannot be asked is a 503, as everywhere. */
async function guarded<Result>(
  onFailure: (error: unknown) => void,
  act: () => Promise<Result>,
): Promise<Result | Answer> {
  try {
    return await act();
  } catch (error) {
    onFailure(error);
    return unavailable();
  }
}
