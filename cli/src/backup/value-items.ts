import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { ChainableCommander } from 'ioredis';
import { MOST_ITEM_BYTES, PIECE_BYTES, PIECE_ITEMS, type ValueType } from './backup-format.ts';
import type { DurableFamily } from './durable-keys.ts';

/** A field, member, element or entry: see `keyLineSchema` for what its parts are. */
export type Item = readonly Buffer[];

const STREAM_ID = /^[0-9]{1,20}-[0-9]{1,20}$/;
const SCORE = /^-?(?:inf|[0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?)$/;

/**
 * Reads a value; one command, so that it is whole in itself, but for streams, whose entries are.
 *
 * @throws when Redis fails
 */
export async function readItems(redis: Redis, key: string, type: ValueType): Promise<Item[]> {
  switch (type) {
    case 'string': {
      const value = await redis.getBuffer(key);
      return value === null ? [] : [[value]];
    }
    case 'hash':
      return inPairs((await redis.callBuffer('HGETALL', key)) as Buffer[]);
    case 'list':
      return (await redis.lrangeBuffer(key, 0, -1)).map((element) => [element]);
    case 'set':
      return (await redis.smembersBuffer(key)).map((member) => [member]);
    case 'zset':
      return inPairs(await redis.zrangeBuffer(key, '0', '-1', 'WITHSCORES'));
    case 'stream':
      return readEntries(redis, key);
  }
}

/** Adds items to a value under a key that has none, or those before them. */
export function writeItems(commands: ChainableCommander, key: string, type: ValueType, items: readonly Item[]): void {
  const parts = items.flat();
  switch (type) {
    case 'string':
      commands.set(key, parts[0] ?? '');
      break;
    case 'hash':
      commands.call('HSET', key, ...parts);
      break;
    case 'list':
      commands.rpush(key, ...parts);
      break;
    case 'set':
      commands.sadd(key, ...parts);
      break;
    case 'zset':
      commands.call('ZADD', key, ...items.flatMap(([member = '', score = '']) => [score, member]));
      break;
    case 'stream':
      for (const entry of items) commands.call('XADD', key, ...entry);
      break;
  }
}

/** Items in pieces that fit into a line; one piece where there are none. */
export function* inPieces(items: readonly Item[]): Generator<{ items: readonly Item[]; more: boolean }> {
  let piece: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const itemBytes = sizeOf(item);
    if (piece.length > 0 && (piece.length === PIECE_ITEMS || bytes + itemBytes > PIECE_BYTES)) {
      yield { items: piece, more: true };
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += itemBytes;
  }
  yield { items: piece, more: false };
}

/** Whether an item is what its family has. */
export function isItemOf(family: DurableFamily, item: Item): boolean {
  if (sizeOf(item) > MOST_ITEM_BYTES) return false;
  return hasForm(family.type, item) && (family.isItem?.(item) ?? true);
}

function hasForm(type: ValueType, item: Item): boolean {
  const text = (index: number) => item[index]?.toString('latin1') ?? '';
  switch (type) {
    case 'hash':
      return item.length === 2;
    case 'zset':
      return item.length === 2 && SCORE.test(text(1));
    case 'stream':
      return item.length >= 3 && item.length % 2 === 1 && STREAM_ID.test(text(0));
    default:
      return item.length === 1;
  }
}

/** The id after one; "greater than" itself is not known to every Redis. */
function nextId(id: string): string {
  const [time = '0', sequence = '0'] = id.split('-');
  return `${time}-${BigInt(sequence) + 1n}`;
}

function sizeOf(item: Item): number {
  return item.reduce((sum, part) => sum + part.length, 0);
}

function inPairs(parts: readonly Buffer[]): Item[] {
  return Array.from({ length: parts.length / 2 }, (_, index) => parts.slice(index * 2, index * 2 + 2));
}

async function readEntries(redis: Redis, key: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let start = '-'; ; ) {
    const entries = (await redis.callBuffer('XRANGE', key, start, '+', 'COUNT', String(PIECE_ITEMS))) as [
      Buffer,
      Buffer[],
    ][];
    for (const [id, fields] of entries) found.push([id, ...fields]);
    const last = entries.at(-1);
    if (last === undefined || entries.length < PIECE_ITEMS) return found;
    start = nextId(last[0].toString('latin1'));
  }
}
