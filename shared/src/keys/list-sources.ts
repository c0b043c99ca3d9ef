import { createHash } from 'node:crypto';
import { z } from 'zod';
import { KEY_ID_PATTERN } from '../api-key.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { idOfEntry, ownerPrefix, searchPrefixes } from './index-entries.ts';
import type { KeyQuery } from './key-query.ts';
import { InvalidTerms } from './key-refusals.ts';

const rankScript = loadScript(new URL('./rank-of.lua', import.meta.url));

/** A key that an index names, before its record is read. */
export interface Candidate {
  readonly id: string;
  /** Where it stands in its index, for the one after it. */
  readonly mark: string;
  /** Its entry in the set of texts, where it is from there. */
  readonly entry?: string;
  /** The state whose set it is from. */
  readonly of?: string;
}

/** Gives the candidates behind a mark, or the first ones, so many at most. */
export type Source = (after: string | undefined, count: number) => Promise<readonly Candidate[]>;

/** No byte of a text in UTF-8 is as large. */
const BEHIND_ALL = Buffer.from([0xff]);
const WHOLE_ID = /^(?:lt_live_)?([0-9A-Za-z]{10})$/;
const CURSOR_FORM = /^[\w-]{1,1000}$/;
const placeSchema = z.tuple([z.number().int().min(0).max(10), z.string(), z.string()]);

/** Where the keys of a query are found, one source after the other. */
export function sourcesOf(redis: Redis, query: KeyQuery): readonly Source[] {
  const { search, owner, state, sort = 'created', descending = false } = query;
  if (search !== undefined) {
    const id = idSearched(search);
    const byText = searchPrefixes(search).map((prefix) => inTexts(redis, prefix, descending));
    return id === undefined ? byText : [...byText, oneKey(id)];
  }
  if (owner !== undefined) return [inTexts(redis, ownerPrefix(owner), descending)];
  if (sort === 'name') return [inTexts(redis, 'n', descending)];
  if (sort === 'used') return [inSet(redis, redisKeys.apiKeyUse, descending)];
  if (state !== undefined) return [inSet(redis, redisKeys.apiKeysOf(state), descending, state)];
  return [inSet(redis, redisKeys.apiKeyIndex, descending)];
}

/** The id that a search names; `undefined` where it has another form. */
export function idSearched(search: string): string | undefined {
  return WHOLE_ID.exec(search.trim())?.[1];
}

/** What a cursor says; the query is in it too, because it is good for no other one. */
interface Place {
  readonly source: number;
  readonly mark: string;
}

export function writeCursor(query: KeyQuery, { source, mark }: Place): string {
  return Buffer.from(JSON.stringify([source, mark, digestOf(query)])).toString('base64url');
}

/** @throws InvalidTerms for a cursor that is not of this query */
export function readCursor(query: KeyQuery): Place | undefined {
  if (query.cursor === undefined) return undefined;
  try {
    if (!CURSOR_FORM.test(query.cursor)) throw new SyntaxError('no cursor');
    const place = placeSchema.safeParse(JSON.parse(Buffer.from(query.cursor, 'base64url').toString()));
    if (place.success && place.data[2] === digestOf(query)) return { source: place.data[0], mark: place.data[1] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InvalidTerms([{ field: 'cursor', rule: 'must be one that this list has given, with the same filters' }]);
}

function digestOf({ search, owner, state, sort = 'created', descending = false }: KeyQuery): string {
  const text = JSON.stringify([search ?? null, owner ?? null, state ?? null, sort, descending]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Entries of the set of texts that begin alike. */
function inTexts(redis: Redis, prefix: string, descending: boolean): Source {
  const [low, high] = [bound('[', prefix), Buffer.concat([bound('[', prefix), BEHIND_ALL])];
  return async (after, count) => {
    const from = after === undefined ? undefined : bound('(', after);
    const limit = ['LIMIT', 0, count] as const;
    const entries = descending
      ? await redis.zrevrangebylex(redisKeys.apiKeyTexts, from ?? high, low, ...limit)
      : await redis.zrangebylex(redisKeys.apiKeyTexts, from ?? low, high, ...limit);
    return entries.map((entry) => ({ id: idOfEntry(entry), mark: entry, entry }));
  };
}

function bound(kind: '[' | '(', text: string): Buffer {
  return Buffer.from(kind + text);
}

/** Members of a set by their score. */
function inSet(redis: Redis, set: string, descending: boolean, of?: string): Source {
  return async (after, count) => {
    const place = after === undefined ? undefined : await placeOf(redis, set, after);
    const from = descending ? Math.max((place?.before ?? (await redis.zcard(set))) - count, 0) : (place?.after ?? 0);
    const end = descending ? (place?.before ?? from + count) : from + count;
    if (end <= from) return [];
    const found = await redis.zrange(set, String(from), String(end - 1), 'WITHSCORES');
    const candidates = Array.from({ length: found.length / 2 }, (_, index) => {
      const [id = '', score = ''] = found.slice(2 * index);
      return { id, mark: `${score} ${id}`, ...(of !== undefined && { of }) };
    });
    return descending ? candidates.toReversed() : candidates;
  };
}

/** The places around a mark, whose member may have gone or moved since. */
async function placeOf(redis: Redis, set: string, mark: string): Promise<{ before: number; after: number }> {
  const [score = '', id = ''] = mark.split(' ');
  if (!/^-?[\d.]+(?:e[+-]?\d+)?$/.test(score) || !KEY_ID_PATTERN.test(id)) {
    throw new InvalidTerms([{ field: 'cursor', rule: 'must be one that this list has given' }]);
  }
  const before = Number(await rankScript(redis, [set], [score, id]));
  const [member] = await redis.zrange(set, String(before), String(before));
  return { before, after: member === id ? before + 1 : before };
}

function oneKey(id: string): Source {
  return (after) => Promise.resolve(after === undefined ? [{ id, mark: id }] : []);
}
