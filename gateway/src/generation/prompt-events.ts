import { BEGINNING, type Cursor, END, NO_REASONING, writeCursor } from '../live/cursor.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';

/**
 * The answer of an endpoint with a persona as events: `delta` with the next piece of its text, then `done` with the envelope
 * but for the result, or `error` with the envelope of an error.
 *
 * An event's id is that of the request, and how much of the answer was sent.
 */
export function promptEvents({ requestId }: { readonly requestId: string }, from: Cursor = BEGINNING): StreamRendering {
  const text: StreamRendering['text'] = (piece, cursor) =>
    `event: delta\nid: ${requestId}:${writeCursor(cursor)}\ndata: {"text":${JSON.stringify(piece)}}\n\n`;
  return {
    from: { ...from, reasoning: NO_REASONING },
    // The endpoints without a stream give neither.
    reasoning: () => '',
    call: () => '',
    text,
    refusal: text,
    done: ({ body }) => {
      const { result: _, ...envelope } = body as { readonly result: string };
      return writeEvent('done', requestId, envelope);
    },
    failure: ({ body }) => writeEvent('error', requestId, body),
    howToResume: () => `This gateway stops, and the answer goes on: ask for the rest at /api/requests/${requestId}.`,
  };
}

/**
 * The last event of an answer. A browser's EventSource connects again when a stream has ended, and would ask for another
 * answer, for ever; by this id it is told that nothing follows, and stays away.
 */
function writeEvent(name: string, requestId: string, body: unknown): string {
  return `event: ${name}\nid: ${requestId}:${END}\ndata: ${JSON.stringify(body)}\n\n`;
}
