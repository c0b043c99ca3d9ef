import { z } from 'zod';

/**
 * A backup is one gzip'ed file of JSON lines: a header, keys and files in pieces, and an end with the SHA-256 of all
 * lines before it. Whoever reads one knows whether it is whole before anything is changed.
 */
export const FORMAT = 'lontar-backup';
export const FORMAT_VERSION = 1;

export const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  createdAt: z.iso.datetime(),
  lontar: z.string(),
  redis: z.string(),
  /** Tells, without telling the pepper, whether a service can check the keys; `null` where it was not known. */
  pepperMark: z.string().nullable(),
  /** Whether contents of uploads are in it; those of an object store are not. */
  files: z.boolean(),
});

export const keyLineSchema = z.object({
  key: z.string(),
  /** Unix ms when it expires; 0 for never. */
  expiresAt: z.number().int(),
  /** Redis's own form (`DUMP`), base64. */
  dump: z.base64(),
  /** Of an API key: requests in flight at that moment, whose reservations are not in the backup. */
  inFlight: z.number().int().optional(),
  /** Of a count of uploads: those in work at that moment, which are not in the backup. */
  inWork: z.number().int().optional(),
});

export const fileLineSchema = z.object({
  file: z.string().regex(/^file_[0-9A-Za-z]{22}$/),
  data: z.base64(),
  /** Whether more of the file follows. */
  more: z.boolean(),
});

export const endSchema = z.object({
  end: z.literal(true),
  keys: z.number().int(),
  files: z.number().int(),
  sha256: z.string(),
});

export const lineSchema = z.union([keyLineSchema, fileLineSchema]);

export type Header = z.infer<typeof headerSchema>;
export type KeyLine = z.infer<typeof keyLineSchema>;
export type FileLine = z.infer<typeof fileLineSchema>;
export type End = z.infer<typeof endSchema>;
