import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadBinaryScript } from '@lontar/shared/redis-script.ts';
import type { KeyLine } from './backup-format.ts';
import { apiKeyIdOf, type DayCount, dayCountOf, durableFamily, isBan, OPERATORS_BAN } from './durable-keys.ts';
import { type Item, inPieces, readItems } from './value-items.ts';

const readDayCountScript = loadBinaryScript(new URL('./read-day-count.lua', import.meta.url));

interface ReadKey {
  readonly items: readonly Item[];
  /** ms until it expires; -1 for never, -2 where it has. */
  readonly ttl: number;
  /** Unix ms. */
  readonly now: number;
  readonly taken?: Pick<KeyLine, 'inFlight' | 'inWork'>;
}

/**
 * The lines of a durable key; none where it has ended a moment ago, or need not be kept.
 *
 * @throws when Redis fails
 */
export async function readKey(redis: Redis, key: string): Promise<KeyLine[]> {
  const type = durableFamily(key)?.type;
  if (type === undefined) return [];
  const read = await readWhole(redis, key);
  if (read === undefined || read.items.length === 0 || read.ttl === -2) return [];
  if (isBan(key) && read.items[0]?.[0]?.toString('latin1') !== OPERATORS_BAN) return [];
  const expiresAt = read.ttl < 0 ? 0 : read.now + read.ttl;
  const lines: KeyLine[] = [];
  for (const { items, more } of inPieces(read.items)) {
    const encoded = items.map((item) => item.map((part) => part.toString('base64')));
    lines.push({ key, type, expiresAt, items: encoded, more, ...read.taken });
  }
  return lines;
}

async function readWhole(redis: Redis, key: string): Promise<ReadKey | undefined> {
  const dayCount = dayCountOf(key);
  if (dayCount !== undefined) return readDayCount(redis, key, dayCount);
  const keyId = apiKeyIdOf(key);
  if (keyId !== undefined) return readApiKey(redis, key, keyId);
  const type = durableFamily(key)?.type;
  if (type === undefined) return undefined;
  const [items, ttl, time] = await Promise.all([readItems(redis, key, type), redis.pttl(key), redis.time()]);
  return { items, ttl, now: unixMs(time) };
}

/** The record and its reservations are of one moment: what is in flight is charged in the record. */
async function readApiKey(redis: Redis, key: string, keyId: string): Promise<ReadKey> {
  const replies = await redis.multi().hgetallBuffer(key).pttl(key).time().zcard(redisKeys.keyFlight(keyId)).exec();
  const [fields, ttl, time, inFlight] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  }) as [Record<string, Buffer>, number, [string, string], number];
  const items = Object.entries(fields).map(([field, value]) => [Buffer.from(field), value]);
  return { items, ttl, now: unixMs(time), taken: { inFlight } };
}

async function readDayCount(redis: Redis, key: string, { day, address }: DayCount): Promise<ReadKey | undefined> {
  const reply = await readDayCountScript(redis, [key, redisKeys.openUploads], [redisKeys.upload(''), day, address]);
  if (reply === null) return undefined;
  const [count, ttl, now, inWork] = reply as [Buffer, number, number, number];
  return { items: [[count]], ttl, now, taken: { inWork } };
}

function unixMs([seconds, microseconds]: readonly (string | number)[]): number {
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
