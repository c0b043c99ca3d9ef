import { showBytes } from '@lontar/shared/show-bytes.ts';
import type { Response } from 'express';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { SmallBody } from '../statistics/small-bodies.ts';

/** Answers where nothing more of the connection is of use: a body that cannot be read leaves it so. */
export function closeWith(response: Response, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  response.status(status).set(headers).set('Connection', 'close').json(body);
}

/** What is said of a body that is not here as a whole. */
export function refusalOf({ kind }: Exclude<SmallBody, { kind: 'whole' }>, mostBytes: number): Answer {
  if (kind !== 'too_large') return refuse('request_timeout');
  return refuse('payload_too_large', { message: `The body may have ${showBytes(mostBytes)} at most.` });
}
