import { failure, sendAnswer } from '@lontar/shared/http/envelope.ts';
import express, { type NextFunction, type Request, type Response } from 'express';

/** Bodies are sign-ins; nothing longer is read. */
const MAX_BODY_BYTES = 4_096;

// Not `express.json`, which takes other types of content for no body at all.
const readBytes = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });

/** Reads the body of a POST as JSON, whatever it says to be; `{}` where there is none. */
export function readJson(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'POST') return next();
  readBytes(request, response, (error?: unknown) => {
    const problem = error === undefined ? parse(request) : problemOf(error);
    if (problem === undefined) return next();
    sendAnswer(response, failure('invalid_parameter', problem));
  });
}

/** @returns what is wrong with the body */
function parse(request: Request): string | undefined {
  const bytes = request.body as Buffer | undefined;
  try {
    request.body = bytes === undefined || bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8'));
    return undefined;
  } catch {
    return NO_JSON;
  }
}

const NO_JSON = 'The body is not JSON.';

function problemOf(error: unknown): string {
  const isTooLong = (error as { type?: unknown }).type === 'entity.too.large';
  return isTooLong ? `The body may have ${MAX_BODY_BYTES} bytes at most.` : NO_JSON;
}
