import type { IncomingMessage } from 'node:http';

/**
 * Lets go of what Express keeps of a request while it looks for its route, once that is found and its errors are ours: more than
 * a kilobyte of each request that waits for its answer.
 *
 * Clears `next` of the request, by which Express's `render` and `sendFile` alone report errors, and `_parsedUrl`, from which its
 * parts are read, and which is made anew where it is missing: checked with Express 5.3.0. routing.int.test.ts fails where that
 * changes.
 */
export function letGoOfRouting(request: IncomingMessage): void {
  const routed = request as { next?: unknown; _parsedUrl?: unknown };
  routed.next = undefined;
  routed._parsedUrl = undefined;
}
