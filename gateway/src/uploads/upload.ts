import type { UploadKind } from '@lontar/shared/gateway-metrics.ts';
import { randomToken } from '@lontar/shared/request-id.ts';
import { z } from 'zod';

export const VISIBILITIES = ['public', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Form of an upload's id: `file_` and 22 base62 characters. */
export const UPLOAD_ID_PATTERN = /^file_[0-9A-Za-z]{22}$/;

/** A new id from 128 random bits: a client that has a public upload's link was given it. */
export function newUploadId(): string {
  return `file_${randomToken()}`;
}

/** What is stored of an upload that is kept: the fields of its Redis hash, besides `state`. */
export const uploadRecordSchema = z.object({
  /** Id of the API key that uploaded it. */
  owner: z.string(),
  form: z.enum(['file', 'code']),
  name: z.string(),
  size: z.coerce.number().int().nonnegative(),
  contentType: z.string(),
  visibility: z.enum(VISIBILITIES),
  /** Unix ms. */
  createdAt: z.coerce.number().int(),
});
export type UploadRecord = z.infer<typeof uploadRecordSchema>;

/** What the statistics count it as. */
export function kindOf({ form, visibility }: Pick<UploadRecord, 'form' | 'visibility'>): UploadKind {
  return visibility === 'private' ? 'private' : form;
}
