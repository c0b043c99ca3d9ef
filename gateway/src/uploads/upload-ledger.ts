import { DEFAULT_STORAGE_BYTES } from '@lontar/shared/api-key-record.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { kindOf, type UploadRecord } from './upload.ts';

const reserveScript = loadScript(new URL('./reserve-upload.lua', import.meta.url));
const keepScript = loadScript(new URL('./keep-upload.lua', import.meta.url));
const endScript = loadScript(new URL('./end-upload.lua', import.meta.url));
const forgetScript = loadScript(new URL('./forget-upload.lua', import.meta.url));

/** How long an upload stays reserved without its gateway saying that it goes on, ms. */
export const LEASE_MS = 15_000;
const DAY_MS = 86_400_000;
/** Bytes of a limit for each of which one file more may be kept; what a file takes at least on most disks. */
const BYTES_PER_FILE = 4_096;
/** Files that any limit allows. */
const FEWEST_FILES = 1_000;

/** Whose room is full: the API key's, or that of all. */
export type Room = 'key' | 'all';

/** What came of asking for a place of the day and for room. */
export type Reservation = {
  /** Uploads of the address in this UTC day, this one included where it is reserved. */
  readonly used: number;
  /** The next UTC midnight, Unix seconds. */
  readonly resetAt: number;
} & (
  | {
      readonly decision: 'reserved';
      /** Bytes that the upload may take. */
      readonly bytes: number;
      /** Whose room would be full with more bytes. */
      readonly room: Room;
    }
  | { readonly decision: 'day' | 'all' }
  | { readonly decision: 'credits'; readonly credits: { readonly used: number; readonly limit: number } }
  | {
      readonly decision: 'key';
      /** What the key's uploads take and may take, bytes. */
      readonly kept: { readonly bytes: number; readonly limit: number; readonly files: number };
    }
);

export interface ReserveInput {
  readonly id: string;
  /** The form that limits are counted by. */
  readonly address: string;
  readonly keyId: string;
  readonly perDay: number;
  /** Bytes to reserve. */
  readonly bytes: number;
  /** Whether what is left will do where it is less. */
  readonly atMost: boolean;
  /** Bytes that all uploads may take. */
  readonly maxStorageBytes: number;
  /** Unix ms by Redis's clock. */
  readonly now: number;
}

/**
 * Takes one of the address's uploads of today, and room for the content; all or nothing.
 *
 * @throws when Redis fails; a reservation may then exist, and the sweeper gives it back
 */
export async function reserveUpload(redis: Redis, input: ReserveInput): Promise<Reservation> {
  const { id, address, keyId, perDay, bytes, atMost, maxStorageBytes, now } = input;
  const day = new Date(now).toISOString().slice(0, 10);
  const keys = [
    redisKeys.uploads(day, address),
    redisKeys.upload(id),
    redisKeys.openUploads,
    redisKeys.uploadStorage,
    redisKeys.keyUploads(keyId),
    redisKeys.apiKey(keyId),
  ];
  const limits = [maxStorageBytes, DEFAULT_STORAGE_BYTES, BYTES_PER_FILE, FEWEST_FILES];
  const wanted = [keyId, bytes, atMost ? 'at-most' : 'whole'];
  const args = [id, perDay, now, now + LEASE_MS, day, address, ...wanted, ...limits];
  return readReservation((await reserveScript(redis, keys, args)) as ReserveReply, now);
}

type ReserveReply = [Reservation['decision'], number, number, number | Room, number];

function readReservation([decision, used, first, second, third]: ReserveReply, now: number): Reservation {
  const day = { used, resetAt: ((Math.floor(now / DAY_MS) + 1) * DAY_MS) / 1000 };
  switch (decision) {
    case 'reserved':
      return { ...day, decision, bytes: first, room: second as Room };
    case 'credits':
      return { ...day, decision, credits: { used: first, limit: Number(second) } };
    case 'key':
      return { ...day, decision, kept: { bytes: first, limit: Number(second), files: third } };
    default:
      return { ...day, decision };
  }
}

