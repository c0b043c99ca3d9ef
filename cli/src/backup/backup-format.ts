import { z } from 'zod';

/**
 * A backup is gzip'ed JSON lines: a header, Redis entries and files in pieces, and an end with the SHA-256 of all lines
 * before it. Behind that stands its signature, as a gzip member of its own (backup-signature.ts). A reader of a backup
 * knows whether it is whole and whose it is before anything is changed.
 *
 * Version 1 had no signature, and values in Redis's own binary form.
 */
export const FORMAT = 'lontar-backup';
export const FORMAT_VERSION = 2;

export const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.union([z.literal(1), z.literal(FORMAT_VERSION)]),
  createdAt: z.iso.datetime(),
  lontar: z.string().max(100),
  redis: z.string().max(100),
  /** Shows, without revealing the pepper, whether a service can check the API keys; `null` where it was not known. */
  pepperMark: z.string().max(100).nullable(),
  /** Whether contents of uploads are in it; those of an object store are not. */
  files: z.boolean(),
});

const MOST_NAME_CHARACTERS = 512;
/** More than any value of Lontar's has in one field, member or entry. */
export const MOST_ITEM_BYTES = 512 * 1024;

const keyFields = {
  key: z.string().max(MOST_NAME_CHARACTERS),
  /** Unix ms when it expires; 0 for never. */
  expiresAt: z.number().int().nonnegative(),
  /** Of an API key: requests in flight at that moment, whose reservations are not in the backup. */
  inFlight: z.number().int().nonnegative().optional(),
  /** Of a count of uploads: those in work at that moment, which are not in the backup. */
  inWork: z.number().int().nonnegative().optional(),
};

/** Redis's types of values that Lontar has. */
const VALUE_TYPES = ['string', 'hash', 'list', 'set', 'zset', 'stream'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export const keyLineSchema = z.strictObject({
  ...keyFields,
  type: z.enum(VALUE_TYPES),
  /**
   * The value, or a piece of it, all in base64: `[value]` of a string, `[field, value]` of a hash, `[element]` of a
   * list, `[member]` of a set, `[member, score]` of a sorted set, `[id, field, value, …]` of a stream.
   */
  items: z.array(z.array(z.base64()).min(1)),
  /** Whether more of the value follows. */
  more: z.boolean(),
});

/** A key as version 1 has it. */
const dumpLineSchema = z.strictObject({
  ...keyFields,
  /** Redis's own form (`DUMP`), base64. */
  dump: z.base64(),
});

export const fileLineSchema = z.strictObject({
  file: z.string().regex(/^file_[0-9A-Za-z]{22}$/),
  data: z.base64(),
  /** Whether more of the file follows. */
  more: z.boolean(),
});

export const endSchema = z.strictObject({
  end: z.literal(true),
  /** Redis entries; the name is part of the format. */
  keys: z.number().int(),
  files: z.number().int(),
  sha256: z.string(),
});

/** The lines between header and end, by version. */
export const lineSchemas = {
  1: z.union([dumpLineSchema, fileLineSchema]),
  2: z.union([keyLineSchema, fileLineSchema]),
} as const;

export type Header = z.infer<typeof headerSchema>;
export type KeyLine = z.infer<typeof keyLineSchema>;
export type DumpLine = z.infer<typeof dumpLineSchema>;
export type FileLine = z.infer<typeof fileLineSchema>;
export type End = z.infer<typeof endSchema>;
export type Line = KeyLine | DumpLine | FileLine;

/** Pieces of a value or file are about this large, bytes; a line takes a little more than its base64. */
export const PIECE_BYTES = 262_144;
export const PIECE_ITEMS = 1_000;

/** What reading a backup may take at most, of a file that any author may have written. */
export const BOUNDS = {
  /** Bytes of the file. */
  file: 64 * 1024 ** 3,
  /** Bytes after unpacking. */
  unpacked: 256 * 1024 ** 3,
  /** Bytes of a line, by version; version 1 had whole values in one. */
  line: { 1: 256 * 1024 ** 2, 2: 4 * 1024 ** 2 },
  lines: 50_000_000,
} as const;
