import { showBytes } from '@lontar/shared/show-bytes.ts';
import { z } from 'zod';
import { UPLOAD_ID_PATTERN, VISIBILITIES } from '../uploads/upload.ts';
import { deletedAnswerSchema, uploadAnswerSchema } from './answer-schemas.ts';
import { LIMIT_HEADERS } from './headers.ts';
import { errors, type Operation } from './operation.ts';

const COUNTED = ['Cache-Control', ...LIMIT_HEADERS] as const;
const KEPT_UNTIL =
  'It is kept until its owner removes it, until it is older than the operator allows, or until its API key is revoked or expires.';
const visibility = z
  .enum(VISIBILITIES)
  .default('public')
  .meta({ description: 'Private: only this API key can read it.' });
const EXAMPLE = {
  status: true,
  code: 201,
  message: 'Sukses',
  result: {
    id: 'file_7Gk2sVq9LzX4b6NfT0pYwE',
    url: 'https://llm.example.com/files/file_7Gk2sVq9LzX4b6NfT0pYwE',
    name: 'notes.txt',
    size: 1024,
    content_type: 'text/plain',
    visibility: 'public',
    created_at: '2026-01-31T08:15:30.123Z',
  },
};
const id = {
  name: 'id',
  in: 'path',
  required: true,
  schema: z.string().regex(UPLOAD_ID_PATTERN),
} as const;

/**
 * Uploads: they need a key that has credits left, cost none, count against the day of the address, and take room of what
 * the key may keep.
 */
export function uploadOperations(maxFileBytes: number): Operation[] {
  const file = z.object({
    file: z.string().meta({ format: 'binary', description: `One file of at most ${showBytes(maxFileBytes)}.` }),
    visibility: visibility.optional(),
  });
  const code = z
    .object({
      code: z
        .string()
        .min(1)
        .meta({ description: `Any text of at most ${showBytes(maxFileBytes)} of UTF-8.` }),
      language: z.string().max(40).nullish().meta({ description: 'Gives the file its extension.' }),
      filename: z.string().nullish().meta({ description: 'At most 255 bytes of UTF-8.' }),
      visibility: visibility.nullish(),
      apikey: z.string().optional().meta({ description: 'The API key, if no header has it (only for short texts).' }),
    })
    .loose();
  return [
    {
      id: 'uploadFile',
      method: 'post',
      path: '/api/upload',
      tag: 'Uploads',
      summary: 'Upload a file',
      description: KEPT_UNTIL,
      key: 'needed',
      parameters: [],
      body: { media: 'multipart/form-data', schema: file, example: { file: '(the bytes)', visibility: 'public' } },
      responses: { 201: kept(), ...errors([400, 401, 403, 408, 413, 414, 415, 429, 431, 503, 507], COUNTED) },
    },
    {
      id: 'uploadCode',
      method: 'post',
      path: '/api/code',
      tag: 'Uploads',
      summary: 'Upload a text, to be served as plain text',
      description: KEPT_UNTIL,
      key: 'needed',
      parameters: [],
      body: { media: 'application/json', schema: code, example: { code: 'print("hi")\n', language: 'python' } },
      responses: { 201: kept(), ...errors([400, 401, 403, 408, 413, 414, 415, 429, 431, 503, 507], COUNTED) },
    },
    ...fileOperations(),
  ];
}

function fileOperations(): Operation[] {
  const shared = { path: '/files/{id}', tag: 'Uploads', key: 'optional', parameters: [id] } as const;
  const served = {
    description: 'The content, as a download.',
    media: '*',
    headers: ['Cache-Control', 'Content-Disposition', 'Content-Security-Policy', 'X-Content-Type-Options'],
  } as const;
  const refusals = errors([400, 401, 403, 404, 408, 414, 431, 503], ['Cache-Control']);
  const limited = errors([429], []);
  return [
    {
      ...shared,
      id: 'getFile',
      method: 'get',
      summary: 'Get an upload',
      responses: { 200: served, ...refusals, ...limited },
    },
    {
      ...shared,
      id: 'headFile',
      method: 'head',
      summary: 'Its headers',
      responses: { 200: served, ...refusals, ...limited },
    },
    {
      ...shared,
      id: 'deleteFile',
      method: 'delete',
      summary: 'Remove your own upload',
      key: 'needed',
      responses: {
        200: {
          description: 'It was removed.',
          schemas: [deletedAnswerSchema],
          example: { ...EXAMPLE, code: 200, result: { id: EXAMPLE.result.id, deleted: true } },
          headers: ['Cache-Control'],
        },
        ...refusals,
      },
    },
  ];
}

function kept() {
  return {
    description: 'It is kept.',
    schemas: [uploadAnswerSchema],
    example: EXAMPLE,
    headers: COUNTED,
  };
}