/**
 * Makes an upload visible whose content is stored.
 *
 * @returns `gone` when its lease had ended, so that it was given back; `key` or `all` where it is larger than what was
 *   reserved and there is no room for the rest
 * @throws when Redis fails; whether the upload is kept is then unknown
 */
export async function keepUpload(
  redis: Redis,
  id: string,
  record: UploadRecord,
  maxStorageBytes: number,
): Promise<'kept' | 'gone' | Room> {
  const { size, owner, createdAt, ...rest } = record;
  const keys = [
    redisKeys.upload(id),
    redisKeys.openUploads,
    redisKeys.uploadTotals,
    redisKeys.uploadStorage,
    redisKeys.keyUploads(owner),
    redisKeys.apiKey(owner),
  ];
  const fields = Object.entries({ owner, createdAt, ...rest }).flatMap(([field, value]) => [field, String(value)]);
  const args = [id, owner, kindOf(record), size, createdAt, maxStorageBytes, DEFAULT_STORAGE_BYTES, ...fields];
  return (await keepScript(redis, keys, args)) as 'kept' | 'gone' | Room;
}

/**
 * Hides an upload because its owner wants it gone. Its content is still to be removed, then `forgetUpload`.
 *
 * @returns false where there is none, or it is not this key's
 * @throws when Redis fails; whether the upload is hidden is then unknown
 */
export async function removeUpload(redis: Redis, id: string, owner: string): Promise<boolean> {
  return end(redis, id, 'remove', redisKeys.uploads('', ''), owner);
}

/**
 * Hides an upload that may not be kept any longer, so that the sweeper removes it.
 *
 * @throws when Redis fails; safe to repeat
 */
export async function expireUpload(redis: Redis, id: string): Promise<void> {
  await end(redis, id, 'expire', redisKeys.uploads('', ''));
}

/**
 * Gives back an upload that failed, or of which it is not known whether it was kept. Its content is still to be
 * removed, then `forgetUpload`.
 *
 * @returns false where nothing is known of it
 * @throws when Redis fails; safe to repeat
 */
export async function abandonUpload(redis: Redis, id: string): Promise<boolean> {
  const [day, address] = await redis.hmget(redisKeys.upload(id), 'day', 'address');
  return end(redis, id, 'abandon', redisKeys.uploads(day ?? '', address ?? ''));
}

async function end(redis: Redis, id: string, why: string, dayCount: string, owner = ''): Promise<boolean> {
  const keys = [redisKeys.upload(id), redisKeys.openUploads, redisKeys.uploadTotals, dayCount];
  return (await endScript(redis, keys, [id, why, owner])) === 'ended';
}

/**
 * Drops the last trace of an upload whose content has been removed, and gives its room back.
 *
 * @throws when Redis fails; safe to repeat
 */
export async function forgetUpload(redis: Redis, id: string): Promise<void> {
  const owner = (await redis.hget(redisKeys.upload(id), 'owner')) ?? '';
  const keys = [redisKeys.upload(id), redisKeys.openUploads, redisKeys.uploadStorage, redisKeys.keyUploads(owner)];
  await forgetScript(redis, keys, [id, owner]);
}

/**
 * Ids of uploads whose lease has ended, or that are being removed.
 *
 * @throws when Redis fails
 */
export function overdueUploads(redis: Redis, now: number, atMost: number): Promise<string[]> {
  return redis.zrangebyscore(redisKeys.openUploads, '-inf', now, 'LIMIT', 0, atMost);
}

/**
 * Says that uploads go on; those that were given back meanwhile stay so.
 *
 * @throws when Redis fails; safe to repeat
 */
export async function renewLeases(redis: Redis, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return;
  const members = ids.flatMap((id) => [now + LEASE_MS, id]);
  // XX: one that was forgotten must not come back. One that is being removed is only swept later.
  await redis.zadd(redisKeys.openUploads, 'XX', ...members);
}
