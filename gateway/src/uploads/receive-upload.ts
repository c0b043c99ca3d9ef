import { pipeline, type Readable, Transform } from 'node:stream';
import type { Logger } from '@lontar/shared/logger.ts';
import type { GatewayMetrics, UploadOutcome } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { LimitState } from '../admission/admit.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { limited } from '../admission/refusal.ts';
import { unavailable } from '../generation/generate.ts';
import { type Answer, refuse } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Caller, CheckKeyDeps } from './check-key.ts';
import { UploadProblem } from './read-form.ts';
import type { UploadStorage } from './storage/upload-storage.ts';
import type { UploadSweeper } from './sweep-uploads.ts';
import { kindOf, newUploadId, type UploadRecord } from './upload.ts';
import { keepUpload, type Reservation, reserveUpload } from './upload-ledger.ts';

export interface UploadDeps extends CheckKeyDeps {
  readonly clock: RedisClock;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly storage: UploadStorage;
  /** Told about each failure of the storage, which is none of Redis's; must not flood the log. */
  readonly onStorageFailure: (error: unknown) => void;
  readonly sweeper: UploadSweeper;
  readonly uploadsPerDay: number;
  readonly maxFileBytes: number;
}

/** What an upload is, once its content is in the storage. */
export type Described = Omit<UploadRecord, 'owner' | 'createdAt' | 'size'>;

/**
 * Stores a content and says what it is.
 *
 * @param write puts the content into the storage; throws UploadProblem where it is too large
 */
export type StoreContent = (write: (content: Readable, signal: AbortSignal) => Promise<void>) => Promise<Described>;

/**
 * Receives one upload: takes it from the day's count first, stores the content, then makes it visible. However it
 * fails, nothing of it is kept and the count is given back.
 */
export async function receiveUpload(
  deps: UploadDeps,
  context: RequestContext,
  caller: Caller,
  origin: string,
  store: StoreContent,
): Promise<Answer> {
  const id = newUploadId();
  const reservation = await reserve(deps, context, id);
  if (reservation === undefined) return unavailable(rateLimitHeaders(caller.admission), { keyId: caller.keyId });
  const day = { used: reservation.used, limit: deps.uploadsPerDay, resetAt: reservation.resetAt };
  if (!reservation.allowed) {
    measure(deps, 'file', 'limited', 0);
    return limited(caller.admission, { keyId: caller.keyId }, day);
  }

  const meter = { bytes: 0 };
  let described: Described | undefined;
  deps.sweeper.hold(id);
  try {
    described = await store((content, signal) =>
      deps.storage.write(id, metered(content, meter, deps.maxFileBytes), signal),
    );
    const record = { ...described, owner: caller.keyId, size: meter.bytes, createdAt: deps.clock.now() };
    await keep(deps, id, record);
    measure(deps, kindOf(record), 'kept', meter.bytes);
    return kept(id, record, origin, caller, day);
  } catch (error) {
    await deps.sweeper.discard(id);
    measure(deps, described ? kindOf(described) : 'file', outcomeOf(error), meter.bytes);
    if (!described && !(error instanceof UploadProblem)) deps.onStorageFailure(error);
    return failed(error, caller, { ...day, used: day.used - 1 });
  } finally {
    deps.sweeper.letGo(id);
  }
}

async function reserve(deps: UploadDeps, context: RequestContext, id: string): Promise<Reservation | undefined> {
  try {
    const { address } = context;
    return await reserveUpload(deps.redis, { id, address, perDay: deps.uploadsPerDay, now: deps.clock.now() });
  } catch (error) {
    deps.onRedisFailure(error);
    // The reservation may exist all the same; if this fails too, its lease ends.
    void deps.sweeper.discard(id);
    return undefined;
  }
}

/** @throws where the upload is not kept; the log has been told then */
async function keep(deps: UploadDeps, id: string, record: UploadRecord): Promise<void> {
  const isKept = await keepUpload(deps.redis, id, record).catch((error: unknown) => {
    deps.onRedisFailure(error);
    throw error;
  });
  if (isKept) return;
  const message = 'the lease of an upload ended before it was kept';
  deps.logger.error({ upload: id }, message);
  throw new Error(message);
}

/** Counts a content as it passes, and stops it at the limit. */
function metered(content: Readable, meter: { bytes: number }, maxBytes: number): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      meter.bytes += chunk.length;
      if (meter.bytes <= maxBytes) return pass(null, chunk);
      pass(
        new UploadProblem(
          'too_large',
          `The file is larger than ${maxBytes} bytes, which is the limit. Send a smaller one.`,
        ),
      );
    },
  });
  // A failure on either side ends both; the storage sees it on the counter.
  return pipeline(content, counter, () => undefined);
}

function kept(id: string, record: UploadRecord, origin: string, { keyId, admission }: Caller, day: LimitState): Answer {
  return {
    status: 201,
    headers: rateLimitHeaders(admission, day),
    body: { status: true, code: 201, message: 'Sukses', result: viewUpload(id, record, origin) },
    report: { outcome: 'success', keyId },
  };
}

/** An upload as callers see it. */
export function viewUpload(id: string, record: UploadRecord, origin: string) {
  return {
    id,
    url: `${origin}/files/${id}`,
    name: record.name,
    size: record.size,
    content_type: record.contentType,
    visibility: record.visibility,
    created_at: new Date(record.createdAt).toISOString(),
  };
}

const PROBLEM_CODES = {
  invalid: 'invalid_parameter',
  missing: 'missing_parameters',
  too_large: 'payload_too_large',
  cut_off: 'client_closed',
  unsupported: 'unsupported_media_type',
} as const;

function failed(error: unknown, { admission, keyId }: Caller, day: LimitState): Answer {
  const headers = rateLimitHeaders(admission, day);
  if (error instanceof UploadProblem) {
    return refuse(PROBLEM_CODES[error.kind], { message: error.message, headers, report: { keyId } });
  }
  return unavailable(headers, { keyId });
}

function outcomeOf(error: unknown): UploadOutcome {
  if (!(error instanceof UploadProblem)) return 'failed';
  return error.kind === 'too_large' || error.kind === 'cut_off' ? error.kind : 'invalid';
}

function measure(
  { metrics }: UploadDeps,
  kind: ReturnType<typeof kindOf>,
  outcome: UploadOutcome,
  bytes: number,
): void {
  metrics.uploads.inc({ kind, outcome });
  metrics.uploadBytes.inc({ kind, outcome }, bytes);
}
