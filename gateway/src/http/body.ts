import express, { type Request, type RequestHandler } from 'express';
import { type Answer, refuse } from './answer.ts';

/** A character takes at most twelve bytes as JSON (a surrogate pair in escapes); the rest is for the other fields. */
const BYTES_PER_CHARACTER = 12;
const OTHER_FIELDS_BYTES = 8_192;

/** Reads a POST's JSON object; a GET's body, which nobody should send, is left alone. */
export function readJsonBody(maxPromptChars: number): RequestHandler {
  const limit = maxPromptChars * BYTES_PER_CHARACTER + OTHER_FIELDS_BYTES;
  const parse = express.json({ limit, strict: false, type: 'application/json', inflate: false });
  return (request, response, next) => (request.method === 'POST' ? parse(request, response, next) : next());
}

/**
 * What is wrong with a request's body, or `undefined` when it can be read.
 *
 * @param error what the body parser threw
 * @param fields the fields that the body must hold, for the message
 */
export function bodyProblem(request: Request, error?: unknown, fields = 'prompt and apikey'): Answer | undefined {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case undefined:
      break;
    case 'entity.too.large':
      return refuse('payload_too_large');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return refuse('unsupported_media_type');
    case 'entity.parse.failed':
    case 'request.size.invalid':
    case 'request.aborted':
      return refuse('invalid_parameter', {
        message: `The body is not valid JSON. Send an object with ${fields}.`,
      });
    default:
      return undefined;
  }
  if (error !== undefined || request.method !== 'POST') return undefined;
  if (!request.is('application/json')) return refuse('unsupported_media_type');
  const body: unknown = request.body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return undefined;
  return refuse('invalid_parameter', { message: `The body must be a JSON object with ${fields}.` });
}
