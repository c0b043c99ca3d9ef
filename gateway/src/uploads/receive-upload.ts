import { pipeline, type Readable, Transform } from 'node:stream';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import type { GatewayMetrics, UploadOutcome } from '@lontar/shared/gateway-metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import { showBytes } from '@lontar/shared/show-bytes.ts';
import type { LimitState } from '../admission/admit.ts';
import type { Caller, CheckKeyDeps } from '../admission/check-key.ts';
import type { Answer } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { UploadStorage } from './storage/upload-storage.ts';
import type { UploadSweeper } from './sweep-uploads.ts';
import { kindOf, newUploadId, type UploadRecord } from './upload.ts';
import { failedAnswer, keptAnswer, notReservedAnswer, outcomeOf, overloadedAnswer } from './upload-answers.ts';
import { keepUpload, type Reservation, type Room, reserveUpload } from './upload-ledger.ts';
import { UploadProblem } from './upload-problem.ts';

/** Where contents are. */
export interface ContentDeps {
  readonly storage: UploadStorage;
  /** Called with each failure of the storage, which is none of Redis's; must not flood the log. */
  readonly onStorageFailure: (error: unknown) => void;
  readonly sweeper: UploadSweeper;
}

/** What it takes to receive an upload whose caller is known. */
export interface ReceiveDeps extends ContentDeps, Pick<CheckKeyDeps, 'redis' | 'onRedisFailure'> {
  readonly clock: RedisClock;
  readonly metrics: Pick<GatewayMetrics, 'uploads' | 'uploadBytes'>;
  readonly uploadsPerDay: number;
  readonly maxFileBytes: number;
  readonly maxStorageBytes: number;
  /** Contents on their way through this gateway's disk, by API key. */
  readonly spooled: ByteBudget;
}

/** And to find out who it is. */
export interface UploadDeps extends CheckKeyDeps, ReceiveDeps {}

/** What an upload is, once its content is in the storage. */
export type Described = Omit<UploadRecord, 'owner' | 'createdAt' | 'size'>;

/**
 * Stores a content and says what it is.
 *
 * @param write puts the content into the storage; throws UploadProblem where it is too large
 */
export type StoreContent = (write: (content: Readable, signal: AbortSignal) => Promise<void>) => Promise<Described>;

/** An upload before its content is there. */
export interface Announced {
  readonly caller: Caller;
  /** For the link. */
  readonly origin: string;
  /**
   * About how many bytes the content has, rather too few: what is reserved for it. Its true size is judged when it is
   * there. `undefined` where nothing says so, so that the most is reserved.
   */
  readonly size: number | undefined;
  /** Bytes that it has at most; `undefined` where nothing says so. */
  readonly mostBytes: number | undefined;
}

/** What a content takes of the disk at least, bytes. */
const LEAST_SPOOLED_BYTES = 65_536;

/**
 * Receives one upload: takes it from the day's count and takes room for it first, stores the content, then makes it
 * visible. However it fails, nothing of it is kept, and place and room are given back.
 */
export async function receiveUpload(
  deps: ReceiveDeps,
  context: RequestContext,
  announced: Announced,
  store: StoreContent,
): Promise<Answer> {
  const { caller, mostBytes = deps.maxFileBytes } = announced;
  const spooled = Math.max(LEAST_SPOOLED_BYTES, Math.min(mostBytes, deps.maxFileBytes));
  const giveBack = deps.spooled.take(caller.keyId, spooled);
  if (giveBack === undefined) {
    measure(deps, 'file', 'busy', 0);
    return overloadedAnswer(caller);
  }
  try {
    return await receiveReserved(deps, context, announced, store);
  } finally {
    giveBack();
  }
}

