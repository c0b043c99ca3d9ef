import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { kindOf, type UploadRecord, uploadRecordSchema } from './upload.ts';

const reserveScript = loadScript(new URL('./reserve-upload.lua', import.meta.url));
const keepScript = loadScript(new URL('./keep-upload.lua', import.meta.url));
const endScript = loadScript(new URL('./end-upload.lua', import.meta.url));

/** How long an upload stays reserved without its gateway saying that it goes on, ms. */
export const LEASE_MS = 15_000;
const DAY_MS = 86_400_000;

export interface Reservation {
  readonly allowed: boolean;
  /** Uploads of the address in this UTC day, this one included where it is allowed. */
  readonly used: number;
  /** The next UTC midnight, Unix seconds. */
  readonly resetAt: number;
}

export interface ReserveInput {
  readonly id: string;
  /** The form that limits are counted by. */
  readonly address: string;
  readonly perDay: number;
  /** Unix ms by Redis's clock. */
  readonly now: number;
}

/** Takes one of the address's uploads of today; all or nothing. */
export async function reserveUpload(redis: Redis, { id, address, perDay, now }: ReserveInput): Promise<Reservation> {
  const day = new Date(now).toISOString().slice(0, 10);
  const keys = [redisKeys.uploads(day, address), redisKeys.upload(id), redisKeys.openUploads];
  const reply = await reserveScript(redis, keys, [id, perDay, now + LEASE_MS, day, address]);
  const [allowed, used] = reply as [number, number];
  return { allowed: allowed === 1, used, resetAt: ((Math.floor(now / DAY_MS) + 1) * DAY_MS) / 1000 };
}

/**
 * Makes an upload visible whose content is stored.
 *
 * @returns false when its lease had ended, so that it was given back
 */
export async function keepUpload(redis: Redis, id: string, record: UploadRecord): Promise<boolean> {
  const keys = [redisKeys.upload(id), redisKeys.openUploads, redisKeys.uploadTotals];
  const { size, ...rest } = record;
  const fields = Object.entries(rest).flatMap(([field, value]) => [field, String(value)]);
  return (await keepScript(redis, keys, [id, kindOf(record), size, ...fields])) === 'kept';
}

/** The metadata of an upload that is kept. */
export async function findUpload(redis: Redis, id: string): Promise<UploadRecord | undefined> {
  const fields = await redis.hgetall(redisKeys.upload(id));
  if (fields['state'] !== 'kept') return undefined;
  const parsed = uploadRecordSchema.safeParse(fields);
  return parsed.success ? parsed.data : undefined;
}

/**
 * Hides an upload because its owner wants it gone. Its content is still to be removed, then `forgetUpload`.
 *
 * @returns false where there is none, or it is not this key's
 */
export async function removeUpload(redis: Redis, id: string, owner: string): Promise<boolean> {
  const keys = [redisKeys.upload(id), redisKeys.openUploads, redisKeys.uploadTotals, redisKeys.uploads('', '')];
  return (await endScript(redis, keys, [id, 'remove', owner])) === 'ended';
}

/**
 * Gives back an upload that failed, or of which it is not known whether it was kept. Its content is still to be
 * removed, then `forgetUpload`.
 *
 * @returns false where nothing is known of it
 */
export async function abandonUpload(redis: Redis, id: string): Promise<boolean> {
  const [day, address] = await redis.hmget(redisKeys.upload(id), 'day', 'address');
  const keys = [
    redisKeys.upload(id),
    redisKeys.openUploads,
    redisKeys.uploadTotals,
    redisKeys.uploads(day ?? '', address ?? ''),
  ];
  return (await endScript(redis, keys, [id, 'abandon', ''])) === 'ended';
}

/** Drops the last trace of an upload whose content has been removed. */
export async function forgetUpload(redis: Redis, id: string): Promise<void> {
  await redis.multi().del(redisKeys.upload(id)).zrem(redisKeys.openUploads, id).exec();
}

/** Ids of uploads whose lease has ended, or that are being removed. */
export function overdueUploads(redis: Redis, now: number, atMost: number): Promise<string[]> {
  return redis.zrangebyscore(redisKeys.openUploads, '-inf', now, 'LIMIT', 0, atMost);
}

/** Says that uploads go on; those that were given back meanwhile stay so. */
export async function renewLeases(redis: Redis, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return;
  const members = ids.flatMap((id) => [now + LEASE_MS, id]);
  // XX: one that was forgotten must not come back. One that is being removed is only swept later.
  await redis.zadd(redisKeys.openUploads, 'XX', ...members);
}
