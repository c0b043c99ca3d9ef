import type { Readable } from 'node:stream';
import type { DownloadOutcome, GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { successBody } from '@lontar/shared/http/envelope.ts';
import { type CheckKeyDeps, checkKey, isCaller } from '../admission/check-key.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { servedContentType } from './content-type.ts';
import { attachment } from './file-name.ts';
import { type Found, findUpload } from './find-upload.ts';
import type { ContentDeps } from './receive-upload.ts';
import { UPLOAD_ID_PATTERN, type UploadRecord } from './upload.ts';
import { removeUpload } from './upload-ledger.ts';

export interface DownloadDeps extends CheckKeyDeps, ContentDeps {
  readonly metrics: Pick<GatewayMetrics, 'downloads'>;
  /** Requests for files that one address may make in an hour. */
  readonly downloadsPerHour: number;
  /** How long an upload is kept, ms; 0 for ever. */
  readonly uploadTtlMs: number;
}

/** A content that may be sent to the caller; everything else that comes of asking for one is an `Answer`. */
export interface ServedFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Readable;
}

/**
 * `GET /files/:id`: a public upload to every client, a private one to its owner. For all others a private upload does
 * not exist, so that ids cannot be probed. Whatever comes of it, it counts in the address's hour of downloads. Never
 * rejects: where Redis or the storage fails, the answer is 503.
 */
export async function serveFile(deps: DownloadDeps, context: RequestContext, id: string): Promise<ServedFile | Answer> {
  const answer = await guarded(deps.onRedisFailure, async () => {
    const { downloadsPerHour: perHour, uploadTtlMs: ttlMs, redis } = deps;
    const isId = UPLOAD_ID_PATTERN.test(id);
    const found = await findUpload(redis, { id: isId ? id : '', address: context.address, perHour, ttlMs });
    if (found.refused === 'blocked') return refuse('address_blocked');
    if (found.refused === 'limited') return limitedAnswer(found);
    const { record } = found;
    if (record?.visibility !== 'public') {
      const refusal = await refuseUnlessOwner(deps, context, record);
      if (refusal) return refusal;
    }
    return record ? guarded(deps.onStorageFailure, () => open(deps, id, record)) : notFound();
  });
  deps.metrics.downloads.inc({ outcome: outcomeOf(answer) });
  return answer;
}

type DeleteDeps = CheckKeyDeps & Pick<ContentDeps, 'sweeper'>;

/**
 * `DELETE /files/:id`: its owner ends an upload; the next request finds nothing. Never rejects: where Redis fails, the
 * answer is 503.
 */
export async function deleteFile(deps: DeleteDeps, context: RequestContext, id: string): Promise<Answer> {
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
      body: successBody(200, { id, deleted: true }),
      report: { outcome: 'success', keyId: caller.keyId },
    };
  });
}

async function open(deps: ContentDeps, id: string, record: UploadRecord): Promise<ServedFile | Answer> {
  const content = await deps.storage.read(id);
  if (content) return { headers: fileHeaders(record), content };
  // A caller who knows its id can ask again and again.
  deps.onStorageFailure(new Error(`the content of upload ${id} is missing`));
  return notFound();
}

/** Judges the key before anything else shows, so that a private upload and none at all look the same. */
async function refuseUnlessOwner(
  deps: CheckKeyDeps,
  context: RequestContext,
  record: UploadRecord | undefined,
): Promise<Answer | undefined> {
  if (context.key.kind === 'absent') return notFound();
  const caller = await checkKey(deps, context, 'judge');
  // The files of a key that is revoked or has expired are gone, for its own caller as well.
  if (!isCaller(caller)) return caller.report.error === 'key_not_active' ? notFound() : caller;
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

function limitedAnswer({ hour, now }: Found): Answer {
  const { used, limit, resetAt } = hour;
  const wait = String(Math.max(1, resetAt - Math.floor(now / 1000)));
  return refuse('too_many_requests', {
    message: `Your address has asked for ${limit} files within an hour, which is the limit. Wait for the time in the Retry-After header, in seconds.`,
    headers: {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(resetAt),
      'RateLimit-Policy': `"downloads-hour";q=${limit};w=3600`,
      RateLimit: `"downloads-hour";r=0;t=${wait}`,
      'Retry-After': wait,
    },
    record: { used, remaining: 0, limit },
  });
}

function outcomeOf(answer: ServedFile | Answer): DownloadOutcome {
  if ('content' in answer) return 'served';
  if (answer.status === 404) return 'missing';
  if (answer.status === 429) return 'limited';
  return answer.status >= 500 ? 'failed' : 'refused';
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