async function receiveReserved(
  deps: ReceiveDeps,
  context: RequestContext,
  { caller, origin, size }: Announced,
  store: StoreContent,
): Promise<Answer> {
  const id = newUploadId();
  const reservation = await reserve(deps, context, caller.keyId, { id, size });
  if (reservation === undefined) return failedAnswer(undefined, caller);
  const day = { used: reservation.used, limit: deps.uploadsPerDay, resetAt: reservation.resetAt };
  if (reservation.decision !== 'reserved') {
    const { answer, outcome } = notReservedAnswer(reservation, caller, day);
    measure(deps, 'file', outcome, 0);
    return answer;
  }

  const meter = { bytes: 0 };
  const limit = limitOf(deps, reservation, size === undefined);
  let described: Described | undefined;
  deps.sweeper.hold(id);
  try {
    described = await store((content, signal) => deps.storage.write(id, metered(content, meter, limit), signal));
    const record = { ...described, owner: caller.keyId, size: meter.bytes, createdAt: deps.clock.now() };
    await keep(deps, id, record);
    measure(deps, kindOf(record), 'kept', meter.bytes);
    return keptAnswer(id, record, { origin, caller, day });
  } catch (error) {
    await deps.sweeper.discard(id);
    measure(deps, described ? kindOf(described) : 'file', outcomeOf(error), meter.bytes);
    if (!described && !(error instanceof UploadProblem)) deps.onStorageFailure(error);
    return failedAnswer(error, caller, returned(day));
  } finally {
    deps.sweeper.letGo(id);
  }
}

/** @returns `undefined` where Redis could not be asked */
async function reserve(
  deps: ReceiveDeps,
  { address }: RequestContext,
  keyId: string,
  { id, size }: { id: string; size: number | undefined },
): Promise<Reservation | undefined> {
  const { uploadsPerDay: perDay, maxStorageBytes, maxFileBytes } = deps;
  const bytes = Math.floor(Math.min(maxFileBytes, Math.max(0, size ?? maxFileBytes)));
  const input = { id, address, keyId, perDay, bytes, atMost: size === undefined, maxStorageBytes };
  try {
    return await reserveUpload(deps.redis, { ...input, now: deps.clock.now() });
  } catch (error) {
    deps.onRedisFailure(error);
    // The reservation may exist all the same; if this fails too, its lease ends.
    void deps.sweeper.discard(id);
    return undefined;
  }
}

/** @throws where the upload is not kept; it is in the log then */
async function keep(deps: ReceiveDeps, id: string, record: UploadRecord): Promise<void> {
  const result = await keepUpload(deps.redis, id, record, deps.maxStorageBytes).catch((error: unknown) => {
    deps.onRedisFailure(error);
    throw error;
  });
  if (result === 'kept') return;
  if (result !== 'gone') throw noRoom(result);
  const error = new Error(`the lease of upload ${id} ended before it was kept`);
  deps.onStorageFailure(error);
  throw error;
}

/** How much a content may have, and what to say of one that has more. */
interface SizeLimit {
  readonly bytes: number;
  readonly problem: UploadProblem;
}

/** A content of unknown size may have what could be reserved for it, and no more. */
function limitOf(
  { maxFileBytes }: Pick<ReceiveDeps, 'maxFileBytes'>,
  { bytes, room }: Reservation & { decision: 'reserved' },
  isUnknown: boolean,
): SizeLimit {
  return isUnknown && bytes < maxFileBytes
    ? { bytes, problem: noRoom(room) }
    : { bytes: maxFileBytes, problem: tooLarge(maxFileBytes) };
}

export function tooLarge(maxBytes: number): UploadProblem {
  return new UploadProblem(
    'too_large',
    `The file is larger than ${showBytes(maxBytes)}, which is the limit. Send a smaller one.`,
  );
}

function noRoom(room: Room): UploadProblem {
  return room === 'all'
    ? new UploadProblem('storage_full', ERROR_CATALOG.insufficient_storage.message)
    : new UploadProblem(
        'key_full',
        'The file is larger than what this API key may still keep. Remove files of yours (DELETE /files/ID), send a smaller one, or ask the operator for more.',
      );
}

/** Counts a content as it passes, and stops it at the limit. */
function metered(content: Readable, meter: { bytes: number }, limit: SizeLimit): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      meter.bytes += chunk.length;
      if (meter.bytes <= limit.bytes) return pass(null, chunk);
      pass(limit.problem);
    },
  });
  // A failure on either side ends both; the storage sees it on the counter.
  return pipeline(content, counter, () => undefined);
}

/** The day once its place was given back. */
function returned(day: LimitState): LimitState {
  return { ...day, used: day.used - 1 };
}

function measure(
  { metrics }: Pick<ReceiveDeps, 'metrics'>,
  kind: ReturnType<typeof kindOf>,
  outcome: UploadOutcome,
  bytes: number,
): void {
  metrics.uploads.inc({ kind, outcome });
  metrics.uploadBytes.inc({ kind, outcome }, bytes);
}
