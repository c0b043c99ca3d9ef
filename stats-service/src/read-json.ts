import { failure, sendAnswer } from '@lontar/shared/http/envelope.ts';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

/**
 * Reads the body of a POST or PATCH as JSON, whatever it says to be; `{}` where there is none.
 *
 * @param mostBytes nothing longer is read
 */
export function readJson(mostBytes: number): RequestHandler {
  // Not `express.json`, which takes other types of content for no body at all.
  const readBytes = express.raw({ type: () => true, limit: mostBytes, inflate: false });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (request.method !== 'POST' && request.method !== 'PATCH') return next();
    readBytes(request, response, (error?: unknown) => {
      const problem = error === undefined ? parse(request) : problemOf(error, mostBytes);
      if (problem === undefined) return next();
      sendAnswer(response, failure('invalid_parameter', problem));
    });
  };
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

function problemOf(error: unknown, mostBytes: number): string {
  const isTooLong = (error as { type?: unknown }).type === 'entity.too.large';
  return isTooLong ? `The body may have ${mostBytes} bytes at most.` : NO_JSON;
}
