import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import type { LimitState } from '../admission/admit.ts';
import { type UploadRecord, uploadRecordSchema } from './upload.ts';

const findScript = loadScript(new URL('./find-upload.lua', import.meta.url));

export interface FindInput {
  /** Of the form of an upload's id. */
  readonly id: string;
  /** The form that limits are counted by. */
  readonly address: string;
  readonly perHour: number;
  /** How long an upload is kept, ms; 0 for ever. */
  readonly ttlMs: number;
}

export interface Found {
  /** The address's requests for files within the hour, this one included where it was let through. */
  readonly hour: LimitState;
  /** Redis time, Unix ms. */
  readonly now: number;
  /** Why the address gets nothing; absent where it may ask. */
  readonly refused?: 'limited' | 'blocked';
  /** Absent where there is nothing that may be fetched. */
  readonly record: UploadRecord | undefined;
}

/**
 * Counts a request for a file under its address, and finds the metadata: one round trip.
 *
 * @throws when Redis fails; the request may have been counted then
 */
export async function findUpload(redis: Redis, { id, address, perHour, ttlMs }: FindInput): Promise<Found> {
  const keys = [redisKeys.upload(id), redisKeys.addressDownloads(address), redisKeys.addressBan(address)];
  const reply = await findScript(redis, keys, [perHour, ttlMs, redisKeys.apiKey('')]);
  const [decision, used, resetAt, now, fields = []] = reply as [string, number, number, number, string[]?];
  const pairs = Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i], fields[2 * i + 1]]);
  const parsed = decision === 'found' ? uploadRecordSchema.safeParse(Object.fromEntries(pairs)) : undefined;
  return {
    hour: { used, limit: perHour, resetAt },
    now,
    ...((decision === 'limited' || decision === 'blocked') && { refused: decision }),
    record: parsed?.success ? parsed.data : undefined,
  };
}
